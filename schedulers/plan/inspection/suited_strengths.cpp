// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/plan/inspection/suited_strengths.hpp"

#include "schedulers/costs/order_rule.hpp"
#include "schedulers/plan/inspection/reach.hpp"

#include <algorithm>

namespace starfmm {

namespace {

/// The least tolerance that plans with the options take. Without a theta of the user's there are
/// smaller ones.
double least_tolerance(const KernelTraits& kernel, const PlanOptions& options) {
    constexpr double least = 1e-12;
    if (options.theta <= 0) {
        return least;
    }
    const OrderRule rule(kernel, options.tree);
    return std::max(least, 1.01 * reach_of_order(rule, kernel.largest_order, options.theta));
}

} // namespace

PlanOptions suited_to_strengths(
    const KernelTraits& kernel, const PlanOptions& options, const SpaceCancellation& cancellation
) {
    constexpr double most_pairs = 1e9; // a second of a core
    const double excess = excess_of(cancellation);
    PlanOptions suited = options;
    if (options.order > 0 || options.method == Method::direct || excess <= 1) {
        return suited;
    }
    const double wanted = options.tolerance / excess;
    const double least = least_tolerance(kernel, options);
    if (wanted < least && options.method == Method::automatic &&
        cancellation.n_pairs <= most_pairs) {
        suited.method = Method::direct;
        return suited;
    }
    suited.tolerance = std::min(options.tolerance, std::max(wanted, least));
    return suited;
}

} // namespace starfmm

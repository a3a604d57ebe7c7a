// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/plan/inspection/suited_strengths.hpp"

#include "core/error.hpp"
#include "schedulers/costs/order_rule.hpp"
#include "schedulers/plan/inspection/reach.hpp"

#include <algorithm>
#include <sstream>

namespace starfmm {

namespace {

/// The least tolerance that plans with the options take. Without a theta of the user's there are
/// smaller ones.
double least_tolerance(const KernelTraits& kernel, const PlanOptions& options) {
    const double least = std::max(1e-12, reach_of_precision(kernel));
    if (options.theta <= 0) {
        return least;
    }
    const OrderRule rule(kernel);
    return std::max(least, 1.01 * reach_of_order(rule, kernel.largest_order, options.theta));
}

/// \param excess how much more the terms cancel than those of strengths of random sign
/// \param least tolerance that plans take
[[noreturn]] void throw_too_many(const PlanOptions& options, double excess, double least) {
    std::ostringstream message;
    message.precision(2);
    message << "tolerance = " << options.tolerance << ": the terms of the sums are " << excess
            << " times the sums, for which no order serves, and pairs are too many to sum "
            << "them all: use " << excess * least << " or more, or an order of your own";
    throw InputError(message.str());
}

std::string why_direct(double excess) {
    std::ostringstream text;
    text.precision(2);
    text << "terms are " << excess << " times the sums, for which no order serves";
    return text.str();
}

} // namespace

SuitedOptions suited_to_strengths(
    const KernelTraits& kernel, const PlanOptions& options, const SpaceCancellation& cancellation
) {
    constexpr double most_pairs = 1e12;
    const double excess = excess_of(cancellation);
    SuitedOptions suited{options};
    const double least = least_tolerance(kernel, options);
    const bool is_refused = options.tolerance < least; // by the plan
    if (options.order > 0 || options.method == Method::direct || excess <= 1 || is_refused) {
        return suited;
    }
    if (options.tolerance / excess >= least) {
        suited.plan.tolerance = options.tolerance / excess;
        return suited;
    }
    if (kernel.real_size == sizeof(float)) { // whose rounding loses as much, by the user's choice
        suited.plan.tolerance = least;
        return suited;
    }
    if (cancellation.n_pairs > most_pairs) {
        throw_too_many(options, excess, least);
    }
    suited.plan.method = Method::direct;
    suited.why_direct = why_direct(excess);
    return suited;
}

} // namespace starfmm

// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/plan/inspection/suited_strengths.hpp"

#include "core/error.hpp"
#include "core/expansions/kernels3d.hpp"
#include "schedulers/costs/order_rule.hpp"
#include "schedulers/plan/inspection/reach.hpp"

#include <algorithm>
#include <limits>
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

/// The share of a tolerance that roundings may have: errors of expansions add up with them in L2.
constexpr double most_rounding = 0.5;

/// The part of that where pairs are few.
constexpr double rounding_of_few = 0.25;

std::string why_finer(const char* precision, double rounding) {
    std::ostringstream text;
    text.precision(2);
    text << precision << " precision may leave " << rounding << " of these sums";
    return text.str();
}

/// Why single precision does not keep the tolerance, or nothing.
std::string why_not_single(const SpaceCancellation& cancellation, double tolerance) {
    const bool are_few = cancellation.n_pairs < few_pairs;
    constexpr double reach =
        reach_in_roundings<Laplace<float>> * std::numeric_limits<float>::epsilon();
    // closer pairs than 1e-8 of the extent lose digits from there on
    constexpr double farthest = 16;
    if (tolerance < reach) { // the plan refuses it
        return {};
    }
    const double rounding = rounding_of_single(cancellation, reach);
    if (rounding > (are_few ? rounding_of_few * tolerance : tolerance)) {
        return why_finer("single", rounding);
    }
    if (cancellation.offset > farthest) {
        std::ostringstream text;
        text.precision(2);
        text << "points lie " << cancellation.offset
             << " times their extent from zero, too far for single precision";
        return text.str();
    }
    return {};
}

} // namespace

SuitedPrecision
suited_precision(Precision asked, const SpaceCancellation& cancellation, double tolerance) {
    const bool are_few = cancellation.n_pairs < few_pairs;
    const double of_mixed = rounding_of_mixed(cancellation);
    const bool mixed_serves =
        tolerance >= least_mixed_tolerance &&
        of_mixed <= most_rounding * (are_few ? rounding_of_few : 1) * tolerance;
    switch (asked) {
    case Precision::automatic: {
        const bool serves = mixed_serves && !are_few;
        return {serves ? Precision::mixed_precision : Precision::double_precision};
    }
    case Precision::single_precision: {
        const std::string why = why_not_single(cancellation, tolerance);
        return why.empty()    ? SuitedPrecision{asked}
               : mixed_serves ? SuitedPrecision{Precision::mixed_precision, why}
                              : SuitedPrecision{Precision::double_precision, why};
    }
    case Precision::mixed_precision:
        return mixed_serves
                   ? SuitedPrecision{asked}
                   : SuitedPrecision{Precision::double_precision, why_finer("mixed", of_mixed)};
    default:
        return {asked};
    }
}

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
    if (cancellation.n_pairs > most_pairs) {
        throw_too_many(options, excess, least);
    }
    suited.plan.method = Method::direct;
    suited.why_direct = why_direct(excess);
    return suited;
}

} // namespace starfmm

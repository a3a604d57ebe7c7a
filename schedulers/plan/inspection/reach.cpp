// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/plan/inspection/reach.hpp"

#include "core/error.hpp"

#include <cmath>
#include <limits>
#include <sstream>
#include <string>

namespace starfmm {

namespace {

/// What the rule leaves for sums that cancel (laurent_order).
constexpr double slack = 16;

constexpr double smallest = -700; ///< logarithm of a tolerance: exp(-700) is a normal number

/// Whether a kernel's rule stops at the largest order, instead of asking for more.
bool stops(const OrderRule& rule, double theta) {
    return rule(std::exp(smallest), theta) == rule.kernel().largest_order;
}

/// The boundary between what `is_below` and what is not, in (low, high), by bisection.
template <class Predicate>
double boundary(double low, double high, const Predicate& is_below) {
    constexpr int steps = 60;
    for (int i = 0; i < steps; ++i) {
        const double middle = low + (high - low) / 2;
        (is_below(middle) ? low : high) = middle;
    }
    return high;
}

} // namespace

double reach_of_order(const OrderRule& rule, int order, double theta) {
    const int largest = rule.kernel().largest_order;
    if (order >= largest && stops(rule, theta)) { // errors fall geometrically
        const double before = reach_of_order(rule, largest - 1, theta);
        return before * before / reach_of_order(rule, largest - 2, theta);
    }
    return std::exp(boundary(smallest, 0, [&](double logarithm) {
        return rule(std::exp(logarithm), theta) > order;
    }));
}

double reach_of_precision(const KernelTraits& kernel) {
    return kernel.reach_in_roundings * (kernel.real_size == sizeof(float)
                                            ? std::numeric_limits<float>::epsilon()
                                            : std::numeric_limits<double>::epsilon());
}

void check_precision(const KernelTraits& kernel, double tolerance) {
    const double reach = reach_of_precision(kernel);
    if (tolerance < reach) {
        const bool is_single = kernel.real_size == sizeof(float);
        std::ostringstream message;
        message.precision(2);
        message << "tolerance = " << tolerance << ": " << (is_single ? "single" : "double")
                << " precision reaches " << reach << " at best: use a larger tolerance"
                << (is_single ? ", or double precision" : "");
        throw InputError(message.str());
    }
}

void check_order(const OrderRule& rule, double tolerance, double theta) {
    const int largest = rule.kernel().largest_order;
    if (rule(tolerance, theta) < largest) {
        return;
    }
    const double reach = reach_of_order(rule, largest, theta);
    if (reach > (stops(rule, theta) ? slack : 1) * tolerance) {
        const double most =
            boundary(0, theta, [&](double smaller) { return rule(tolerance, smaller) < largest; });
        std::ostringstream message;
        message.precision(2);
        message << "tolerance = " << tolerance << ": with theta " << theta << " the largest order, "
                << largest << ", reaches " << reach << ": use a theta of at most "
                << std::floor(100 * most) / 100 << ", or a larger tolerance";
        throw InputError(message.str());
    }
}

void check_coefficients(const KernelTraits& kernel, int order) {
    const int most = kernel.most_coefficients;
    const int n = kernel.n_coefficients(order);
    if (order > kernel.largest_order || n < 1 || n > most) {
        throw InputError(
            "kernel " + kernel.name + ": " + std::to_string(n) + " coefficients of order " +
            std::to_string(order) + ": must be in [1, " + std::to_string(most) +
            "], of an order in [1, " + std::to_string(kernel.largest_order) + "]"
        );
    }
}

} // namespace starfmm

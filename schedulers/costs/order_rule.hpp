// SPDX-License-Identifier: BSD-3-Clause
// Which order the expansions of a plan take.
#pragma once

#include "codelets/sets/kernel_set.hpp"
#include "core/options.hpp"

#include <span>

namespace starfmm {

/// A kernel's rule. Refers to the kernel.
class OrderRule {
public:
    OrderRule(const KernelTraits& kernel, PairTerms terms = PairTerms::by_distance)
        : kernel_(kernel), terms_(terms) {}

    [[nodiscard]] const KernelTraits& kernel() const { return kernel_; }

    /// Whether boxes are whole cubes: those of space are, those of the plane are shrunk to their
    /// points.
    [[nodiscard]] bool has_cells() const { return kernel_.dimension == 3; }

    [[nodiscard]] PairTerms terms() const { return terms_; }

    /// Whether there is a rule for pairs that take all terms.
    [[nodiscard]] bool has_all_terms() const { return kernel_.order_of_all_terms != nullptr; }

    [[nodiscard]] int operator()(double tolerance, double theta) const {
        if (terms_ == PairTerms::all && has_all_terms()) {
            return kernel_.order_of_all_terms(tolerance);
        }
        return kernel_.order(tolerance, theta);
    }

private:
    const KernelTraits& kernel_;
    PairTerms terms_;
};

/// Separations that automatic choices are among, the usual one first.
[[nodiscard]] std::span<const double> usual_thetas(const OrderRule& rule);

} // namespace starfmm

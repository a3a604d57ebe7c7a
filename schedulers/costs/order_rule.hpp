// SPDX-License-Identifier: BSD-3-Clause
// Which order the expansions of a plan take.
#pragma once

#include "codelets/sets/kernel_set.hpp"
#include "core/options.hpp"

#include <span>

namespace starfmm {

/// A kernel's rule, for the boxes of a tree. Refers to the kernel.
class OrderRule {
public:
    /// The rule for boxes that are shrunk to their points.
    OrderRule(const KernelTraits& kernel) : kernel_(kernel) {}

    OrderRule(const KernelTraits& kernel, TreeKind tree, PairTerms terms = PairTerms::by_distance)
        : kernel_(kernel), terms_(terms),
          has_cells_(kernel.dimension == 3 && tree == TreeKind::orthtree) {}

    [[nodiscard]] const KernelTraits& kernel() const { return kernel_; }

    [[nodiscard]] bool has_cells() const { return has_cells_; }

    [[nodiscard]] PairTerms terms() const { return terms_; }

    /// Whether there is a rule for pairs that take all terms.
    [[nodiscard]] bool has_all_terms() const {
        return has_cells_ && kernel_.order_of_all_terms != nullptr;
    }

    [[nodiscard]] int operator()(double tolerance, double theta) const {
        if (terms_ == PairTerms::all && has_all_terms()) {
            return kernel_.order_of_all_terms(tolerance);
        }
        return has_cells_ ? kernel_.order_of_cells(tolerance, theta)
                          : kernel_.order(tolerance, theta);
    }

private:
    const KernelTraits& kernel_;
    PairTerms terms_ = PairTerms::by_distance;
    bool has_cells_ = false;
};

/// Separations that automatic choices are among, the usual one first.
[[nodiscard]] std::span<const double> usual_thetas(const OrderRule& rule);

} // namespace starfmm

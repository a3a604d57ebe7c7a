// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/plan/inspection/suit_points.hpp"

#include "core/error.hpp"
#include "schedulers/costs/order_rule.hpp"
#include "schedulers/plan/inspection/pair_sample.hpp"

#include <algorithm>
#include <cstddef>
#include <sstream>

namespace starfmm {

namespace {

/// Single pairs of points in corners are what the rule has allowed for.
constexpr Inspection of_rule{2048, 8192, 8};
constexpr Inspection of_all_terms{2048, 8192, 32}; // they depend more on what is near
constexpr Inspection of_raised{16384, 131072, 0};

/// Errors of spread points stay below that share of the tolerance: the higher the order, the more
/// are the few pairs left out of account.
double share_of_rule(PairTerms terms, int order) {
    const double first = terms == PairTerms::all ? 4 : 3;
    return first / order * std::min(1.0, 20.0 / order);
}

/// Where places repeat, errors add up in some directions, and those of gradients more.
constexpr double share_of_raised = 0.25;

/// What is asked of an order.
struct Demand {
    const OrderRule& rule;
    double tolerance;
    int roots;
    const PointsRef& sources;
    const PointsRef& targets;

    /// A sample of the pairs.
    [[nodiscard]] PairSample sample(const Inspection& inspection) const {
        return {sources, targets, roots, inspection};
    }

    [[nodiscard]] int largest() const { return rule.kernel().largest_order; }

    /// Whether the order of the rule does.
    [[nodiscard]] bool is_met_by_rule(double theta) const {
        const int order = rule(tolerance, theta);
        const double share = share_of_rule(rule.terms(), order);
        const Inspection& inspection = rule.terms() == PairTerms::all ? of_all_terms : of_rule;
        PairSample few = sample(inspection);
        few.meet(theta);
        return few.is_within(share * tolerance, {rule, theta, order}, inspection.n_rare);
    }

    /// Least order from that of the rule on; none beyond what bodies have room for.
    [[nodiscard]] int order(double theta) const {
        int order = rule(tolerance, theta);
        if (is_met_by_rule(theta)) {
            return order;
        }
        PairSample many = sample(of_raised);
        many.meet(theta);
        const double most = share_of_raised * tolerance;
        while (order <= largest() && !many.is_within(most, {rule, theta, order}, of_raised.n_rare)
        ) {
            ++order;
        }
        return order;
    }
};

} // namespace

void suit_points(
    PlanInfo& decided,
    const KernelTraits& kernel,
    const PlanOptions& options,
    const PointsRef& sources,
    const PointsRef& targets
) {
    const OrderRule rule(kernel, options.tree);
    const bool has_rule = rule.has_cells() && kernel.square_left_out != nullptr;
    if (decided.method != Method::fmm || !has_rule || options.order > 0) {
        return;
    }
    if (decided.terms == PairTerms::all) {
        const OrderRule of_all(kernel, options.tree, PairTerms::all);
        const Demand of_waves{of_all, options.tolerance, decided.roots, sources, targets};
        if (of_waves.is_met_by_rule(decided.theta)) {
            return;
        }
        decided.terms = PairTerms::by_distance;
    }
    const Demand demand{rule, options.tolerance, decided.roots, sources, targets};
    const int largest = demand.largest();
    double theta = decided.theta;
    int order = demand.order(theta);
    for (const double smaller : usual_thetas(rule)) {
        if (order > largest && smaller < theta && options.theta <= 0) {
            theta = smaller;
            order = demand.order(theta);
        }
    }
    if (order > largest) {
        std::ostringstream message;
        message.precision(2);
        message << "tol = " << options.tolerance << ": with theta = " << theta
                << " the largest order, " << largest
                << ", does not serve points that lie upon the corners of an octree's cubes: use a "
                   "smaller theta, or another tree";
        throw InputError(message.str());
    }
    decided.theta = theta;
    decided.order = order;
}

} // namespace starfmm

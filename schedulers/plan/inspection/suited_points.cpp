// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/plan/inspection/suited_points.hpp"

#include "core/error.hpp"
#include "schedulers/costs/order_rule.hpp"

#include <algorithm>
#include <cstddef>
#include <sstream>

namespace starfmm {

namespace {

/// Single pairs of points in corners are what the rule has allowed for; sums of all terms depend
/// more on what is near.
std::size_t n_rare(PairTerms terms) {
    return terms == PairTerms::all ? 32 : 8;
}

constexpr Inspection of_few{2048, 8192};
constexpr Inspection of_raised{16384, 131072};

/// Errors of spread points stay below that share of the tolerance: the higher the order, the more
/// are the few pairs left out of account.
double share_of_rule(PairTerms terms, int order) {
    const double first = terms == PairTerms::all ? 4 : 3;
    return first / order * std::min(1.0, 20.0 / order);
}

/// Where places repeat, errors add up in some directions, and those of gradients more.
constexpr double share_of_raised = 0.25;

bool is_open(Method method, const KernelTraits& kernel, const PlanOptions& options) {
    const OrderRule rule(kernel, options.tree);
    const bool has_rule = rule.has_cells() && kernel.square_left_out != nullptr;
    return method == Method::fmm && has_rule && options.order <= 0;
}

} // namespace

/// What is asked of an order.
class SuitedPoints::Demand {
public:
    Demand(SuitedPoints& points, const OrderRule& rule) : points_(points), rule_(rule) {}

    [[nodiscard]] int largest() const { return rule_.kernel().largest_order; }

    /// Whether the order of the rule does.
    [[nodiscard]] bool is_met_by_rule(double theta) const {
        const int order = rule_(tolerance(), theta);
        const double share = share_of_rule(rule_.terms(), order);
        points_.few_->meet(theta);
        return points_.few_->is_within(
            share * tolerance(), {rule_, theta, order}, n_rare(rule_.terms())
        );
    }

    /// Least order from that of the rule on; none beyond what bodies have room for.
    [[nodiscard]] int order(double theta) const {
        int order = rule_(tolerance(), theta);
        if (is_met_by_rule(theta)) {
            return order;
        }
        PairSample many(points_.sources_, points_.targets_, points_.roots_, of_raised);
        many.meet(theta);
        const double most = share_of_raised * tolerance();
        while (order <= largest() && !many.is_within(most, {rule_, theta, order}, 0)) {
            ++order;
        }
        return order;
    }

private:
    [[nodiscard]] double tolerance() const { return points_.options_.tolerance; }

    SuitedPoints& points_;
    const OrderRule& rule_;
};

SuitedPoints::SuitedPoints(
    const PlanInfo& decided,
    const KernelTraits& kernel,
    const PlanOptions& options,
    const PointsRef& sources,
    const PointsRef& targets
)
    : kernel_(kernel), options_(options), sources_(sources), targets_(targets),
      roots_(decided.roots), theta_(decided.theta),
      is_open_(is_open(decided.method, kernel, options)) {}

bool SuitedPoints::begin_suit() {
    if (!is_open_) {
        return false;
    }
    if (!few_) {
        few_.emplace(sources_, targets_, roots_, of_few);
        return true;
    }
    return few_->meet_some(theta_);
}

SuitedPoints::Demand SuitedPoints::demand(const OrderRule& rule) {
    return {*this, rule};
}

void SuitedPoints::suit(PlanInfo& decided) {
    while (begin_suit()) {
    }
    if (!is_open_) {
        return;
    }
    if (decided.terms == PairTerms::all) {
        const OrderRule of_all(kernel_, options_.tree, PairTerms::all);
        if (demand(of_all).is_met_by_rule(decided.theta)) {
            return;
        }
        decided.terms = PairTerms::by_distance;
    }
    const OrderRule rule(kernel_, options_.tree);
    const Demand by_distance = demand(rule);
    const int largest = by_distance.largest();
    double theta = decided.theta;
    int order = by_distance.order(theta);
    for (const double smaller : usual_thetas(rule)) {
        if (order > largest && smaller < theta && options_.theta <= 0) {
            theta = smaller;
            order = by_distance.order(theta);
        }
    }
    if (order > largest) {
        std::ostringstream message;
        message.precision(2);
        message << "tolerance = " << options_.tolerance << ": with theta " << theta
                << " the largest order, " << largest
                << ", does not serve points that lie upon the corners of an octree's cubes: use a "
                   "smaller theta, or another tree";
        throw InputError(message.str());
    }
    decided.theta = theta;
    decided.order = order;
}

} // namespace starfmm

// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/plan/inspection/suited_points.hpp"

#include "core/error.hpp"
#include "schedulers/costs/order_rule.hpp"
#include "schedulers/plan/inspection/reach.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <sstream>
#include <vector>

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
    return method == Method::fmm && kernel.square_left_out != nullptr && options.order <= 0;
}

/// Share of the tolerance that orders are for where errors do not average out over directions.
constexpr double share_of_alike = 1.0 / 16;

/// The same, of so few points that single pairs of boxes decide the error.
constexpr double share_of_few = 1.0 / 64;
constexpr std::size_t few_points = 1000;

/// The same, with leaves so small that next to all terms come from expansions, those of the nearest
/// far boxes, whose errors are the largest, among them.
constexpr double share_of_small_leaves = 1.0 / 16;
constexpr double small_leaves = 8;

/// The same, times the others', where the user's theta is smaller than rules are measured for: a
/// tolerance then takes so low an order that single pairs and sums that cancel lie far above the
/// mean over directions. On a lattice they lie so far above it that no share serves.
constexpr double share_of_small_theta = 1.0 / 16;
constexpr double small_theta = 0.5;

bool has_small_theta(const PlanOptions& options) {
    return options.theta > 0 && options.theta < small_theta;
}

/// 256 of the points, evenly chosen, coordinate by coordinate.
std::array<std::vector<double>, 3> some_of(const PointsRef& points) {
    constexpr std::size_t most = 256;
    const std::size_t n = std::min(points.size(), most);
    std::array<std::vector<double>, 3> some;
    for (std::size_t d = 0; d < some.size(); ++d) {
        for (std::size_t i = 0; i < n; ++i) {
            some[d].push_back(points.x[d][i * points.size() / n]);
        }
    }
    return some;
}

/// Whether values repeat in each coordinate, as those of a lattice do.
bool are_on_lattice(std::array<std::vector<double>, 3> x) {
    return std::ranges::all_of(x, [](std::vector<double>& values) {
        std::ranges::sort(values);
        const auto repeated = std::unique(values.begin(), values.end());
        return 4 * (values.end() - repeated) >= std::ssize(values);
    });
}

/// Whether next to no point is off the line through the first one and the farthest from it.
bool are_on_line(const std::array<std::vector<double>, 3>& x) {
    constexpr double width2 = 1e-3; // square of the width over the length
    const auto from_first = [&](std::size_t i) {
        return Vector3<double>{x[0][i] - x[0][0], x[1][i] - x[1][0], x[2][i] - x[2][0]};
    };
    Vector3<double> line{0, 0, 0};
    for (std::size_t i = 1; i < x[0].size(); ++i) {
        line = square(from_first(i)) > square(line) ? from_first(i) : line;
    }
    const double length2 = square(line);
    std::size_t n_off = 0;
    for (std::size_t i = 1; i < x[0].size(); ++i) {
        const Vector3<double> at = from_first(i);
        const double along = (at.x * line.x + at.y * line.y + at.z * line.z) / length2;
        n_off += square(at - along * line) > width2 * length2 ? 1 : 0;
    }
    return 16 * n_off <= x[0].size();
}

/// Whether pairs of boxes are alike: rules are for the mean over many directions.
bool are_alike(const PointsRef& points) {
    const auto some = some_of(points);
    return are_on_line(some) || are_on_lattice(some);
}

} // namespace

/// What is asked of an order.
class SuitedPoints::Demand {
public:
    Demand(SuitedPoints& points, const OrderRule& rule) : points_(points), rule_(rule) {}

    [[nodiscard]] int largest() const { return rule_.kernel().largest_order; }

    /// Whether the order of the rule exists and does.
    [[nodiscard]] bool is_met_by_rule(double theta) const {
        const int order = rule_(tolerance(), theta);
        if (order > largest()) {
            return false;
        }
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

bool SuitedPoints::is_served() const {
    if (!is_open_ || !OrderRule(kernel_).has_cells()) {
        return true;
    }
    if (has_small_theta(options_) && (are_alike(sources_) || are_alike(targets_))) {
        return false;
    }
    const OrderRule rule(kernel_);
    const double least =
        share_of_small_theta * share_of_small_leaves * share_of_alike * options_.tolerance;
    return rule(least, theta_) < kernel_.largest_order ||
           reach_of_order(rule, kernel_.largest_order, theta_) <=
               share_of_tolerance() * options_.tolerance;
}

bool SuitedPoints::begin_suit() {
    if (!is_open_ || !OrderRule(kernel_).has_cells()) {
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
    if (is_open_ && OrderRule(kernel_).has_cells()) {
        suit_cells(decided);
    }
    const double share = is_open_ ? share_of_tolerance() : 1;
    if (share < 1) {
        decided.terms = PairTerms::by_distance;
        const OrderRule rule(kernel_);
        const int careful = rule(share * options_.tolerance, decided.theta);
        decided.order = std::clamp(careful, decided.order, kernel_.largest_order);
    }
}

double SuitedPoints::share_of_tolerance() const {
    const double share = has_small_theta(options_) ? share_of_small_theta : 1;
    if (std::min(sources_.size(), targets_.size()) < few_points) {
        return share * share_of_few;
    }
    const bool has_small_leaves = options_.leaf_size > 0 && options_.leaf_size < small_leaves;
    return share * (has_small_leaves ? share_of_small_leaves : 1) *
           (are_alike(sources_) || are_alike(targets_) ? share_of_alike : 1);
}

void SuitedPoints::suit_cells(PlanInfo& decided) {
    while (begin_suit()) {
    }
    if (decided.terms == PairTerms::all) {
        const OrderRule of_all(kernel_, PairTerms::all);
        if (demand(of_all).is_met_by_rule(decided.theta)) {
            return;
        }
        decided.terms = PairTerms::by_distance;
    }
    const OrderRule rule(kernel_);
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
                   "smaller theta, or a larger tolerance";
        throw InputError(message.str());
    }
    decided.theta = theta;
    decided.order = order;
}

} // namespace starfmm

// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/plan/suit_points.hpp"

#include "core/error.hpp"
#include "core/expansions/truncation.hpp"
#include "core/tree/geometry.hpp"
#include "core/tree/uniform_tree.hpp"
#include "schedulers/costs/order_rule.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <limits>
#include <numeric>
#include <sstream>
#include <vector>

namespace starfmm {

namespace {

/// Points that are looked at, pairs of them, and of these those that count most, left out.
struct Inspection {
    std::size_t n_points;
    std::size_t n_pairs;
    std::size_t n_rare;
};

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

constexpr int deepest = 20; ///< level of cubes

/// The i-th of a sequence of random numbers [Vigna, splitmix64].
std::uint64_t mixed(std::uint64_t i) {
    std::uint64_t z = (i + 1) * 0x9e3779b97f4a7c15U;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9U;
    z = (z ^ z >> 27) * 0x94d049bb133111ebU;
    return z ^ z >> 31;
}

using Place = std::array<double, 3>;

std::vector<Place> sample_of(const PointsRef& points, std::size_t most, std::uint64_t seed) {
    std::vector<Place> sample(std::min(points.size(), most));
    const bool takes_all = sample.size() == points.size();
    for (std::size_t k = 0; k < sample.size(); ++k) {
        const std::size_t i = takes_all ? k : mixed(seed + k) % points.size();
        sample[k] = {points.x[0][i], points.x[1][i], points.x[2][i]};
    }
    return sample;
}

/// Two points in cubes of one level that are far from each other, in units of the distance of
/// their centres.
struct FarPair {
    double source2;   ///< square of the source's distance from its centre
    double target2;   ///< likewise
    double radius;    ///< of the balls about the cubes
    double distance2; ///< square of the centres' distance, in sides of the tree's cube
};

/// Which terms M2L takes.
struct Terms {
    const KernelTraits& kernel;
    TruncationOrders orders;

    Terms(const OrderRule& rule, double theta, int order)
        : kernel(rule.kernel()),
          orders(
              rule.terms() == PairTerms::all ? TruncationOrders::none(order)
                                             : TruncationOrders(
                                                   theta_of_cells(theta),
                                                   order,
                                                   kernel.terms_besides,
                                                   static_cast<float>(reach_of_cells)
                                               )
          ) {}
};

/// Pairs of points as the cubes of a tree see them.
class PairSample {
public:
    PairSample(
        const PointsRef& sources, const PointsRef& targets, int roots, const Inspection& inspection
    )
        : n_pairs_(inspection.n_pairs), sources_(sample_of(sources, inspection.n_points, 0)) {
        const bool are_same = sources.x.data() == targets.x.data();
        targets_ =
            are_same ? sources_ : sample_of(targets, inspection.n_points, inspection.n_points);
        corner_.fill(std::numeric_limits<double>::infinity());
        Place end;
        end.fill(-std::numeric_limits<double>::infinity());
        for (const auto* points : {&sources_, &targets_}) {
            for (const Place& at : *points) {
                for (std::size_t d = 0; d < 3; ++d) {
                    corner_[d] = std::min(corner_[d], at[d]);
                    end[d] = std::max(end[d], at[d]);
                }
            }
        }
        for (std::size_t d = 0; d < 3; ++d) {
            side_ = std::max(side_, end[d] - corner_[d]);
        }
        side_ *= domain_stretch(roots);
    }

    /// Pairs that are far at some level.
    void meet(double theta) {
        far_.clear();
        far_.reserve(n_pairs_);
        sum_ = 0;
        constexpr std::uint64_t first = 1U << 20; // no number that chose a point
        for (std::size_t k = 0; side_ > 0 && k < n_pairs_; ++k) {
            const std::uint64_t random = mixed(first + k);
            add(targets_[(random >> 32) % targets_.size()],
                sources_[(random & 0xffffffffU) % sources_.size()],
                {theta, true});
        }
    }

    /// Whether sums with random signs are within a relative tolerance in the mean square, without
    /// the `n_rare` pairs that count most.
    [[nodiscard]] bool is_within(double tolerance, const Terms& terms, std::size_t n_rare) const {
        const double most = tolerance * tolerance * sum_;
        std::vector<double> squares;
        squares.reserve(far_.size());
        for (const FarPair& pair : far_) {
            const double square = terms.kernel.square_left_out(
                static_cast<int>(terms.orders.terms(pair.radius, pair.radius, 1.0)),
                pair.source2,
                pair.target2
            );
            squares.push_back(square / pair.distance2);
        }
        n_rare = std::min(n_rare, squares.size());
        const auto rest = squares.begin() + static_cast<std::ptrdiff_t>(n_rare);
        std::nth_element(squares.begin(), rest, squares.end(), std::greater<>());
        return std::accumulate(rest, squares.end(), 0.0) <= most;
    }

private:
    /// In sides of the tree's cube; not a number where the users' coordinates are none.
    [[nodiscard]] Vector3<double> placed(const Place& at) const {
        return {
            (at[0] - corner_[0]) / side_,
            (at[1] - corner_[1]) / side_,
            (at[2] - corner_[2]) / side_};
    }

    /// Which of the deepest cubes holds a point.
    static std::array<std::int32_t, 3> deepest_cube(const Vector3<double>& at) {
        constexpr std::int32_t n = std::int32_t(1) << deepest;
        const auto index = [](double x) {
            return std::min(static_cast<std::int32_t>(x * n), n - 1);
        };
        return {index(at.x), index(at.y), index(at.z)};
    }

    /// The cube of a level that holds a deepest one.
    static Frame<double, 3> cube(const std::array<std::int32_t, 3>& of, int level) {
        const double side = 1.0 / static_cast<double>(std::int32_t(1) << level);
        const auto middle = [&](std::int32_t x) { return ((x >> (deepest - level)) + 0.5) * side; };
        return {{middle(of[0]), middle(of[1]), middle(of[2])}, std::sqrt(0.75) * side};
    }

    /// The first level on which a cube may lie between those of two points.
    static int
    first_level(const std::array<std::int32_t, 3>& a, const std::array<std::int32_t, 3>& b) {
        std::uint32_t most = 0;
        for (std::size_t d = 0; d < 3; ++d) {
            most = std::max(most, static_cast<std::uint32_t>(std::abs(a[d] - b[d])));
        }
        return deepest + 1 - std::max(1, static_cast<int>(std::bit_width(most)));
    }

    void add(const Place& target, const Place& source, const SeparationRule& separates) {
        const Vector3<double> y = placed(target);
        const Vector3<double> x = placed(source);
        const double r2 = square(y - x);
        if (!(r2 > 0)) { // coincident, or not to be placed
            return;
        }
        sum_ += 1 / r2;
        const auto target_cube = deepest_cube(y);
        const auto source_cube = deepest_cube(x);
        for (int level = first_level(source_cube, target_cube); level <= deepest; ++level) {
            const Frame<double, 3> of_target = cube(target_cube, level);
            const Frame<double, 3> of_source = cube(source_cube, level);
            if (separates(of_source, of_target) != 0) {
                const double d2 = distance2(of_source, of_target);
                far_.push_back(
                    {square(x - of_source.centre) / d2,
                     square(y - of_target.centre) / d2,
                     of_source.radius / std::sqrt(d2),
                     d2}
                );
                return;
            }
        }
    }

    std::size_t n_pairs_;
    std::vector<Place> sources_;
    std::vector<Place> targets_;
    Place corner_{};
    double side_ = 0;
    std::vector<FarPair> far_;
    double sum_ = 0; ///< of squares of the pairs' sums
};

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

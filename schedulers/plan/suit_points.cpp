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

/// Which of the tree's deepest cubes holds a point; those of its ancestors follow by shifts.
using CubeIndex = std::array<std::int32_t, 3>;

/// Which cubes of one level are far from each other: balls about them meet the criterion, and they
/// are a side apart (SeparationRule).
class FarCubes {
public:
    explicit FarCubes(double theta)
        : least_distance2_(half_diagonal * half_diagonal * (1 + 1 / theta) * (1 + 1 / theta)) {}

    /// Square of their centres' distance in sides; 0 if they are near.
    [[nodiscard]] double distance2(const CubeIndex& a, const CubeIndex& b, int shift) const {
        double sum = 0;
        std::int32_t largest = 0;
        for (std::size_t d = 0; d < 3; ++d) {
            const std::int32_t apart = std::abs((a[d] >> shift) - (b[d] >> shift));
            largest = std::max(largest, apart);
            sum += static_cast<double>(apart) * apart;
        }
        return largest > 1 && sum >= least_distance2_ ? sum : 0;
    }

    static constexpr double half_diagonal = 0.8660254037844386;

private:
    double least_distance2_;
};

/// A point, in sides of the tree's cube, and where it lies.
struct PlacedPoint {
    Vector3<double> at; ///< not a number where the users' coordinates are none
    CubeIndex cube;
};

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
        : n_pairs_(inspection.n_pairs) {
        const bool are_same = sources.x.data() == targets.x.data();
        std::vector<Place> of_sources = sample_of(sources, inspection.n_points, 0);
        std::vector<Place> of_targets;
        if (!are_same) {
            of_targets = sample_of(targets, inspection.n_points, inspection.n_points);
        }
        corner_.fill(std::numeric_limits<double>::infinity());
        Place end;
        end.fill(-std::numeric_limits<double>::infinity());
        for (const auto* points : {&of_sources, &of_targets}) {
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
        sources_ = placed(of_sources);
        targets_ = are_same ? sources_ : placed(of_targets);
    }

    /// Pairs that are far at some level.
    void meet(double theta) {
        far_.clear();
        far_.reserve(n_pairs_);
        sum_ = 0;
        const FarCubes far_cubes(theta);
        constexpr std::uint64_t first = 1U << 20; // no number that chose a point
        for (std::size_t k = 0; side_ > 0 && k < n_pairs_; ++k) {
            const std::uint64_t random = mixed(first + k);
            add(one_of(targets_, random >> 32), one_of(sources_, random & 0xffffffffU), far_cubes);
        }
    }

    /// Whether sums with random signs are within a relative tolerance in the mean square, without
    /// the `n_rare` pairs that count most.
    [[nodiscard]] bool is_within(double tolerance, const Terms& terms, std::size_t n_rare) const {
        const double most = tolerance * tolerance * sum_;
        std::vector<double> rare(n_rare, 0.0); // a heap, the least of them first
        double sum = 0;
        for (const FarPair& pair : far_) {
            const double square = terms.kernel.square_left_out(
                static_cast<int>(terms.orders.terms(pair.radius, pair.radius, 1.0)),
                pair.source2,
                pair.target2
            );
            double counts = square / pair.distance2;
            if (n_rare > 0 && counts > rare.front()) {
                std::pop_heap(rare.begin(), rare.end(), std::greater<>());
                std::swap(rare.back(), counts);
                std::push_heap(rare.begin(), rare.end(), std::greater<>());
            }
            sum += counts;
        }
        return sum <= most;
    }

private:
    /// \param random below 2^32
    static const PlacedPoint& one_of(const std::vector<PlacedPoint>& points, std::uint64_t random) {
        return points[random * points.size() >> 32];
    }

    [[nodiscard]] std::vector<PlacedPoint> placed(const std::vector<Place>& places) const {
        std::vector<PlacedPoint> points;
        points.reserve(places.size());
        for (const Place& at : places) {
            const Vector3<double> in_sides{
                (at[0] - corner_[0]) / side_,
                (at[1] - corner_[1]) / side_,
                (at[2] - corner_[2]) / side_};
            points.push_back({in_sides, deepest_cube(in_sides)});
        }
        return points;
    }

    /// Which of the deepest cubes holds a point.
    static CubeIndex deepest_cube(const Vector3<double>& at) {
        constexpr std::int32_t n = std::int32_t(1) << deepest;
        const auto index = [](double x) { // none of what is no number
            return x > 0 ? static_cast<std::int32_t>(std::min<double>(x * n, n - 1)) : 0;
        };
        return {index(at.x), index(at.y), index(at.z)};
    }

    /// Square of a point's distance from the centre of the cube that holds it, in sides.
    static double centre_distance2(const PlacedPoint& point, int shift) {
        const double sides = sides_of(shift);
        const auto from_middle = [&](double x, std::int32_t i) {
            return x * sides - ((i >> shift) + 0.5);
        };
        const CubeIndex& of = point.cube;
        return square(Vector3<double>{
            from_middle(point.at.x, of[0]),
            from_middle(point.at.y, of[1]),
            from_middle(point.at.z, of[2])});
    }

    /// Cubes along a side of the tree's.
    static double sides_of(int shift) {
        return static_cast<double>(std::int32_t(1) << (deepest - shift));
    }

    /// From the deepest level to the first on which a cube may lie between those of two points.
    static int first_shift(const CubeIndex& a, const CubeIndex& b) {
        std::uint32_t most = 0;
        for (std::size_t d = 0; d < 3; ++d) {
            most = std::max(most, static_cast<std::uint32_t>(std::abs(a[d] - b[d])));
        }
        return std::max(1, static_cast<int>(std::bit_width(most))) - 1;
    }

    void add(const PlacedPoint& target, const PlacedPoint& source, const FarCubes& far_cubes) {
        const double r2 = square(target.at - source.at);
        if (!(r2 > 0)) { // coincident, or not to be placed
            return;
        }
        sum_ += 1 / r2;
        for (int shift = first_shift(source.cube, target.cube); shift >= 0; --shift) {
            const double d2 = far_cubes.distance2(source.cube, target.cube, shift);
            if (d2 > 0) {
                far_.push_back(
                    {centre_distance2(source, shift) / d2,
                     centre_distance2(target, shift) / d2,
                     FarCubes::half_diagonal / std::sqrt(d2),
                     d2 / (sides_of(shift) * sides_of(shift))}
                );
                return;
            }
        }
    }

    std::size_t n_pairs_;
    std::vector<PlacedPoint> sources_;
    std::vector<PlacedPoint> targets_;
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

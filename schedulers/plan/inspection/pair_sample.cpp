// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/plan/inspection/pair_sample.hpp"

#include "core/tree/domain.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <limits>

namespace starfmm {

namespace {

constexpr double half_diagonal = 0.8660254037844386; ///< half the diagonal of a cube of side one

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

/// Square of a vector without the fused operations of square(), which are calls on a host of any
/// kind.
double square_of(const Vector3<double>& x) {
    return x.x * x.x + x.y * x.y + x.z * x.z;
}

double power(double x, int n) {
    double result = 1;
    for (; n > 0; n /= 2) {
        result *= n % 2 > 0 ? x : 1;
        x *= x;
    }
    return result;
}

/// Cubes along a side of the tree's.
double sides_of(int shift) {
    return static_cast<double>(std::int32_t(1) << (deepest - shift));
}

/// Which of the deepest cubes holds a point.
CubeIndex deepest_cube(const Vector3<double>& at) {
    constexpr std::int32_t n = std::int32_t(1) << deepest;
    const auto index = [](double x) { // none of what is no number
        return x > 0 ? static_cast<std::int32_t>(std::min<double>(x * n, n - 1)) : 0;
    };
    return {index(at.x), index(at.y), index(at.z)};
}

/// Square of a point's distance from the centre of the cube that holds it, in sides.
double centre_distance2(const PlacedPoint& point, int shift) {
    const double sides = sides_of(shift);
    const auto from_middle = [&](double x, std::int32_t i) {
        return x * sides - ((i >> shift) + 0.5);
    };
    const CubeIndex& of = point.cube;
    return square_of(
        {from_middle(point.at.x, of[0]),
         from_middle(point.at.y, of[1]),
         from_middle(point.at.z, of[2])}
    );
}

/// Levels from the deepest one to the first on which a cube may lie between those of two points.
int first_shift(const CubeIndex& a, const CubeIndex& b) {
    std::uint32_t most = 0;
    for (std::size_t d = 0; d < 3; ++d) {
        most = std::max(most, static_cast<std::uint32_t>(std::abs(a[d] - b[d])));
    }
    return std::max(1, static_cast<int>(std::bit_width(most))) - 1;
}

/// The cube that samples of points are placed in.
class Surrounding {
public:
    Surrounding(const std::vector<Place>& sources, const std::vector<Place>& targets, int roots) {
        corner_.fill(std::numeric_limits<double>::infinity());
        Place end;
        end.fill(-std::numeric_limits<double>::infinity());
        for (const auto* points : {&sources, &targets}) {
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

    /// The points in sides of the cube; not to be placed where all of them are one.
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

private:
    Place corner_{};
    double side_ = 0;
};

/// \param random below 2^32
const PlacedPoint& one_of(const std::vector<PlacedPoint>& points, std::uint64_t random) {
    return points[random * points.size() >> 32];
}

/// What is left out of pairs: squares of it, in the mean. Most pairs count for nothing, which a
/// bound tells at a tenth of the cost.
class LeftOut {
public:
    explicit LeftOut(const PairOrders& orders) : orders_(orders) {}

    /// Mean square of what is left out of `pair`, times its weight; maybe 0 if that is less than
    /// `negligible`.
    double operator()(const FarPair& pair, double negligible) {
        const OfDistance& cubes = of_distance(pair.distance2);
        const double farther2 = std::max(pair.source2, pair.target2);
        if (cubes.bound * power(farther2, cubes.order) * pair.weight < negligible) {
            return 0;
        }
        return pair.weight *
               orders_.kernel.square_left_out(cubes.order, pair.source2, pair.target2);
    }

private:
    struct OfDistance {
        int order = 0;
        double bound = 0; ///< what is left out is at most that times farther2^order
    };

    const OfDistance& of_distance(std::int64_t distance2) {
        const auto i = static_cast<std::size_t>(distance2);
        if (i >= known_.size()) {
            known_.resize(i + 1);
        }
        OfDistance& cubes = known_[i];
        if (cubes.order == 0) {
            const double corner2 = half_diagonal * half_diagonal / static_cast<double>(distance2);
            cubes.order = orders_.order(distance2);
            cubes.bound = orders_.kernel.square_left_out(cubes.order, corner2, corner2) /
                          power(corner2, cubes.order);
        }
        return cubes;
    }

    const PairOrders& orders_;
    std::vector<OfDistance> known_; ///< orders and bounds by squares of distances
};

} // namespace

/// Which cubes of one level are far from each other: balls about them meet the criterion, and they
/// are a side apart (SeparationRule).
class PairSample::FarCubes {
public:
    explicit FarCubes(double theta)
        : least_distance2_(half_diagonal * half_diagonal * (1 + 1 / theta) * (1 + 1 / theta)) {}

    /// Square of their centres' distance in sides; 0 if they are near.
    [[nodiscard]] std::int64_t distance2(const CubeIndex& a, const CubeIndex& b, int shift) const {
        std::int64_t sum = 0;
        std::int64_t largest = 0;
        for (std::size_t d = 0; d < 3; ++d) {
            const std::int64_t apart = std::abs((a[d] >> shift) - (b[d] >> shift));
            largest = std::max(largest, apart);
            sum += apart * apart;
        }
        return largest > 1 && static_cast<double>(sum) >= least_distance2_ ? sum : 0;
    }

private:
    double least_distance2_;
};

PairOrders::PairOrders(const OrderRule& rule, double theta, int order)
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

int PairOrders::order(std::int64_t distance2) const {
    const double radius = half_diagonal / std::sqrt(static_cast<double>(distance2));
    return static_cast<int>(orders.terms(radius, radius, 1.0));
}

PairSample::PairSample(
    const PointsRef& sources, const PointsRef& targets, int roots, const Inspection& inspection
)
    : n_pairs_(inspection.n_pairs) {
    const bool are_same = sources.x[0].data() == targets.x[0].data();
    const std::vector<Place> of_sources = sample_of(sources, inspection.n_points, 0);
    std::vector<Place> of_targets;
    if (!are_same) {
        of_targets = sample_of(targets, inspection.n_points, inspection.n_points);
    }
    const Surrounding cube(of_sources, of_targets, roots);
    sources_ = cube.placed(of_sources);
    targets_ = are_same ? sources_ : cube.placed(of_targets);
}

void PairSample::meet(double theta) {
    while (meet_some(theta)) {
    }
}

bool PairSample::meet_some(double theta) {
    constexpr std::size_t n_at_once = 512; // some 20 us
    if (theta != theta_) {
        theta_ = theta;
        n_met_ = 0;
        far_.clear();
        far_.reserve(n_pairs_);
        sum_ = 0;
    }
    const FarCubes far_cubes(theta);
    constexpr std::uint64_t first = 1U << 20; // no number that chose a point
    for (const std::size_t end = std::min(n_pairs_, n_met_ + n_at_once); n_met_ < end; ++n_met_) {
        const std::uint64_t random = mixed(first + n_met_);
        add(one_of(targets_, random >> 32), one_of(sources_, random & 0xffffffffU), far_cubes);
    }
    return n_met_ < n_pairs_;
}

bool PairSample::is_within(double tolerance, const PairOrders& orders, std::size_t n_rare) const {
    const double most = tolerance * tolerance * sum_;
    const double negligible = 1e-4 * most / static_cast<double>(n_pairs_);
    std::vector<double> rare(n_rare, 0.0); // a heap, the least of them first
    LeftOut left_out(orders);
    double sum = 0;
    for (const FarPair& pair : far_) {
        double counts = left_out(pair, negligible);
        if (n_rare > 0 && counts > rare.front()) {
            std::pop_heap(rare.begin(), rare.end(), std::greater<>());
            std::swap(rare.back(), counts);
            std::push_heap(rare.begin(), rare.end(), std::greater<>());
        }
        sum += counts;
    }
    return sum <= most;
}

void PairSample::add(
    const PlacedPoint& target, const PlacedPoint& source, const FarCubes& far_cubes
) {
    const double r2 = square_of(target.at - source.at);
    if (!(r2 > 0)) { // coincident, or not to be placed
        return;
    }
    sum_ += 1 / r2;
    int shift = first_shift(source.cube, target.cube);
    // in half of all cases: no branch to be guessed
    shift -= static_cast<int>(far_cubes.distance2(source.cube, target.cube, shift) == 0);
    for (; shift >= 0; --shift) {
        const std::int64_t d2 = far_cubes.distance2(source.cube, target.cube, shift);
        if (d2 > 0) {
            const double inverse = 1 / static_cast<double>(d2);
            const double sides = sides_of(shift);
            far_.push_back(
                {centre_distance2(source, shift) * inverse,
                 centre_distance2(target, shift) * inverse,
                 sides * sides * inverse,
                 d2}
            );
            return;
        }
    }
}

} // namespace starfmm

// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/plan/suit_points.hpp"

#include "core/error.hpp"
#include "core/expansions/truncation.hpp"
#include "core/tree/geometry.hpp"
#include "core/tree/uniform_tree.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
#include <sstream>
#include <vector>

namespace starfmm {

namespace {

constexpr std::size_t sample_size = 4096; ///< points

/// Pairs that are looked at, and of them those that count most, left out.
struct Inspection {
    std::size_t n_pairs;
    std::size_t n_rare;
};

/// Single pairs of points in corners are what the rule has allowed for.
constexpr Inspection of_rule{8192, 8};
constexpr Inspection of_raised{131072, 0};

/// Errors of spread points stay below that share of the tolerance: the higher the order, the more
/// are the few pairs left out of account.
double share_of_rule(int order) {
    return 3.0 / order;
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

std::vector<Place> sample_of(const PointsRef& points, std::uint64_t seed) {
    std::vector<Place> sample(std::min(points.size(), sample_size));
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

/// Pairs of points as the cubes of a tree see them.
class PairSample {
public:
    PairSample(const PointsRef& sources, const PointsRef& targets, int roots)
        : sources_(sample_of(sources, 0)), targets_(sample_of(targets, sample_size)) {
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
    void meet(double theta, std::size_t n_pairs) {
        far_.clear();
        sum_ = 0;
        for (std::size_t k = 0; side_ > 0 && k < n_pairs; ++k) {
            const std::uint64_t random = mixed(2 * sample_size + k);
            add(targets_[(random >> 32) % targets_.size()],
                sources_[(random & 0xffffffffU) % sources_.size()],
                {theta, true});
        }
    }

    /// Of sums with random signs, relative, in the mean square, without the `n_rare` largest.
    [[nodiscard]] double
    error(const KernelTraits& kernel, double theta, int order, std::size_t n_rare) const {
        const TruncationOrders orders(
            theta_of_cells(theta), order, kernel.terms_besides, static_cast<float>(reach_of_cells)
        );
        std::vector<double> squares;
        squares.reserve(far_.size());
        for (const FarPair& pair : far_) {
            const auto terms = static_cast<int>(orders.terms(pair.radius, pair.radius, 1.0));
            squares.push_back(
                kernel.square_left_out(terms, pair.source2, pair.target2) / pair.distance2
            );
        }
        n_rare = std::min(n_rare, squares.size());
        const auto rest = squares.begin() + static_cast<std::ptrdiff_t>(n_rare);
        std::nth_element(squares.begin(), rest, squares.end(), std::greater<>());
        return std::sqrt(std::accumulate(rest, squares.end(), 0.0) / sum_);
    }

private:
    /// In sides of the tree's cube; not a number where the users' coordinates are none.
    [[nodiscard]] Vector3<double> placed(const Place& at) const {
        return {
            (at[0] - corner_[0]) / side_,
            (at[1] - corner_[1]) / side_,
            (at[2] - corner_[2]) / side_};
    }

    /// The cube of a level that holds a point.
    static Frame<double, 3> cube(const Vector3<double>& at, int level) {
        const double scale = std::ldexp(1, level);
        const auto middle = [scale](double x) {
            return (std::min(std::floor(x * scale), scale - 1) + 0.5) / scale;
        };
        return {{middle(at.x), middle(at.y), middle(at.z)}, std::sqrt(0.75) / scale};
    }

    void add(const Place& target, const Place& source, const SeparationRule& separates) {
        const Vector3<double> y = placed(target);
        const Vector3<double> x = placed(source);
        const double r2 = square(y - x);
        if (!(r2 > 0)) { // coincident, or not to be placed
            return;
        }
        sum_ += 1 / r2;
        for (int level = 1; level <= deepest; ++level) {
            const Frame<double, 3> of_target = cube(y, level);
            const Frame<double, 3> of_source = cube(x, level);
            if (separates(of_source, of_target)) {
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

    std::vector<Place> sources_;
    std::vector<Place> targets_;
    Place corner_{};
    double side_ = 0;
    std::vector<FarPair> far_;
    double sum_ = 0; ///< of squares of the pairs' sums
};

/// Least order from that of the rule on; none beyond what bodies have room for.
int order_that_serves(PairSample& sample, const OrderRule& rule, double tolerance, double theta) {
    const KernelTraits& kernel = rule.kernel();
    const auto serves = [&](int order, const Inspection& inspection, double share) {
        const double error = sample.error(kernel, theta, order, inspection.n_rare);
        return !(error > share * tolerance); // no pair: not a number
    };
    int order = rule(tolerance, theta);
    sample.meet(theta, of_rule.n_pairs);
    if (serves(order, of_rule, share_of_rule(order))) {
        return order;
    }
    sample.meet(theta, of_raised.n_pairs);
    while (order <= kernel.largest_order && !serves(order, of_raised, share_of_raised)) {
        ++order;
    }
    return order;
}

} // namespace

void suit_points(
    PlanInfo& decided,
    const OrderRule& rule,
    const PlanOptions& options,
    const PointsRef& sources,
    const PointsRef& targets
) {
    const bool has_rule = rule.has_cells() && rule.kernel().square_left_out != nullptr;
    if (decided.method != Method::fmm || !has_rule || options.order > 0) {
        return;
    }
    PairSample sample(sources, targets, decided.roots);
    double theta = decided.theta;
    const int largest = rule.kernel().largest_order;
    int order = order_that_serves(sample, rule, options.tolerance, theta);
    for (const double smaller : usual_thetas(rule)) {
        if (order > largest && smaller < theta && options.theta <= 0) {
            theta = smaller;
            order = order_that_serves(sample, rule, options.tolerance, theta);
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

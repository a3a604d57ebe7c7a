// SPDX-License-Identifier: BSD-3-Clause
// What expansions leave out of a sample of the pairs of points, before there is a tree.
#pragma once

#include "core/expansions/truncation.hpp"
#include "core/particles/points.hpp"
#include "core/tree/geometry.hpp"
#include "schedulers/costs/order_rule.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace starfmm {

/// Points that are looked at, and pairs of them.
struct Inspection {
    std::size_t n_points;
    std::size_t n_pairs;
};

/// Which of the tree's deepest cubes holds a point; those of its ancestors follow by shifts.
using CubeIndex = std::array<std::int32_t, 3>;

/// A point, in sides of the tree's cube, and where it lies.
struct PlacedPoint {
    Vector3<double> at; ///< not a number where the user's coordinates are none
    CubeIndex cube;
};

/// Two points in cubes of one level that are far from each other.
struct FarPair {
    double source2;         ///< square of the source's distance from its centre, over distance2
    double target2;         ///< the same of the target
    double weight;          ///< 1 / distance^2 in sides of the tree's cube: how its error counts
    std::int64_t distance2; ///< square of the centres' distance, in sides of the cubes
};

/// Which terms M2L takes.
struct PairOrders {
    const KernelTraits& kernel;
    TruncationOrders orders;

    PairOrders(const OrderRule& rule, double theta, int order);

    /// \param distance2 square of the cubes' distance, in their sides
    [[nodiscard]] int order(std::int64_t distance2) const;
};

/// Pairs of points as the cubes of an octree see them.
class PairSample {
public:
    PairSample(
        const PointsRef& sources, const PointsRef& targets, int roots, const Inspection& inspection
    );

    /// Finds which pairs are far at some level. O(pairs), but for those that have met with this
    /// theta.
    void meet(double theta);

    /// Does the next some hundred pairs of meet().
    /// \returns whether others are left
    bool meet_some(double theta);

    /// Pairs that are far at some level.
    [[nodiscard]] std::span<const FarPair> far() const { return far_; }

    /// Whether sums with random signs are within a relative tolerance in the mean square, without
    /// the `n_rare` pairs that count most. O(pairs).
    [[nodiscard]] bool
    is_within(double tolerance, const PairOrders& orders, std::size_t n_rare) const;

private:
    class FarCubes;

    void add(const PlacedPoint& target, const PlacedPoint& source, const FarCubes& far_cubes);

    std::size_t n_pairs_;
    std::vector<PlacedPoint> sources_;
    std::vector<PlacedPoint> targets_;
    std::vector<FarPair> far_;
    double theta_ = 0;      ///< the theta that pairs have met with
    std::size_t n_met_ = 0; ///< pairs that have met with it
    double sum_ = 0;        ///< sum of 1 / distance^2 over the pairs that have met
};

} // namespace starfmm

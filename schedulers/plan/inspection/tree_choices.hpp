// SPDX-License-Identifier: BSD-3-Clause
// What a tree's sums take for their tolerances, of what the options leave open.
#pragma once

#include "core/expansions/cartesian_order.hpp"
#include "core/options.hpp"
#include "core/particles/points.hpp"
#include "schedulers/plan/gravity_tree.hpp"

#include <array>
#include <cstddef>
#include <string>
#include <vector>

namespace starfmm {

/// Bodies, or targets, of sums that are made directly: no more than a check of a tree's sums would
/// look at, which would take as long.
inline constexpr std::size_t few_bodies = 512;

/// Separations and orders, one after another by falling errors, then direct sums. The first choice
/// for a smaller tolerance is never an earlier one, nor is what follows it.
class TreeChoices {
public:
    /// Choices for spread bodies of equal masses.
    explicit TreeChoices(const GravityTreeOptions& options);

    /// Choices for the bodies at hand. O(n), for a look at the masses.
    TreeChoices(
        const GravityTreeOptions& options, const PointsRef& points, std::span<const double> masses
    );

    /// Choices for sums at targets, for which errors were not measured.
    TreeChoices(
        const GravityTreeOptions& options, const PointsRef& bodies, const PointsRef& targets
    );

    /// The options of the choice at hand, with nothing left open.
    [[nodiscard]] PlanOptions plan() const;

    /// GravityTreeOptions::own_error that goes with the plan: the user's, or that of masses which
    /// differ much, whose boxes numbers of bodies say nothing about.
    [[nodiscard]] double own_error() const;

    /// Whether errors were measured for bodies, masses and leaves such as these, or there are none,
    /// or they were not left to the choice: otherwise sums need to be checked.
    [[nodiscard]] bool is_sure() const { return is_sure_ || is_direct(); }

    /// The next choice, with smaller errors. \pre !is_sure()
    void next() { ++place_; }

    /// Direct sums, where trees with smaller errors would take longer.
    void end() { place_ = choices_.size(); }

    /// Why direct sums were chosen; empty: they were not.
    [[nodiscard]] std::string why_direct() const;

private:
    [[nodiscard]] bool is_direct() const { return place_ == choices_.size(); }

    void begin(const GravityTreeOptions& options, CartesianSeparation separation);

    /// Whether there is nothing to choose: the options leave nothing open, or `n` are few.
    /// \param what their name, of one and of several
    [[nodiscard]] bool is_settled(std::size_t n, const std::array<const char*, 2>& what);

    /// Whether the choice at hand has the tolerances by what was measured.
    [[nodiscard]] bool is_enough() const;

    PlanOptions options_;
    Precision precision_;
    bool is_harmonic_; ///< a plan chooses
    AccelerationErrors most_;
    std::vector<CartesianChoice> choices_;
    std::size_t place_ = 0;
    std::size_t first_ = 0;      ///< where choices begin
    double own_error_ = 0;       ///< the user's
    bool judges_masses_ = false; ///< whether own errors decide, too
    std::string few_;            ///< what is too few for a tree, if anything is
    bool is_sure_ = true;
};

} // namespace starfmm

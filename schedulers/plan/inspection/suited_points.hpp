// SPDX-License-Identifier: BSD-3-Clause
// Whether the order that a tolerance asks for serves the points at hand.
#pragma once

#include "codelets/sets/kernel_set.hpp"
#include "core/options.hpp"
#include "core/particles/points.hpp"
#include "schedulers/plan/inspection/pair_sample.hpp"
#include "schedulers/plan/plan_info.hpp"

#include <optional>

namespace starfmm {

/// An octree's order is for points that are spread in its cubes. Where many lie upon the cubes'
/// corners, as on some lattices whose places are taken several times, pairs take terms by distance,
/// and the order is raised until a sample of them meets the tolerance; where none would, with a
/// smaller theta, unless the options name one. Leaves an order that the options name
/// (docs/numerics.md). O(1): of a few thousand points and pairs.
///
/// In any tree, few points, those of a line, those of a lattice and those in leaves of a few take a
/// higher order, since errors of their pairs are large, or alike and do not average out.
///
/// In steps, which hide behind a GPU's tasks: points are drawn, pairs of them, and then looked at.
/// Refers to all that it is given.
class SuitedPoints {
public:
    SuitedPoints(
        const PlanInfo& decided,
        const KernelTraits& kernel,
        const PlanOptions& options,
        const PointsRef& sources,
        const PointsRef& targets
    );

    /// Whether an order that expansions have can keep the tolerance for points like these; true
    /// where the options name an order. O(1).
    [[nodiscard]] bool is_served() const;

    /// Some tens of microseconds of what suit() has to do. \returns whether such is left
    bool begin_suit();

    /// \param decided as it was drawn for; gets the order, the terms and theta
    /// \throws InputError if no order meets the tolerance with the theta asked for
    void suit(PlanInfo& decided);

private:
    class Demand;

    /// Share of the tolerance that the order has to be for, in any tree.
    [[nodiscard]] double share_of_tolerance() const;

    /// As suit(), of an octree's cubes.
    void suit_cells(PlanInfo& decided);

    [[nodiscard]] Demand demand(const OrderRule& rule);

    const KernelTraits& kernel_;
    const PlanOptions& options_;
    PointsRef sources_;
    PointsRef targets_;
    int roots_;
    double theta_;
    bool is_open_; ///< whether there is something to suit
    std::optional<PairSample> few_;
};

} // namespace starfmm

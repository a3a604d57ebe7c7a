// SPDX-License-Identifier: BSD-3-Clause
// Direct sums at some of the targets, by which those of a tree are checked.
#pragma once

#include "codelets/sets/kernel_set.hpp"
#include "core/expansions/cartesian_order.hpp"
#include "core/particles/bodies.hpp"
#include "core/particles/points.hpp"
#include "schedulers/runtime/runtime.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace starfmm {

/// Bodies, and where they are summed over.
struct SumPlaces {
    PointsRef bodies;
    PointsRef targets; ///< the bodies, or others
    bool has_targets;  ///< whether they are others

    explicit SumPlaces(const PointsRef& bodies)
        : bodies(bodies), targets(bodies), has_targets(false) {}

    SumPlaces(const PointsRef& bodies, const PointsRef& targets)
        : bodies(bodies), targets(targets), has_targets(true) {}
};

/// Sums over all bodies at a sample of the targets, and where errors in L2 may be those of a few, at
/// targets and of masses that differ much, at those of the largest sums besides. O(n) for each.
class SampledSums {
public:
    /// \param kernel a kernel with gradients, in double precision
    /// \param epsilon in the unit of the points
    /// \param found sums at all targets, by which the largest are picked
    SampledSums(
        Runtime& runtime,
        KernelSet& kernel,
        const SumPlaces& places,
        std::span<const double> masses,
        double epsilon,
        const AccelerationsRef& found
    );

    /// Whether the sums at all targets are so near to the sample's that their errors can be
    /// taken for no larger than `most`.
    /// \param factor what they are in terms of the exact sums
    [[nodiscard]] bool
    confirm(const AccelerationsRef& found, const AccelerationErrors& most, double factor = 1) const;

    /// Returns the error of some sums in L2, relative to the sums, as far as the sample tells; where it
    /// may be that of a few, with three standard deviations of what samples vary by.
    [[nodiscard]] double l2(const AccelerationsRef& found, double factor) const;

private:
    [[nodiscard]] std::size_t most_beyond(double share) const;

    std::size_t n_all_;                ///< number of the targets that the sample is of
    std::vector<std::size_t> largest_; ///< those of the largest sums, ascending; maybe none
    std::size_t n_random_;
    std::vector<std::size_t> which_; ///< n_random_ at random, then the largest
    Potentials exact_;
};

} // namespace starfmm

// SPDX-License-Identifier: BSD-3-Clause
// How far the terms of sums in space cancel, and what that asks of the precision of pairs and of
// the tolerance of expansions, whose errors are relative to the terms and not to the sums.
#pragma once

#include "core/particles/points.hpp"
#include "core/reference/cancellation_sums.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace starfmm {

/// What is summed.
enum class SpaceResult { potential, with_gradient };

/// Root mean squares over the targets, relative to that of the sums: infinite where all sums are
/// zero and their terms are not.
struct Cancellation {
    /// Root of the sum of a target's squared terms: about 1 for strengths of random sign, 0 where
    /// nothing cancels.
    double terms = 0;
    double runs = 0; ///< the same over terms and sums over neighbouring sources
};

struct SpaceCancellation {
    SpaceResult result = SpaceResult::potential;
    double n_pairs = 0;
    Cancellation potential;
    Cancellation gradient; ///< if asked for
    double offset = 0;     ///< offset_of() the points, where it was asked for
};

/// How far from zero points lie, in units of their extent, of which single precision keeps 2^-48 times
/// as much: 0 of points at one place.
[[nodiscard]] double offset_of(const PointsRef& sources, const PointsRef& targets);

/// Sources for more than these are a sample of them where sums over runs are looked at.
inline constexpr std::size_t most_ordered = 1U << 14U;

/// The most targets that are looked at, where sources are not few.
inline constexpr std::size_t most_looked_targets = 32;

/// How far sums q_j / |y - x_j| and their gradients cancel, by a sample of the targets; the largest
/// of several right-hand sides. Potentials of strengths of one sign do not cancel, nor is a sample
/// taken of them. O(N), on all cores: 32 targets, fewer where there are many sources, more where
/// there are few.
class Cancellations {
public:
    /// What is looked at.
    struct Look {
        std::vector<std::uint32_t> order; ///< sources, or a sample of them, along a curve
        std::vector<std::array<double, 3>> targets;
    };

    /// \param sources in space; they must outlive the object
    Cancellations(const PointsRef& sources, const PointsRef& targets, SpaceResult result);

    /// \param strengths as many as sources
    [[nodiscard]] SpaceCancellation of(std::span<const StrengthsRef> strengths);

private:
    void look_at(std::span<const double> strengths, SpaceCancellation& worst);

    PointsRef sources_;
    SpaceResult result_;
    double n_pairs_;
    Look look_;
};

/// The same, once.
[[nodiscard]] SpaceCancellation cancellation_of(
    const PointsRef& sources,
    std::span<const StrengthsRef> strengths,
    const PointsRef& targets,
    SpaceResult result
);

/// Parts of that, for sources that lie elsewhere: the numbers of up to most_ordered sources along a
/// curve, what sums over them tell, and the larger of two.
/// \param points the sources, or some of them, evenly chosen of `n_points`
[[nodiscard]] std::vector<std::uint32_t> along_curve(const PointsRef& points, std::size_t n_points);
[[nodiscard]] SpaceCancellation cancellation_of_sums(
    const std::vector<TargetSums>& sums, std::size_t n_sources, std::size_t n_ordered
);
void keep_larger(const SpaceCancellation& found, bool cancels, SpaceCancellation& worst);

/// What pairs in mixed precision (core/laws/mixed_pairs.hpp) add to the error in L2, in terms of what
/// a tolerance allows: errors of gradients count less (gradient_allowance_in_space).
[[nodiscard]] double rounding_of_mixed(const SpaceCancellation& cancellation);

/// The same of sums in single precision throughout, which lose `reach` where nothing cancels.
[[nodiscard]] double rounding_of_single(const SpaceCancellation& cancellation, double reach);

/// How much more the terms cancel than those of strengths of random sign do, which plans'
/// tolerances are for: at least 1.
[[nodiscard]] double excess_of(const SpaceCancellation& cancellation);

} // namespace starfmm

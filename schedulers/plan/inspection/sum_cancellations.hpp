// SPDX-License-Identifier: BSD-3-Clause
// How far the terms of sums in space cancel, by a look at points and strengths where they lie.
#pragma once

#include "codelets/task/handle.hpp"
#include "core/reference/cancellation.hpp"
#include "schedulers/runtime/gpu_array.hpp"
#include "schedulers/runtime/runtime.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace starfmm {

/// Cancellations (core/reference/cancellation.hpp) over points that may lie on a GPU. The runtime
/// and the points must outlive the object.
class SumCancellations {
public:
    /// O(1). Of points on a GPU a sample is on its way to the host from now on.
    SumCancellations(
        Runtime& runtime, const PointsRef& sources, const PointsRef& targets, SpaceResult result
    );

    /// O(N), by tasks on the GPU of the points, or on all cores.
    /// \param strengths as many as sources, in host memory or on a GPU
    [[nodiscard]] SpaceCancellation of(std::span<const StrengthsRef> strengths);

    /// offset_of() the points: of points on a GPU, a sample of them. O(N)
    [[nodiscard]] double offset();

private:
    void see();
    [[nodiscard]] SpaceCancellation by_gpu(std::span<const double> strengths);

    Runtime& runtime_;
    PointsRef sources_;
    PointsRef evaluation_points_;
    SpaceResult result_;
    double n_pairs_;
    std::optional<std::size_t> gpu_;
    std::optional<Cancellations> on_host_; ///< unless the points lie on a GPU
    std::optional<SeenPoints> seen_sources_;
    std::optional<SeenPoints> seen_targets_; ///< unless they are the sources
    std::vector<std::uint32_t> order_;
    std::vector<double> targets_; ///< [n][3]
    Handle order_data_;
    Handle targets_data_;
};

} // namespace starfmm

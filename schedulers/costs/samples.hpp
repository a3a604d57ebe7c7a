// SPDX-License-Identifier: BSD-3-Clause
// What calibration measures.
#pragma once

#include "core/tree/domain.hpp"

#include <cstddef>
#include <span>

namespace starfmm {

/// A sum to be timed.
struct Sample {
    std::size_t n;
    int levels;
    double theta;
    int order;
    int roots = min_roots; ///< PlanOptions::roots of an octree
    double tolerance = 0;  ///< tolerance of M2L by plane waves; 0: by expansions
};

/// Sums by trees, and directly.
struct Samples {
    std::span<const Sample> fmm;
    std::span<const std::size_t> direct;
};

/// \param dimension dimension of the points
[[nodiscard]] Samples cpu_samples(int dimension);
[[nodiscard]] Samples gpu_samples(int dimension);

} // namespace starfmm

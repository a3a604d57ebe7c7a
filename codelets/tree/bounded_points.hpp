// SPDX-License-Identifier: BSD-3-Clause
// Bounds of the user's points: the common part of domain and extent. O(N).
#pragma once

#include "core/host_device.hpp"
#include "core/tree/geometry.hpp"

#ifndef __CUDACC__
#include "codelets/simd/simd.hpp"
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace starfmm {

/// The blocks of a GPU that look for bounds.
inline constexpr unsigned domain_blocks = 256;

/// Up to N arrays of points in the user's order.
template <int D, std::uint32_t N>
struct BoundedPoints {
    const double* x[N][D]; ///< [set][direction][n]
    std::size_t n[N];
    std::uint32_t n_sets;

    /// Returns the bounds of each `step`-th point from `first` on, in each set behind its whole
    /// batches.
    [[nodiscard]] STARFMM_HOST_DEVICE Bounds<double, D>
    bounds(std::size_t first, std::size_t step, std::size_t batch = 0) const {
        Bounds<double, D> bounds = Bounds<double, D>::nothing();
        for (std::uint32_t set = 0; set < n_sets; ++set) {
            const std::size_t begin = batch > 0 ? n[set] / batch * batch : 0;
            for (std::size_t i = begin + first; i < n[set]; i += step) {
                for (int d = 0; d < D; ++d) {
                    bounds.add(d, x[set][d][i]);
                }
            }
        }
        return bounds;
    }
};

/// Has `task.finish()` called with the bounds of `task.points`.
template <class Backend, int D, class Task>
void find_bounds(const Task& task);

#ifndef __CUDACC__
/// Returns the bounds of all points.
template <class Isa, int D, std::uint32_t N>
Bounds<double, D> simd_bounds(const BoundedPoints<D, N>& points) {
    using B = Batch<double, Isa>;
    Bounds<double, D> bounds = points.bounds(0, 1, B::size);
    for (std::uint32_t set = 0; set < points.n_sets; ++set) {
        for (int d = 0; d < D; ++d) {
            B low(bounds.min[d]);
            B high(bounds.max[d]);
            for (std::size_t i = 0; i + B::size <= points.n[set]; i += B::size) {
                const B x = B::load_unaligned(points.x[set][d] + i);
                low = xsimd::min(x, low); // in this order: not a number leaves them as they are
                high = xsimd::max(x, high);
            }
            alignas(64) double lanes[2][B::size];
            low.store_aligned(lanes[0]);
            high.store_aligned(lanes[1]);
            bounds.min[d] = *std::min_element(lanes[0], lanes[0] + B::size);
            bounds.max[d] = *std::max_element(lanes[1], lanes[1] + B::size);
        }
    }
    return bounds;
}

template <class Isa, int D, class Task>
void find_bounds(const Task& task) {
    task.finish(simd_bounds<Isa>(task.points));
}
#endif

} // namespace starfmm

#ifdef __CUDACC__
#include "codelets/tree/bounded_points.cuh"
#endif

// SPDX-License-Identifier: BSD-3-Clause
// The CUDA side of M2L.
//
// A generic kernel takes one far box a lane, eight lanes a row. Laurent2D's own M2L, where the
// device has FP64 matrix units worth using, is in m2l_matrix.cuh; in single precision it serves
// high orders only. Solid harmonics have solid_m2l.cuh and m2l_waves.cuh, Cartesian expansions of
// low order taylor_m2l.cuh.
#pragma once

#include "codelets/cuda/cooperative.cuh"
#include "codelets/cuda/cuda_check.cuh"
#include "codelets/expansions/cartesian3d/taylor_m2l.cuh"
#include "codelets/expansions/laurent2d/m2l_matrix.cuh"
#include "codelets/expansions/laurent2d/translation_form.cuh"
#include "codelets/expansions/m2l.hpp"
#include "codelets/expansions/solid3d/m2l_waves.cuh"

#include <algorithm>
#include <concepts>

namespace starfmm {

inline constexpr int m2l_threads = 128;
inline constexpr int m2l_lanes = 8; ///< rows of 35 to 40 far boxes take five steps

/// Adds one far box a lane, one row a group of lanes.
template <class K, int P>
__global__ void __launch_bounds__(m2l_threads)
    m2l_kernel(const __grid_constant__ M2LTask<K> task, int n) {
    constexpr int D = dimension_of<K>;
    using Real = typename K::Real;
    const std::size_t index = thread_index() / m2l_lanes;
    const bool active = index < n_boxes_of<D>(task.args);
    const std::size_t row = active ? index : 0;
    const auto kernel = kernel_of<K>(task.args.kernel);
    const FarReferences named = task.references(level_of(pyramid_of<D>(task.args), row));
    const ListView far = task.far();
    const auto target = expansion_frame<Real>(task.boxes, row);
    const std::uint32_t end = active ? far.offsets[row + 1] : 0;
    const std::uint32_t begin = active ? far.offsets[row] : 0;
    const auto orders = truncation_orders<K>(task.args);
    const int order = compiled_order<P>(task.args.order);
    Coefficients<K, P> sum;
    clear_row<P>(sum, n);
    for (std::uint32_t e = begin + threadIdx.x % m2l_lanes; e < end; e += m2l_lanes) {
        const std::uint32_t slot = named.slot(far.boxes[e]);
        const std::size_t source = named.box(far.boxes[e]);
        const auto frame = expansion_frame<Real>(task.sources[slot], source);
        const auto from = seen_from<Real>(target.centre, frame);
        Coefficients<K, P> multipole;
        load_row<P>(task.multipoles[slot] + source * n, n, multipole);
        if constexpr (truncates_by_distance<K>()) {
            const auto terms = static_cast<Real>(orders.order(frame, target));
            kernel.m2l_truncated(order, terms, from, multipole, centred<Real>(target), sum);
        } else {
            kernel.m2l(order, from, multipole, centred<Real>(target), sum);
        }
    }
    __syncwarp();
    reduce_row<P, m2l_lanes>(sum, n, [&](int k, const auto& value) {
        if (active) {
            task.locals[row * n + k] = value;
        }
    });
}

/// Calls `launch` with the order to compile for. Laurent2D's own M2L in double takes lanes only
/// where double precision is so slow that coefficients might as well be in local memory.
template <class K, class Launch>
void with_lane_order(int order, const Launch& launch) {
    if constexpr (has_laurent_m2l<K> && std::same_as<typename K::Real, double>) {
        launch(Order<0>{});
    } else {
        with_order<K>(order, launch);
    }
}

template <class K>
void lane_m2l(const M2LTask<K>& task, int n) {
    const unsigned blocks =
        n_blocks(n_boxes_of<dimension_of<K>>(task.args), m2l_threads / m2l_lanes);
    with_lane_order<K>(task.args.order, [&](auto order) {
        m2l_kernel<K, order()><<<blocks, m2l_threads, 0, cuda_stream()>>>(task, n);
    });
    check_cuda(cudaGetLastError(), "launch of m2l_kernel");
}

/// Clears all locals, which is all that a group gets which no group of sources is near to.
template <class K>
void clear_locals(const M2LTask<K>& task, int n) {
    const std::size_t bytes = sizeof(*task.locals) * n * n_boxes_of<dimension_of<K>>(task.args);
    check_cuda(cudaMemsetAsync(task.locals, 0, bytes, cuda_stream()), "cudaMemsetAsync");
}

/// Runs M2L of any kernel but solid harmonics.
template <class K>
void generic_m2l(const M2LTask<K>& task, int n) {
    if constexpr (has_laurent_m2l<K>) {
        const bool is_worth_it = task.args.order >= least_matrix_order<typename K::Real>;
        if (is_worth_it && takes_matrix_form<K>(task.args)) {
            return matrix_m2l(task, n);
        }
    }
    if constexpr (has_taylor_expansions<K>) {
        if (taylor_m2l(task)) {
            return;
        }
    }
    lane_m2l(task, n);
}

template <class K>
void M2LTask<K>::cuda(const M2LTask& task) {
    const int n = K::n_coefficients(task.args.order);
    if (task.args.n_slots == 0) { // of separate targets; the matrix form looks at a first slot
        return clear_locals(task, n);
    }
    if constexpr (has_solid_m2l<K>) {
        solid_or_wave_m2l(task, n);
    } else {
        generic_m2l(task, n);
    }
}

} // namespace starfmm

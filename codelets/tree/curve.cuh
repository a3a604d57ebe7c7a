// SPDX-License-Identifier: BSD-3-Clause
// The CUDA side of curve: few places are ranked as a pyramid's coordinates are, many by a radix
// sort, as bins between samples hold very unequal numbers of them where points are dense.
#pragma once

#include "codelets/cuda/cuda_check.cuh"
#include "codelets/tree/curve.hpp"
#include "codelets/tree/sort/rank.cuh"

namespace starfmm {

inline constexpr int curve_threads = 256;

/// Finds the points' places in the user's order.
template <int D>
__global__ void __launch_bounds__(curve_threads)
    curve_codes_kernel(const __grid_constant__ CurveTask<D> task, DeepCode* codes) {
    const std::size_t i = thread_index();
    if (i < task.n) {
        codes[i] = task.code_of(i);
        task.permutation[i] = static_cast<std::uint32_t>(i);
    }
}

template <int D>
__global__ void __launch_bounds__(curve_threads)
    curve_points_kernel(const __grid_constant__ CurveTask<D> task) {
    const std::size_t i = thread_index();
    if (i < task.n) {
        const std::uint32_t index = task.index_of(task.permutation[i]);
        task.permutation[i] = index;
        task.set_position(i, index);
    }
}

template <int D>
void CurveTask<D>::cuda(const CurveTask& task) {
    static_assert(curve_scratch_bytes(1 << 20) >= rank_scratch_bytes(1 << 20));
    const unsigned blocks = n_blocks(task.n, curve_threads);
    const bool by_radix = task.n >= radix_points;
    auto* unsorted = reinterpret_cast<DeepCode*>(task.positions.x[0]); // whose turn comes last
    auto* codes = by_radix ? task.codes : unsorted;
    curve_codes_kernel<<<blocks, curve_threads, 0, cuda_stream()>>>(task, codes);
    check_cuda(cudaGetLastError(), "launch of curve_codes_kernel");
    if (by_radix) {
        auto* bits = reinterpret_cast<RankBits*>(codes);
        radix_sort(bits, task.permutation, task.n, task.scratch);
    } else {
        rank_keys<DeepCode>({task.codes, task.permutation, task.scratch, codes, task.n});
    }
    curve_points_kernel<<<blocks, curve_threads, 0, cuda_stream()>>>(task);
    check_cuda(cudaGetLastError(), "launch of curve_points_kernel");
}

} // namespace starfmm

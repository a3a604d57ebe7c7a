// SPDX-License-Identifier: BSD-3-Clause
// The CUDA side of curve: few places are ranked as a pyramid's coordinates are, many by a radix
// sort, as bins between samples hold very unequal numbers of them where points are dense.
#pragma once

#include "codelets/cuda/index_kernel.cuh"
#include "codelets/tree/curve.hpp"
#include "codelets/tree/sort/rank.cuh"

namespace starfmm {

/// Finds the place of a point in the user's order.
template <int D>
__device__ void set_curve_code(const CurveTask<D>& task, DeepCode* codes, std::size_t i) {
    codes[i] = task.code_of(i);
    task.permutation[i] = static_cast<std::uint32_t>(i);
}

template <int D>
__device__ void set_curve_point(const CurveTask<D>& task, std::size_t i) {
    const std::uint32_t index = task.index_of(task.permutation[i]);
    task.permutation[i] = index;
    task.set_position(i, index);
}

template <int D>
void CurveTask<D>::cuda(const CurveTask& task) {
    static_assert(curve_scratch_bytes(1 << 20) >= rank_scratch_bytes(1 << 20));
    const bool by_radix = task.n >= radix_points;
    auto* unsorted = reinterpret_cast<DeepCode*>(task.positions.x[0]); // whose turn comes last
    auto* codes = by_radix ? task.codes : unsorted;
    launch_for_each<set_curve_code<D>>(task.n, task, codes);
    if (by_radix) {
        auto* bits = reinterpret_cast<RankBits*>(codes);
        radix_sort(bits, task.permutation, task.n, task.scratch);
    } else {
        rank_keys<DeepCode>({task.codes, task.permutation, task.scratch, codes, task.n});
    }
    launch_for_each<set_curve_point<D>>(task.n, task);
}

} // namespace starfmm

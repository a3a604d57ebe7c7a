// SPDX-License-Identifier: BSD-3-Clause
// CUDA side of the direct sum.
#pragma once

#include "codelets/direct.hpp"
#include "codelets/p2p.cuh"

namespace starfmm {

/// Eight warps hold the same 128 targets, four a lane, and meet different sources: blocks enough to
/// fill the GPU from some 10^4 targets on.
inline constexpr int direct_threads = 256;
inline constexpr int direct_tile = 4;
inline constexpr int direct_targets = direct_tile * warp_lanes;

/// The sum over warps of `value`, in the first warp.
template <class Value>
__device__ Value sum_warps(const Value& value, Value (&shared)[direct_threads]) {
    __syncthreads();
    shared[threadIdx.x] = value;
    __syncthreads();
    Value sum{};
    for (int i = threadIdx.x % warp_lanes; i < direct_threads; i += warp_lanes) {
        sum += shared[i];
    }
    return sum;
}

/// All sources, through shared memory, to the lane's targets; each warp adds an eighth of them.
template <class K>
__device__ void direct_sources(
    const DirectTask<K>& task,
    P2PBuffer<K>& buffer,
    const Complex<typename K::Real> (&z)[direct_tile],
    typename K::template Value<typename K::Real> (&sum)[direct_tile]
) {
    static_assert(p2p_buffer == direct_threads);
    for (std::size_t begin = 0; begin < task.n_sources; begin += p2p_buffer) {
        const std::size_t rest = task.n_sources - begin;
        const int n = rest < p2p_buffer ? static_cast<int>(rest) : p2p_buffer;
        const int i = threadIdx.x;
        __syncthreads();
        if (i < n) {
            buffer.store(i, task.sources[begin + i], task.strengths[begin + i]);
        }
        __syncthreads();
        const int warp = i / warp_lanes;
        const int3 range = make_int3(warp, n, direct_threads / warp_lanes);
        add_pairs<K, direct_tile>(z, buffer.points(), buffer.strengths(), range, sum);
    }
}

template <class K>
__global__ void __launch_bounds__(direct_threads)
    direct_kernel(const __grid_constant__ DirectTask<K> task) {
    using Real = typename K::Real;
    using Value = typename K::template Value<Real>;
    __shared__ P2PBuffer<K> buffer;
    __shared__ Value values[direct_threads];
    const std::size_t first = std::size_t(blockIdx.x) * direct_targets + threadIdx.x % warp_lanes;
    Complex<Real> z[direct_tile];
    Value sum[direct_tile];
#pragma unroll
    for (int t = 0; t < direct_tile; ++t) {
        const std::size_t i = first + t * warp_lanes;
        z[t] = task.targets[i < task.n_targets ? i : task.n_targets - 1];
        sum[t] = Value{};
    }
    direct_sources(task, buffer, z, sum);
#pragma unroll
    for (int t = 0; t < direct_tile; ++t) {
        const std::size_t i = first + t * warp_lanes;
        const Value total = sum_warps(sum[t], values);
        if (threadIdx.x < warp_lanes && i < task.n_targets) {
            task.values.add(i, total);
        }
    }
}

template <class K>
void direct_cuda(void* buffers[], void* args) {
    const auto task = DirectTask<K>::unpack(buffers, args);
    if (task.n_targets == 0) {
        return;
    }
    const unsigned blocks = n_blocks(task.n_targets, direct_targets);
    direct_kernel<K><<<blocks, direct_threads, 0, cuda_stream()>>>(task);
    check_cuda(cudaGetLastError(), "launch of direct_kernel");
}

} // namespace starfmm

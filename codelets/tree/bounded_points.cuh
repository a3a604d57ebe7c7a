// SPDX-License-Identifier: BSD-3-Clause
// The CUDA side of what domain and extent have in common.
#pragma once

#include "codelets/cuda/cuda_check.cuh"
#include "codelets/tree/bounded_points.hpp"

#include <cub/block/block_reduce.cuh>

namespace starfmm {

/// The threads of a block: each of 132 multiprocessors has two blocks, all at once.
inline constexpr int domain_threads = 512;
static_assert(domain_threads >= domain_blocks);

template <int D>
struct UnitedBounds {
    __device__ Bounds<double, D>
    operator()(const Bounds<double, D>& a, const Bounds<double, D>& b) const {
        Bounds<double, D> both = a;
        for (int d = 0; d < D; ++d) { // either may be of no points
            both.min[d] = b.min[d] < a.min[d] ? b.min[d] : a.min[d];
            both.max[d] = b.max[d] > a.max[d] ? b.max[d] : a.max[d];
        }
        return both;
    }
};

/// Finds the bounds of each block's points, or, with `finish`, those of all blocks by one block.
template <int D, class Task>
__global__ void __launch_bounds__(domain_threads)
    point_bounds_kernel(const __grid_constant__ Task task, bool finish) {
    using Reduce = cub::BlockReduce<Bounds<double, D>, domain_threads>;
    __shared__ typename Reduce::TempStorage storage;
    Bounds<double, D> own = Bounds<double, D>::nothing();
    if (!finish) {
        own = task.points.bounds(thread_index(), std::size_t(gridDim.x) * blockDim.x);
    } else if (threadIdx.x < domain_blocks) {
        own = task.scratch[threadIdx.x];
    }
    const Bounds<double, D> all = Reduce(storage).Reduce(own, UnitedBounds<D>());
    if (threadIdx.x == 0 && finish) {
        task.finish(all);
    } else if (threadIdx.x == 0) {
        task.scratch[blockIdx.x] = all;
    }
}

template <class Backend, int D, class Task>
void find_bounds(const Task& task) {
    for (const bool finish : {false, true}) {
        const unsigned n_blocks = finish ? 1 : domain_blocks;
        point_bounds_kernel<D><<<n_blocks, domain_threads, 0, cuda_stream()>>>(task, finish);
        check_cuda(cudaGetLastError(), "launch of point_bounds_kernel");
    }
}

} // namespace starfmm

// SPDX-License-Identifier: BSD-3-Clause
// CUDA side of domain.
#pragma once

#include "codelets/cuda/cuda_check.cuh"
#include "codelets/tree/domain.hpp"

#include <cub/block/block_reduce.cuh>

namespace starfmm {

inline constexpr int domain_threads = 256;
static_assert(domain_threads >= domain_blocks);

struct UnitedBounds {
    __device__ Bounds<double> operator()(const Bounds<double>& a, const Bounds<double>& b) const {
        Bounds<double> both = a;
        for (int d = 0; d < 2; ++d) { // either may be of no points
            both.min[d] = b.min[d] < a.min[d] ? b.min[d] : a.min[d];
            both.max[d] = b.max[d] > a.max[d] ? b.max[d] : a.max[d];
        }
        return both;
    }
};

/// Bounds of a block's points; of the blocks, if there is one, which is the last to run.
template <class Task>
__global__ void __launch_bounds__(domain_threads)
    domain_kernel(const __grid_constant__ Task task, bool finish) {
    using Reduce = cub::BlockReduce<Bounds<double>, domain_threads>;
    __shared__ typename Reduce::TempStorage storage;
    Bounds<double> own = Bounds<double>::nothing();
    if (!finish) {
        own = task.bounds(thread_index(), std::size_t(gridDim.x) * blockDim.x);
    } else if (threadIdx.x < domain_blocks) {
        own = task.scratch[threadIdx.x];
    }
    const Bounds<double> all = Reduce(storage).Reduce(own, UnitedBounds());
    if (threadIdx.x == 0 && finish) {
        task.set_domain(all);
    } else if (threadIdx.x == 0) {
        task.scratch[blockIdx.x] = all;
    }
}

inline void domain_cuda(const DomainTask& task) {
    domain_kernel<<<domain_blocks, domain_threads, 0, cuda_stream()>>>(task, false);
    check_cuda(cudaGetLastError(), "launch of domain_kernel");
    domain_kernel<<<1, domain_threads, 0, cuda_stream()>>>(task, true);
    check_cuda(cudaGetLastError(), "launch of domain_kernel");
}

} // namespace starfmm

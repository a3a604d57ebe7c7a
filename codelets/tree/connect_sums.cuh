// SPDX-License-Identifier: BSD-3-Clause
// The CUDA side of connect: the sums that the blocks of its grid tell each other.
#pragma once

#include "codelets/cuda/cuda_check.cuh"
#include "codelets/tree/connect.hpp"

#include <cooperative_groups.h>

#include <cstddef>
#include <cstdint>

namespace starfmm {

inline constexpr int connect_threads = 256;
inline constexpr unsigned connect_warps = connect_threads / warp_lanes; // one sum a lane

using ConnectSum = unsigned long long; // what atomicAdd takes

/// The sums that the warps of a block tell each other of one step.
struct ConnectBlock {
    ConnectSum warp[4][connect_warps]; ///< entries of a warp's rows
    ConnectSum before[4];              ///< entries of the blocks before
    ConnectSum total[4];               ///< entries of all blocks
    std::uint64_t pairs[3];            ///< pairs of P2P, P2L, M2P

    /// Clears the pairs; is to be called by all threads, before the first add_pairs().
    __device__ void clear_pairs() {
        if (threadIdx.x < 3) {
            pairs[threadIdx.x] = 0;
        }
    }

    /// Adds what the lanes of a warp counted.
    __device__ void add_pairs(const ListCounts& counts) {
        add_lanes(pairs[0], counts.p2p_pairs);
        add_lanes(pairs[1], counts.p2l_pairs);
        add_lanes(pairs[2], counts.m2p_pairs);
    }

    /// Adds what the block counted to the task's counts; is to be called by one thread.
    __device__ void put_pairs(ListCounts& out) const {
        std::uint64_t* totals[] = {&out.p2p_pairs, &out.p2l_pairs, &out.m2p_pairs};
        for (int i = 0; i < 3; ++i) {
            atomicAdd(reinterpret_cast<ConnectSum*>(totals[i]), pairs[i]);
        }
    }
};

/// Adds up the counts of warps and of blocks.
/// \param sums  [n_lists][most_connect_blocks], the grid's
template <int n_lists>
__device__ void sum_counts(ConnectSum* sums, ConnectBlock& block) {
    const unsigned lane = threadIdx.x % warp_lanes;
    const unsigned list = threadIdx.x / warp_lanes;
    __syncthreads();
    if (list < n_lists) {
        const ConnectSum mine =
            sum_lanes<warp_lanes>(lane < connect_warps ? block.warp[list][lane] : ConnectSum(0));
        if (lane == 0) {
            sums[list * most_connect_blocks + blockIdx.x] = mine;
        }
    }
    cooperative_groups::this_grid().sync();
    if (list < n_lists) {
        ConnectSum before = 0;
        ConnectSum total = 0;
        for (unsigned b = lane; b < gridDim.x; b += warp_lanes) {
            const ConnectSum sum = sums[list * most_connect_blocks + b];
            before += b < blockIdx.x ? sum : 0;
            total += sum;
        }
        block.before[list] = sum_lanes<warp_lanes>(before);
        block.total[list] = sum_lanes<warp_lanes>(total);
    }
    __syncthreads();
}

} // namespace starfmm

// SPDX-License-Identifier: BSD-3-Clause
// The CUDA side of connect on an orthtree: threads that find the entries of a row together. A team
// is a warp, which leaves a row to others when it takes long, or a block.
#pragma once

#include "codelets/tree/connect_sums.cuh"

#include <cub/block/block_scan.cuh>

#include <cstdint>

namespace starfmm {

using RowScan = cub::BlockScan<ConnectSum, connect_threads>;

/// The place where each thread's part of a team's begins, and how much all have.
struct TeamPlace {
    unsigned before;
    unsigned all;
};

class RowWarp {
public:
    static constexpr unsigned size = warp_lanes;

    /// Makes a warp's team.
    /// \param most_rounds  rounds that a row may take, each of an entry a lane
    __device__ explicit RowWarp(unsigned most_rounds) : rest_(most_rounds) {}

    __device__ static unsigned rank() { return threadIdx.x % warp_lanes; }

    /// Returns the number of the team among the teams of a block.
    __device__ static unsigned number() { return threadIdx.x / warp_lanes; }

    __device__ static void sync() { __syncwarp(); }

    /// Whether the team goes on for so many rounds, or leaves the row to others.
    __device__ bool takes(unsigned rounds) {
        gave_up_ = gave_up_ || rounds > rest_;
        rest_ -= gave_up_ ? 0 : rounds;
        return !gave_up_;
    }

    [[nodiscard]] __device__ bool gave_up() const { return gave_up_; }

    /// Returns the place of a thread among those that are marked.
    [[nodiscard]] __device__ static TeamPlace place(bool marked) {
        const unsigned mask = __ballot_sync(0xffffffffU, marked);
        return {
            static_cast<unsigned>(__popc(mask & ((1U << rank()) - 1))),
            static_cast<unsigned>(__popc(mask))};
    }

    [[nodiscard]] __device__ static TeamPlace place(unsigned n) {
        unsigned end = n;
        for (unsigned offset = 1; offset < warp_lanes; offset *= 2) {
            const unsigned before = __shfl_up_sync(0xffffffffU, end, offset);
            end += rank() < offset ? 0 : before;
        }
        return {end - n, from_lane(end, warp_lanes - 1)};
    }

private:
    unsigned rest_;
    bool gave_up_ = false;
};

class RowBlock {
public:
    static constexpr unsigned size = connect_threads;

    __device__ explicit RowBlock(typename RowScan::TempStorage& room) : room_(room) {}

    __device__ static unsigned rank() { return threadIdx.x; }

    __device__ static unsigned number() { return 0; }

    __device__ static void sync() { __syncthreads(); }

    __device__ static bool takes(unsigned /*rounds*/) { return true; }

    [[nodiscard]] __device__ TeamPlace place(bool marked) const { return place(marked ? 1U : 0U); }

    [[nodiscard]] __device__ TeamPlace place(unsigned n) const {
        ConnectSum before = 0;
        ConnectSum all = 0;
        RowScan(room_).ExclusiveSum(n, before, all);
        __syncthreads(); // the storage serves the next one
        return {static_cast<unsigned>(before), static_cast<unsigned>(all)};
    }

private:
    typename RowScan::TempStorage& room_;
};

} // namespace starfmm

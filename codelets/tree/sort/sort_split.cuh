// SPDX-License-Identifier: BSD-3-Clause
// The CUDA side of sort: binary splits of the nodes of a tree by teams of warps, in
// global memory.
//
// A team takes a node, each of its warps a part of the list that the split reorders: the warp
// counts its entries below the plane, learns how many the team's warps before it have, and puts its
// entries into place. Teams are several blocks while there are fewer nodes than blocks, then one.
#pragma once

#include "codelets/cuda/cooperative.cuh"
#include "codelets/tree/sort/sort_rows.cuh"

#include <cooperative_groups.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace starfmm {

/// The buffers that hold the lists of a node. Splits take turns between buffer 1 and a second one,
/// which is the same where splits are in place.
struct ListPlace {
    std::uint8_t x_buffer = 0; ///< buffer of the list by x; 0: the list that came in
    std::uint8_t y_buffer = 0;
    std::uint8_t direction = 0; ///< direction of the node's split

    __device__ ListPlace child(std::uint8_t second) const {
        return {
            direction == 1 ? next(x_buffer, second) : x_buffer,
            direction == 0 ? next(y_buffer, second) : y_buffer,
            0};
    }

    /// Returns the buffer that the split moves entries to.
    __device__ std::uint8_t target(std::uint8_t second) const {
        return next(direction == 1 ? x_buffer : y_buffer, second);
    }

private:
    __device__ static std::uint8_t next(std::uint8_t buffer, std::uint8_t second) {
        return buffer == 1 ? second : std::uint8_t(1);
    }
};

/// The data that the kernels of sort share.
struct DeviceSplitter {
    SplitTree tree;
    std::uint64_t n;
    std::uint32_t* lists;  ///< [3 buffers][2 directions][n], the first buffer with what came in
    const RankPair* pairs; ///< pairs of ranks, as RankedPoints has them
    const double* sorted[2];
    SplitPlane* planes; ///< planes, by plane_index, as are places
    ListPlace* places;
    std::uint32_t* block_sums; ///< [most_split_blocks]
    std::uint8_t second_buffer = 2;

    STARFMM_HOST_DEVICE std::uint32_t* list(int buffer, int direction) const {
        return lists + (2 * buffer + direction) * n;
    }

    __device__ ListPlace place(int depth, std::uint64_t node) const {
        return depth == 0 ? ListPlace{}
                          : places[plane_index(depth - 1, node / 2)].child(second_buffer);
    }

    __device__ SplitDepth at(int depth, const ListPlace& place) const {
        return {tree, depth, {list(place.x_buffer, 0), list(place.y_buffer, 1)}, points()};
    }

    __device__ RankedPoints points() const {
        return {{list(0, 0), list(0, 1)}, pairs, {sorted[0], sorted[1]}};
    }

    /// Returns the plane of a node.
    /// \param place  place of the node's lists; on return with the direction
    __device__ SplitPlane choose_plane(int depth, std::uint64_t node, ListPlace& place) const {
        const SplitPlane* parent = depth == 0 ? nullptr : planes + plane_index(depth - 1, node / 2);
        const SplitPlane plane = at(depth, place).choose_plane(node, parent);
        place.direction = static_cast<std::uint8_t>(plane.direction);
        return plane;
    }
};

inline constexpr int split_threads = 1024;
inline constexpr unsigned split_warps = split_threads / warp_lanes; // one sum a lane
inline constexpr unsigned most_split_blocks = 256;
using SplitRows = WarpRows<16>; // as many as registers hold

/// The blocks that split a node together, this one among them.
struct BlockTeam {
    unsigned first;
    unsigned size;

    __device__ TeamMember member() const {
        return {(blockIdx.x - first) * split_warps + threadIdx.x / warp_lanes, size * split_warps};
    }
};

/// A warp's part [begin, end) of the list that a split reorders.
struct ListPart {
    const std::uint32_t* list;
    std::uint32_t begin;
    std::uint32_t end;
    std::uint32_t* kept; ///< shared memory for the first entries, which saves reading them twice
    std::uint32_t room;  ///< room of `kept`, in entries

    __device__ std::uint32_t count_below(const NodeSplit& split) const {
        SplitRows rows;
        std::uint32_t n = 0;
        for (std::uint32_t i = begin; i < end; i += SplitRows::capacity) {
            rows.load(list + i, end - i);
            n += rows.count_below(split);
            if (i - begin < room) {
                rows.copy(kept + (i - begin), end - i);
            }
        }
        return n;
    }

    /// Puts the part.
    /// \param n_below  number of entries of the node below the plane that precede this part
    __device__ void store(std::uint32_t* out, const NodeSplit& split, std::uint32_t n_below) const {
        SplitRows rows;
        for (std::uint32_t i = begin; i < end; i += SplitRows::capacity) {
            rows.load(i - begin < room ? kept + (i - begin) : list + i, end - i);
            n_below = rows.store(out, i, end, split, n_below);
        }
    }
};

/// Returns the sum of `mine` over the team's warps before this one.
__device__ inline std::uint32_t
sum_before(std::uint32_t mine, const BlockTeam& team, std::uint32_t* block_sums) {
    __shared__ std::uint32_t warp_sums[split_warps];
    const unsigned warp = threadIdx.x / warp_lanes;
    const unsigned lane = threadIdx.x % warp_lanes;
    warp_sums[warp] = mine;
    __syncthreads();
    if (team.size > 1) {
        const std::uint32_t sum = sum_lanes<warp_lanes>(lane < split_warps ? warp_sums[lane] : 0);
        if (threadIdx.x == 0) {
            block_sums[blockIdx.x] = sum;
        }
        cooperative_groups::this_grid().sync();
    }
    std::uint32_t before = lane < warp ? warp_sums[lane] : 0;
    for (unsigned block = team.first + lane; block < blockIdx.x; block += warp_lanes) {
        before += block_sums[block];
    }
    return sum_lanes<warp_lanes>(before);
}

/// Splits a node of a depth.
/// \param room  room for entries of each warp in dynamic shared memory
__device__ inline void split_node(
    const DeviceSplitter& splitter,
    int depth,
    std::uint64_t node,
    const BlockTeam& team,
    std::uint32_t room
) {
    extern __shared__ std::uint32_t kept[];
    ListPlace place = splitter.place(depth, node);
    const SplitPlane plane = splitter.choose_plane(depth, node, place);
    const SplitDepth level = splitter.at(depth, place);
    const NodeSplit split = level.split(node, place.direction);
    const TeamMember member = team.member();
    const std::uint32_t begin = member.begin(split, member.index);
    const ListPart part{
        place.direction == 0 ? level.lists[1] : level.lists[0],
        begin,
        level.moves_entries(place.direction) ? member.begin(split, member.index + 1) : begin,
        kept + threadIdx.x / warp_lanes * room,
        room};
    const std::uint32_t before = sum_before(part.count_below(split), team, splitter.block_sums);
    part.store(
        splitter.list(place.target(splitter.second_buffer), 1 - place.direction), split, before
    );
    if (blockIdx.x == team.first && threadIdx.x == 0) {
        splitter.planes[plane_index(depth, node)] = plane;
        splitter.places[plane_index(depth, node)] = place;
    }
}

/// Makes the first `depths` depths of splits, by a power of two blocks that run at once.
template <class Splitter>
__global__ void __launch_bounds__(split_threads)
    split_nodes_kernel(const __grid_constant__ Splitter splitter, int depths, std::uint32_t room) {
    for (int depth = 0; depth < depths; ++depth) {
        const unsigned team = gridDim.x >> depth;
        if (team > 0) { // also where siblings, which planes depend on, are other blocks' for once
            split_node(splitter, depth, blockIdx.x / team, {blockIdx.x / team * team, team}, room);
            cooperative_groups::this_grid().sync();
            continue;
        }
        const std::uint64_t n_nodes = (std::uint64_t(1) << depth) / gridDim.x;
        for (std::uint64_t i = 0; i < n_nodes; ++i) {
            split_node(splitter, depth, n_nodes * blockIdx.x + i, {blockIdx.x, 1}, room);
            __syncthreads();
        }
    }
}

/// Splits in place, in the device's shared memory, as long as the lists fit: two buffers fewer have
/// to be kept in the second cache.
template <class Splitter>
void split_nodes(Splitter& splitter, int depths) {
    if (depths == 0) {
        return;
    }
    const std::size_t unit = split_warps * SplitRows::capacity * sizeof(std::uint32_t);
    const std::size_t units = block_shared_bytes() / unit;
    const std::uint32_t room = SplitRows::capacity * static_cast<std::uint32_t>(units);
    allow_shared_bytes(split_nodes_kernel<Splitter>, units * unit);
    const unsigned resident =
        resident_blocks(split_nodes_kernel<Splitter>, split_threads, units * unit);
    const unsigned blocks = std::bit_floor(std::min(resident, most_split_blocks));
    const bool by_grid = std::uint64_t(1) << depths <= blocks; // all read before any writes
    const bool fits = splitter.n < std::size_t(blocks) * split_warps * room;
    splitter.second_buffer = by_grid && fits ? 1 : 2;
    launch_cooperative(
        split_nodes_kernel<Splitter>,
        "launch of split_nodes_kernel",
        {blocks, split_threads, units * unit},
        splitter,
        depths,
        room
    );
}

} // namespace starfmm

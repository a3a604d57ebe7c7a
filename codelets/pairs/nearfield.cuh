// SPDX-License-Identifier: BSD-3-Clause
// The CUDA side of the near field, in two implementations between which the runtime chooses [SL13]:
//
//   BPB       one box per block: each box sums what it gets from its stencil
//   improved  Newton's third law: each box meets itself and its neighbours of larger code, every
//             pair is evaluated once and added to both its points
//
// Boxes of up to 64 points get a part of a warp instead of a block, so that no lanes idle. The
// sources of all boxes that a box meets form one sequence, which is cut into chunks regardless of
// boxes.
#pragma once

#include "codelets/cuda/cuda_check.cuh"
#include "codelets/pairs/nearfield_tile.cuh"

#include <cstddef>
#include <cstdint>

namespace starfmm {

enum class Directions { one, both };

/// The arrays that a group of lanes keeps in shared memory.
template <class L, int width>
struct LaneGroupMemory {
    SourceChunk<L, width> chunk;
    std::uint32_t begin[n_stencil<L::dimension>]; ///< sources that the targets meet, box by box
    std::uint32_t count[n_stencil<L::dimension>];
    /// The shift of each box, where positions are given as seen from boxes.
    std::array<typename L::Real, L::dimension>
        shift[is_seen_from_box<typename L::Real> ? n_stencil<L::dimension> : 1];
};

/// The place of a lane in the sources of a list, of which every `width`-th is its own.
template <class L, int width>
class SourceCursor {
public:
    __device__ explicit SourceCursor(const LaneGroupMemory<L, width>& list)
        : list_(list), skip_(threadIdx.x % width) {}

    /// Whether there is a source left; if so, `index()` is it.
    __device__ bool next() {
        while (box_ < n_stencil<L::dimension> && skip_ >= list_.count[box_]) {
            skip_ -= list_.count[box_++];
        }
        if (box_ == n_stencil<L::dimension>) {
            return false;
        }
        index_ = list_.begin[box_] + skip_;
        skip_ += width;
        if constexpr (is_seen_from_box<typename L::Real>) {
            shift_ = list_.shift[box_];
        }
        return true;
    }

    /// Returns the source as seen from where the targets are.
    __device__ Body<L> body(const NearfieldGroup<L>& sources) const {
        Body<L> body = load_body(sources, index_);
        if constexpr (is_seen_from_box<typename L::Real>) {
            for (int d = 0; d < L::dimension; ++d) {
                body.x[d] += shift_[d];
            }
        }
        return body;
    }

    [[nodiscard]] __device__ std::uint32_t index() const { return index_; }

private:
    const LaneGroupMemory<L, width>& list_;
    std::uint32_t skip_;
    std::uint32_t index_ = 0;
    int box_ = 0;
    std::array<typename L::Real, L::dimension> shift_{};
};

/// One launch: targets of one group, sources of the same group or of another.
template <class L>
struct NearfieldLaunch {
    NearfieldGroup<L> targets;
    NearfieldGroup<L> sources;
    int height;
    double box_side;
    bool within; ///< whether both are one group
};

/// The targets [begin, end) of a box, at most a tile's, and the end of the box.
struct TileRange {
    ZCode box;
    std::uint32_t begin;
    std::uint32_t end;
    std::uint32_t box_end;
};

/// Lists the sources that a tile meets besides its own points. \returns their number
template <class L, int width, Directions directions>
__device__ std::uint32_t list_sources(
    const NearfieldLaunch<L>& launch, const TileRange& tile, LaneGroupMemory<L, width>& list
) {
    std::uint32_t total = 0;
    const bool larger_only = directions == Directions::both && launch.within;
    for (int k = threadIdx.x % width; k < n_stencil<L::dimension>; k += width) {
        const ZCode box = z_neighbour<L::dimension>(tile.box, launch.height, k);
        std::uint32_t begin = 0;
        std::uint32_t end = 0;
        if (launch.sources.boxes.holds(box) && tile.begin < tile.end) {
            begin = launch.sources.begin(box);
            end = launch.sources.end(box);
            if (larger_only && box <= tile.box) {
                begin = box == tile.box ? tile.end : end;
            }
        }
        list.begin[k] = begin;
        list.count[k] = end - begin;
        if constexpr (is_seen_from_box<typename L::Real>) {
            list.shift[k] = stencil_shift<L>(k, launch.box_side);
        }
        total += end - begin;
    }
    return sum_lanes<width>(total);
}

template <class L>
__device__ void
atomic_add(const NearfieldGroup<L>& group, std::uint32_t i, const PairValues<L>& values) {
    for (int c = 0; c < L::n_values; ++c) {
        atomicAdd(group.value(c, i), values[c]);
    }
}

/// Loads the lane's targets of a tile. Idle ones have no strength, and lie where one of the box's
/// points does, so that they meet no point at a distance that none of the box has.
template <class L, class Shape>
__device__ LaneBodies<L, Shape::n_tiles>
load_targets(const NearfieldGroup<L>& group, const TileRange& tile) {
    LaneBodies<L, Shape::n_tiles> targets{};
#pragma unroll
    for (int t = 0; t < Shape::n_tiles; ++t) {
        const std::uint32_t i = tile.begin + t * Shape::width + threadIdx.x % Shape::width;
        if (i < tile.end) {
            targets.bodies[t] = load_body(group, i);
        } else if (tile.begin < tile.end) {
            targets.bodies[t].x = group.position(tile.begin);
        }
    }
    return targets;
}

/// Lets the tile's targets meet the listed sources, a chunk at a time, with the next one on its way
/// meanwhile. All lanes of a warp take as many turns.
template <class L, class Shape, Directions directions>
__device__ void meet_sources(
    const NearfieldGroup<L>& sources,
    std::uint32_t n_sources,
    LaneBodies<L, Shape::n_tiles>& targets,
    LaneGroupMemory<L, Shape::width>& memory
) {
    constexpr int width = Shape::width;
    SourceCursor<L, width> cursor(memory);
    const Body<L> idle{targets.bodies[0].x, 0};
    bool is_source = cursor.next();
    Body<L> body = is_source ? cursor.body(sources) : idle;
    const std::uint32_t most = greatest_of_warp(n_sources);
    for (std::uint32_t met = 0; met < most; met += width) {
        const bool was_source = is_source;
        const std::uint32_t source = cursor.index();
        __syncwarp();
        memory.chunk.store(threadIdx.x % width, body);
        __syncwarp();
        is_source = cursor.next();
        body = is_source ? cursor.body(sources) : idle;
        if constexpr (directions == Directions::one) {
            meet_one_way(targets, memory.chunk);
        } else {
            const PairValues<L> reaction =
                meet_both_ways<L, width, Shape::n_tiles>(targets, memory.chunk);
            if (was_source) {
                atomic_add(sources, source, reacted<L>(reaction));
            }
        }
    }
}

/// Adds the lane's sums to its targets, which nobody else writes meanwhile in one direction.
template <class L, class Shape, Directions directions>
__device__ void add_sums(
    const NearfieldGroup<L>& group,
    const TileRange& tile,
    const LaneBodies<L, Shape::n_tiles>& targets
) {
#pragma unroll
    for (int t = 0; t < Shape::n_tiles; ++t) {
        const std::uint32_t i = tile.begin + t * Shape::width + threadIdx.x % Shape::width;
        if (i < tile.end && directions == Directions::both) {
            atomic_add(group, i, targets.sums[t]);
        } else if (i < tile.end) {
            for (int c = 0; c < L::n_values; ++c) {
                *group.value(c, i) += targets.sums[t][c];
            }
        }
    }
}

/// Sums for a box, its group's `index`-th; none beyond the last. Parts of a warp take a box each,
/// warps of a block take turns with the tiles of one box.
template <class L, class Shape, Directions directions>
__global__ void nearfield_kernel(const __grid_constant__ NearfieldLaunch<L> launch) {
    constexpr bool is_block = Shape::width == warp_lanes;
    extern __shared__ __align__(16) unsigned char memory_of_groups[];
    auto& memory = reinterpret_cast<LaneGroupMemory<L, Shape::width>*>(memory_of_groups
    )[threadIdx.x / Shape::width];
    const NearfieldGroup<L>& group = launch.targets;
    const std::uint32_t index =
        is_block ? blockIdx.x : static_cast<std::uint32_t>(thread_index() / Shape::width);
    const bool exists = index < group.boxes.n_boxes;
    const ZCode box = group.boxes.first + (exists ? index : 0);
    const std::uint32_t end = group.end(box);
    const std::uint32_t first = exists ? group.begin(box) : end;
    const std::uint32_t most = greatest_of_warp(end - first);
    const std::uint32_t turns = is_block ? blockDim.x / warp_lanes : 1;
    const std::uint32_t turn = is_block ? threadIdx.x / warp_lanes : 0;
    for (std::uint32_t at = turn * Shape::n_targets; at < most; at += turns * Shape::n_targets) {
        const std::uint32_t begin = first + at < end ? first + at : end;
        const TileRange tile{
            box, begin, begin + Shape::n_targets < end ? begin + Shape::n_targets : end, end};
        auto targets = load_targets<L, Shape>(group, tile);
        __syncwarp();
        const std::uint32_t n_sources =
            list_sources<L, Shape::width, directions>(launch, tile, memory);
        if (directions == Directions::both && launch.within) {
            meet_each_other<L, Shape>(targets, memory.chunk);
        }
        __syncwarp();
        meet_sources<L, Shape, directions>(launch.sources, n_sources, targets, memory);
        add_sums<L, Shape, directions>(group, tile, targets);
    }
}

/// The warps of a block where parts of a warp take a box each: enough blocks fit a multiprocessor
/// for all its warps.
inline constexpr int nearfield_warps = 2;
inline constexpr int most_nearfield_warps = 8;

template <class L, Directions directions, class Shape>
void launch_nearfield(const NearfieldLaunch<L>& launch, int n_warps) {
    const std::size_t n_boxes = launch.targets.boxes.n_boxes;
    const int groups = n_warps * warp_lanes / Shape::width;
    const unsigned blocks = Shape::width == warp_lanes ? static_cast<unsigned>(n_boxes)
                                                       : starfmm::n_blocks(n_boxes, groups);
    const std::size_t shared = groups * sizeof(LaneGroupMemory<L, Shape::width>);
    nearfield_kernel<L, Shape, directions>
        <<<blocks, n_warps * warp_lanes, shared, cuda_stream()>>>(launch);
    check_cuda(cudaGetLastError(), "launch of nearfield_kernel");
}

/// Launches the kernel with the shape for boxes of `granularity` points.
template <class L, Directions directions>
void launch_nearfield(const NearfieldLaunch<L>& launch, int granularity) {
    if (granularity <= 8) {
        launch_nearfield<L, directions, NearfieldShape<8, 1>>(launch, nearfield_warps);
    } else if (granularity <= 16) {
        launch_nearfield<L, directions, NearfieldShape<8, 2>>(launch, nearfield_warps);
    } else if (granularity <= 32) {
        launch_nearfield<L, directions, NearfieldShape<8, 4>>(launch, nearfield_warps);
    } else if (granularity <= 64) {
        launch_nearfield<L, directions, NearfieldShape<16, 4>>(launch, nearfield_warps);
    } else {
        const int n_warps = (granularity + 127) / 128;
        launch_nearfield<L, directions, NearfieldShape<32, 4>>(
            launch, n_warps < most_nearfield_warps ? n_warps : most_nearfield_warps
        );
    }
}

template <class L>
void clear_values(const NearfieldTask<L>& task) {
    const std::size_t bytes = sizeof(typename L::Real) * L::n_values * task.own.n;
    if (task.is_within()) {
        check_cuda(cudaMemsetAsync(task.own.values, 0, bytes, cuda_stream()), "cudaMemsetAsync");
    }
}

/// Runs BPB [SL13 Sec III.B].
template <class L>
void nearfield_bpb_cuda(const NearfieldTask<L>& task) {
    const int height = task.args.tree.last;
    const double side = task.args.nearfield.box_side;
    clear_values(task);
    launch_nearfield<L, Directions::one>(
        {task.own, task.other, height, side, task.is_within()}, task.args.nearfield.granularity
    );
    if (!task.is_within()) {
        launch_nearfield<L, Directions::one>(
            {task.other, task.own, height, side, false}, task.args.nearfield.granularity
        );
    }
}

/// Runs improved BPB [SL13 Sec III.C]. Between groups all boxes of the other have larger codes.
template <class L>
void nearfield_improved_cuda(const NearfieldTask<L>& task) {
    clear_values(task);
    launch_nearfield<L, Directions::both>(
        {task.own, task.other, task.args.tree.last, task.args.nearfield.box_side, task.is_within()},
        task.args.nearfield.granularity
    );
}

} // namespace starfmm

// SPDX-License-Identifier: BSD-3-Clause
// CUDA side of P2P: a block, of one warp where there are leaves enough, takes up to 256 targets of
// one leaf; leaves of an orthtree that are near to far more leaves than others are get many warps.
#pragma once

#include "codelets/cuda/cooperative.cuh"
#include "codelets/pairs/p2p.hpp"
#include "codelets/pairs/p2p_mutual.cuh"
#include "codelets/pairs/pair_tile.cuh"
#include "codelets/pairs/target_chunk.cuh"

namespace starfmm {

/// What the warps of a block share a leaf's sources by.
enum class NearShare {
    sources, ///< of each near leaf
    leaves   ///< whole ones
};

/// Up to 32 of a leaf's near leaves, one a lane: of each the sources that are the warp's part.
template <class K, NearShare by>
class NearWindow {
public:
    static constexpr int D = dimension_of<K>;

    __device__ NearWindow(const P2PTask<K>& task, std::size_t leaf) : task_(task) {
        const ListView near = task.near_list();
        boxes_ = near.boxes;
        std::uint32_t first = near.offsets[leaf];
        last_ = near.offsets[leaf + 1];
        if constexpr (by == NearShare::leaves) {
            const std::uint32_t n = last_ - first;
            const unsigned n_warps = blockDim.x / warp_lanes;
            const unsigned warp = threadIdx.x / warp_lanes;
            last_ = first + n * (warp + 1) / n_warps;
            first += n * warp / n_warps;
        }
        look_up(first);
    }

    /// A sample: the first of each leaf.
    __device__ void show_sources(RoundingScout<K>& scout) const {
        if (n_ > 0) {
            scout.look_at(points(slot_), strengths(slot_), begin_);
        }
    }

protected:
    /// Lane l learns of entry `first` + l.
    __device__ void look_up(std::uint32_t first) {
        const unsigned lane = threadIdx.x % warp_lanes;
        first_ = first;
        n_ = 0;
        if (first + lane < last_) {
            const LeafSources leaf =
                leaf_sources<D>(task_.args, task_.source_leaves, boxes_[first + lane]);
            slot_ = leaf.slot;
            begin_ = static_cast<unsigned>(leaf.begin);
            n_ = static_cast<unsigned>(leaf.end - leaf.begin);
            if constexpr (by == NearShare::sources) {
                take_share();
            }
        }
    }

    [[nodiscard]] const __device__ PointView<D>& points(std::uint32_t slot) const {
        return task_.sources[slot];
    }

    [[nodiscard]] const __device__ StrengthView<K>& strengths(std::uint32_t slot) const {
        return task_.strengths[slot];
    }

    [[nodiscard]] __device__ bool has_one_slot() const { return task_.args.n_slots == 1; }

    std::uint32_t first_;
    std::uint32_t last_;     ///< of all entries of the leaf
    std::uint32_t slot_ = 0; ///< of the lane's entry, as the next two
    unsigned begin_ = 0;
    unsigned n_;

private:
    __device__ void take_share() {
        const unsigned warp = threadIdx.x / warp_lanes;
        const unsigned warps_shift = __ffs(blockDim.x / warp_lanes) - 1; // a power of two
        const unsigned before = n_ * warp >> warps_shift;
        begin_ += before;
        n_ = (n_ * (warp + 1) >> warps_shift) - before;
    }

    const P2PTask<K>& task_;
    const BoxReference* boxes_;
};

/// The sources of a leaf's near leaves, one leaf after the other, on their way to a ring.
template <class K, NearShare by>
class NearSources : public NearWindow<K, by> {
public:
    __device__ NearSources(const P2PTask<K>& task, std::size_t leaf)
        : NearWindow<K, by>(task, leaf), entry_(this->first_) {}

    [[nodiscard]] __device__ unsigned filled() const { return filled_; }

    __device__ void fill(unsigned wanted, SourceRing<K>& ring) {
        while (filled_ < wanted && entry_ < this->last_) {
            const int lane = static_cast<int>(entry_ - this->first_);
            const std::uint32_t slot = from_lane(this->slot_, lane);
            const unsigned begin = from_lane(this->begin_, lane) + done_;
            const unsigned rest = from_lane(this->n_, lane) - done_;
            const unsigned n = rest < piece_sources ? rest : piece_sources;
            ring.fetch_piece(filled_, this->points(slot), this->strengths(slot), begin, n);
            filled_ += n;
            done_ += n;
            if (n == rest) {
                next_entry();
            }
        }
    }

private:
    __device__ void next_entry() {
        done_ = 0;
        ++entry_;
        if (entry_ - this->first_ == warp_lanes) {
            this->look_up(entry_);
        }
    }

    std::uint32_t entry_;
    unsigned done_ = 0;   ///< sources of the entry
    unsigned filled_ = 0; ///< sources of all entries
};

/// The sources of a leaf's near leaves by their number, 32 leaves after the other.
template <class K, NearShare by>
class NumberedNearSources : public NearWindow<K, by> {
public:
    using NearWindow<K, by>::NearWindow;

    __device__ bool next() {
        if (is_counted_) {
            this->look_up(this->first_ + warp_lanes);
        }
        is_counted_ = true;
        count();
        return this->first_ < this->last_;
    }

    [[nodiscard]] __device__ unsigned size() const { return from_lane(end_, warp_lanes - 1); }

    [[nodiscard]] __device__ StreamSource<K> source(unsigned i, const double* targets) const {
        int entry = 0;
#pragma unroll
        for (int step = warp_lanes / 2; step > 0; step /= 2) {
            entry += from_lane(end_, entry + step - 1) <= i ? step : 0;
        }
        const unsigned at = i + from_lane(this->begin_ + this->n_ - end_, entry);
        const unsigned slot = this->has_one_slot() ? 0 : from_lane(this->slot_, entry);
        return StreamSource<K>::of(this->points(slot), this->strengths(slot), at, targets);
    }

private:
    /// Of the lanes' sources, one lane after the other.
    __device__ void count() {
        end_ = this->n_;
        for (int offset = 1; offset < warp_lanes; offset *= 2) {
            const unsigned before = __shfl_up_sync(0xffffffffU, end_, offset);
            end_ += threadIdx.x % warp_lanes >= offset ? before : 0;
        }
    }

    bool is_counted_ = false;
    unsigned end_ = 0; ///< sources of the entries up to the lane's
};

/// As pairs of a kernel take them.
template <class K, NearShare by>
using NearStream = std::conditional_t<
    has_mixed_pairs<K> || gathers_sources<K>,
    NumberedNearSources<K, by>,
    NearSources<K, by>>;

/// Warps that a multiprocessor holds at once: 96 registers each, without spills. 16 and 24 of them
/// are slower. Sums of several columns and of gradients of space take 128 registers, as do mixed
/// ones; of gathered sources 80.
template <class K>
inline constexpr unsigned p2p_resident_warps =
    gathers_sources<K>                                 ? 24
    : n_value_components<K> >= 4 || has_mixed_pairs<K> ? 16
                                                       : 20;

/// The sums of a chunk, by all warps of a block, in as few tiles as hold it.
template <class K, NearShare by>
__device__ void add_near(const P2PTask<K>& task, const TargetChunk& chunk) {
    const auto begin = static_cast<unsigned>(chunk.begin);
    const auto n = static_cast<unsigned>(chunk.end - chunk.begin);
    const unsigned n_tiles = (n + most_targets<K> - 1) / most_targets<K>;
    for (unsigned t = 0; t < n_tiles; ++t) {
        for_each_sum<K>(
            kernel_of<K>(task.args.kernel),
            {task.targets, begin + n * t / n_tiles, begin + n * (t + 1) / n_tiles},
            [&] { return NearStream<K, by>(task, chunk.leaf); },
            pair_rooms<K>(),
            [&](unsigned i, const auto& value) { task.near.set(i, value); }
        );
    }
}

/// Whether a leaf of an orthtree has so many near leaves that it is done apart: a large one beside
/// a dense crowd of small ones kept a warp busy for 10 ms where all others took 1.
__device__ inline bool is_long_row(const ListView& near, std::size_t leaf, std::size_t n_leaves) {
    const std::uint32_t mean = near.offsets[n_leaves] / static_cast<std::uint32_t>(n_leaves);
    return near.offsets[leaf + 1] - near.offsets[leaf] > 64 + 2 * mean;
}

/// Targets of a block: one chunk. Blocks of one warp leave as soon as they are done, whatever the
/// sizes of other leaves.
template <class K>
__global__ void
__launch_bounds__(most_chunk_warps* warp_lanes, p2p_resident_warps<K> / most_chunk_warps)
    p2p_kernel(const __grid_constant__ P2PTask<K> task) {
    const TargetChunk chunk =
        warp_target_chunk(task.target_offsets, n_leaves_of<dimension_of<K>>(task.args), blockIdx.x);
    if (chunk.begin == chunk.end) {
        return;
    }
    const std::size_t n_leaves = n_leaves_of<dimension_of<K>>(task.args);
    if (!task.args.has_orthtree() || !is_long_row(task.near_list(), chunk.leaf, n_leaves)) {
        add_near<K, NearShare::sources>(task, chunk);
    }
}

inline constexpr unsigned most_long_row_warps = 16;

/// The leaves that p2p_kernel leaves out. Neighbours in the list, which are long together, belong
/// to different blocks.
template <class K>
__global__ void __launch_bounds__(most_long_row_warps* warp_lanes, 1)
    p2p_long_rows_kernel(const __grid_constant__ P2PTask<K> task) {
    __shared__ unsigned n_found;
    __shared__ std::uint32_t found[most_long_row_warps * warp_lanes];
    const std::size_t n_leaves = n_leaves_of<dimension_of<K>>(task.args);
    const ListView near = task.near_list();
    const std::size_t at_once = std::size_t(gridDim.x) * blockDim.x;
    for (std::size_t first = 0; first < n_leaves; first += at_once) {
        if (threadIdx.x == 0) {
            n_found = 0;
        }
        __syncthreads();
        const std::size_t leaf = first + threadIdx.x * std::size_t(gridDim.x) + blockIdx.x;
        if (leaf < n_leaves && is_long_row(near, leaf, n_leaves)) {
            found[atomicAdd(&n_found, 1U)] = static_cast<std::uint32_t>(leaf);
        }
        __syncthreads();
        for (unsigned i = 0; i < n_found; ++i) {
            const std::uint32_t* targets = task.target_offsets + found[i];
            add_near<K, NearShare::leaves>(task, {found[i], targets[0], targets[1]});
        }
        __syncthreads();
    }
}

/// As many warps a block as have room.
template <class K>
void p2p_long_rows(const P2PTask<K>& task) {
    const auto kernel = p2p_long_rows_kernel<K>;
    unsigned warps = most_long_row_warps;
    while (warps > 1 && warps * sizeof(PairRoom<K>) > block_shared_bytes()) {
        warps /= 2;
    }
    const std::size_t shared_bytes = warps * sizeof(PairRoom<K>);
    allow_shared_bytes(kernel, shared_bytes);
    kernel<<<n_multiprocessors(), warps * warp_lanes, shared_bytes, cuda_stream()>>>(task);
    check_cuda(cudaGetLastError(), "launch of p2p_long_rows_kernel");
}

/// One warp a chunk where that gives the multiprocessors one and a half turns; otherwise more, as
/// long as each has about a quarter of the pairs of a leaf of 45.
template <class K>
unsigned p2p_warps(std::size_t n_chunks, std::size_t targets_a_leaf) {
    const std::size_t turn = std::size_t(p2p_resident_warps<K>) * n_multiprocessors();
    unsigned warps = 1;
    while (warps < most_chunk_warps && 2 * n_chunks * warps < 3 * turn &&
           targets_a_leaf >= 22 * warps) {
        warps *= 2;
    }
    return warps;
}

template <class K>
void p2p_one_way(const P2PTask<K>& task) {
    const std::size_t n_leaves = n_leaves_of<dimension_of<K>>(task.args);
    const std::size_t n_targets = n_points(task.targets);
    const auto blocks = static_cast<unsigned>(n_target_chunks(n_leaves, n_targets));
    const unsigned warps = p2p_warps<K>(blocks, n_targets / n_leaves);
    const std::size_t shared_bytes = warps * sizeof(PairRoom<K>);
    if constexpr (has_mixed_pairs<K>) {
        allow_shared_bytes(p2p_kernel<K>, shared_bytes); // more than any kernel may have
    }
    p2p_kernel<K><<<blocks, warps * warp_lanes, shared_bytes, cuda_stream()>>>(task);
    check_cuda(cudaGetLastError(), "launch of p2p_kernel");
}

/// Both ways where sources and targets are one set, with leaves enough to keep the multiprocessors
/// busy: 1024 leaves of 45 points take 0.034 ms one way, 0.033 to 0.045 both ways, 4096 take 0.097
/// and 0.085.
template <class K>
void p2p_cuda(const P2PTask<K>& task) {
    if constexpr (MutualKernel<K> && !has_mixed_pairs<K>) {
        // of leaves of one size only
        const bool one_set = task.targets.x[0] == task.sources[0].x[0] && !task.args.has_orthtree();
        if (one_set && pyramid_of<dimension_of<K>>(task.args).leaves() >=
                           p2p_resident_warps<K> * n_multiprocessors()) {
            return p2p_mutual(task);
        }
    }
    if (task.args.has_orthtree()) {
        p2p_long_rows(task);
    }
    p2p_one_way(task);
}

} // namespace starfmm

// SPDX-License-Identifier: BSD-3-Clause
// The CUDA side of P2P: the sources of a leaf's near leaves, and sums over them.
#pragma once

#include "codelets/cuda/warp_bits.cuh"
#include "codelets/pairs/p2p.hpp"
#include "codelets/pairs/pair_tile.cuh"
#include "codelets/pairs/target_chunk.cuh"

namespace starfmm {

/// The entries of a leaf's row in the near list: all, or a part of them.
struct NearEntries {
    std::uint32_t begin;
    std::uint32_t end;

    __device__ NearEntries(std::uint32_t begin, std::uint32_t end) : begin(begin), end(end) {}

    __device__ NearEntries(const ListView& near, std::size_t leaf)
        : NearEntries(near.offsets[leaf], near.offsets[leaf + 1]) {}
};

/// The units by which the warps of a block share a leaf's sources.
enum class NearShare {
    sources, ///< sources of each near leaf
    leaves   ///< whole leaves
};

/// Up to 32 of a leaf's near leaves, one a lane, with those sources of each that are the warp's
/// part.
template <class K, NearShare by>
class NearWindow {
public:
    static constexpr int D = dimension_of<K>;

    __device__ NearWindow(const P2PTask<K>& task, const NearEntries& entries)
        : last_(entries.end), task_(task), boxes_(task.near_list().boxes) {
        std::uint32_t first = entries.begin;
        if constexpr (by == NearShare::leaves) {
            const std::uint32_t n = last_ - first;
            const unsigned n_warps = blockDim.x / warp_lanes;
            const unsigned warp = threadIdx.x / warp_lanes;
            last_ = first + n * (warp + 1) / n_warps;
            first += n * warp / n_warps;
        }
        look_up(first);
    }

    /// Shows a sample of the sources: the first of each leaf.
    __device__ void show_sources(RoundingScout<K>& scout) const {
        if (n_ > 0) {
            scout.look_at(points(slot_), strengths(slot_), begin_);
        }
    }

protected:
    /// Has lane l learn of entry `first` + l.
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

    /// Returns where the first target is among a slot's sources.
    [[nodiscard]] __device__ std::int64_t self(std::uint32_t slot) const {
        return points(slot).x[0] == task_.targets.x[0] ? 0 : DirectArgs::nowhere;
    }

    [[nodiscard]] __device__ bool has_one_slot() const { return task_.args.n_slots == 1; }

    std::uint32_t first_;
    std::uint32_t last_;     ///< end of all entries
    std::uint32_t slot_ = 0; ///< slot of the lane's entry, as the next two
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
    __device__ NearSources(const P2PTask<K>& task, const NearEntries& entries)
        : NearWindow<K, by>(task, entries), entry_(this->first_) {}

    [[nodiscard]] __device__ unsigned filled() const { return filled_; }

    __device__ void fill(unsigned wanted, SourceRing<K>& ring) {
        while (filled_ < wanted && entry_ < this->last_) {
            const int lane = static_cast<int>(entry_ - this->first_);
            const std::uint32_t slot = from_lane(this->slot_, lane);
            const unsigned begin = from_lane(this->begin_, lane) + done_;
            const unsigned rest = from_lane(this->n_, lane) - done_;
            const unsigned n = rest < piece_sources ? rest : piece_sources;
            ring.fetch_piece(
                filled_, this->points(slot), this->strengths(slot), begin, n, this->self(slot)
            );
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
    unsigned done_ = 0;   ///< sources of the entry that are done
    unsigned filled_ = 0; ///< sources of all entries that are fetched
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

    /// Returns source `i`.
    /// \param i  ascends from lane to lane, by one or not at all
    [[nodiscard]] __device__ StreamSource<K> source(unsigned i) const {
        const unsigned first = from_lane(i, 0);
        const unsigned begins = end_ - this->n_ - first; // as seen from there, where not before it
        const bool begins_later = begins - 1 < warp_lanes - 1 && this->n_ > 0;
        const std::uint32_t later = bits_of_warp(begins_later ? 1U << begins : 0);
        const int before = __popc(__ballot_sync(0xffffffffU, begins_before(first)));
        const int entry = before - 1 + __popc(later & bits_up_to(i - first));
        const unsigned at = i + from_lane(this->begin_ + this->n_ - end_, entry);
        const unsigned slot = this->has_one_slot() ? 0 : from_lane(this->slot_, entry);
        return StreamSource<K>::of(this->points(slot), this->strengths(slot), at, this->self(slot));
    }

private:
    /// Whether the lane's entry has sources, the first of them up to `i`.
    [[nodiscard]] __device__ bool begins_before(unsigned i) const {
        return this->n_ > 0 && end_ - this->n_ <= i;
    }

    /// Counts the lanes' sources, one lane after the other.
    __device__ void count() {
        leave_out_empty();
        end_ = this->n_;
        for (int offset = 1; offset < warp_lanes; offset *= 2) {
            const unsigned before = __shfl_up_sync(0xffffffffU, end_, offset);
            end_ += threadIdx.x % warp_lanes >= offset ? before : 0;
        }
    }

    /// Moves entries that have sources to the first lanes.
    __device__ void leave_out_empty() {
        const std::uint32_t full = __ballot_sync(0xffffffffU, this->n_ > 0);
        if ((full & (full + 1)) == 0) {
            return;
        }
        const unsigned from = __fns(full, 0, static_cast<int>(threadIdx.x % warp_lanes) + 1);
        const int lane = static_cast<int>(from % warp_lanes);
        this->slot_ = from_lane(this->slot_, lane);
        this->begin_ = from_lane(this->begin_, lane);
        const unsigned n = from_lane(this->n_, lane);
        this->n_ = from < warp_lanes ? n : 0;
    }

    bool is_counted_ = false;
    unsigned end_ = 0; ///< sources of the entries up to the lane's
};

/// The stream of sources that pairs of a kernel take.
template <class K, NearShare by>
using NearStream = std::conditional_t<
    has_mixed_pairs<K> || gathers_sources<K>,
    NumberedNearSources<K, by>,
    NearSources<K, by>>;

/// Sums over entries of a leaf's row for a chunk of its targets, by all warps of a block, in as few
/// tiles as hold the chunk.
/// \param put  is called with (target, sum)
template <class K, NearShare by, class Put>
__device__ void add_near(
    const P2PTask<K>& task, const TargetChunk& chunk, const NearEntries& entries, const Put& put
) {
    const auto begin = static_cast<unsigned>(chunk.begin);
    const auto n = static_cast<unsigned>(chunk.end - chunk.begin);
    const unsigned n_tiles = (n + most_targets<K> - 1) / most_targets<K>;
    for (unsigned t = 0; t < n_tiles; ++t) {
        for_each_sum<K>(
            kernel_of<K>(task.args.kernel),
            {task.targets,
             begin + n * t / n_tiles,
             begin + n * (t + 1) / n_tiles,
             task.target_lengths},
            [&] { return NearStream<K, by>(task, entries); },
            pair_rooms<K>(),
            put
        );
    }
}

} // namespace starfmm

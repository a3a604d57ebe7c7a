// SPDX-License-Identifier: BSD-3-Clause
// The CUDA side of connect on an orthtree: a warp keeps the entries that it has found from the
// first pass over its rows to the second, which then only puts them where they belong.
//
// Warps take chunks of the scratch as they need them, and link them. Rows for which there is no
// room are visited again.
#pragma once

#include "codelets/tree/connect_team.cuh"

#include <cstddef>
#include <cstdint>

namespace starfmm {

/// An entry and its list in one word.
template <int n_lists>
struct KeptEntry;

/// An entry of the far (0) or open (1) list, whose kinds leave one value free.
template <>
struct KeptEntry<2> {
    static constexpr std::uint32_t is_far = 3U << 30U;

    __device__ static std::uint32_t word(int list, BoxReference reference) {
        return list == 0 ? reference | is_far : reference;
    }

    __device__ static int list(std::uint32_t word) { return word >= is_far ? 0 : 1; }

    __device__ static BoxReference reference(std::uint32_t word) {
        return word >= is_far ? word & ~is_far : word;
    }
};

/// An entry of a leaf, whose reference is no longer of any kind.
template <>
struct KeptEntry<3> {
    __device__ static std::uint32_t word(int list, BoxReference reference) {
        return reference | static_cast<std::uint32_t>(list) << 30U;
    }

    __device__ static int list(std::uint32_t word) { return static_cast<int>(word >> 30U); }

    __device__ static BoxReference reference(std::uint32_t word) {
        return word & ((1U << 30U) - 1);
    }
};

/// The entries that warps keep of the rows of one step.
class KeptRows {
public:
    static constexpr std::uint32_t none = ~0U;

    /// Takes the scratch.
    /// \param words  first a word a row, of `most_rows` at most, then chunks
    __device__ KeptRows(std::uint32_t* words, std::uint64_t n_words, std::uint64_t most_rows)
        : rows_(words), words_(words + most_rows) {
        const std::uint64_t room = n_words > most_rows ? n_words - most_rows : 0;
        const std::uint64_t n_warps = std::uint64_t(gridDim.x) * connect_warps;
        // several a warp, so that those of long rows find more
        const std::uint64_t fair = room / (4 * n_warps) / warp_lanes * warp_lanes;
        chunk_ = static_cast<unsigned>(max(min(fair, std::uint64_t(most)), std::uint64_t(least)));
        const std::uint64_t n = min(room, std::uint64_t(none)) / chunk_;
        n_chunks_ = static_cast<unsigned>(n);
    }

    /// Begins, where each warp has a chunk.
    /// \param n_taken  number of chunks taken besides; 0
    __device__ void begin(unsigned& n_taken) {
        n_taken_ = &n_taken;
        go_to(blockIdx.x * connect_warps + RowWarp::number());
    }

    /// Returns where the entries of the next row will begin; none if there is no room.
    [[nodiscard]] __device__ std::uint32_t place() const { return at_; }

    /// Adds the entries of marked lanes, in the order of the lanes.
    __device__ void add(bool marked, std::uint32_t word) {
        const TeamPlace among = RowWarp::place(marked);
        if (at_ == none) {
            return;
        }
        unsigned at = at_ + among.before;
        const bool crosses = at_ + among.all > end_;
        const unsigned next = crosses ? take() : 0;
        if (next == none) {
            at_ = none;
            return;
        }
        at += at >= end_ ? next - end_ : 0;
        if (marked) {
            words_[at] = word;
        }
        at_ += among.all + (crosses ? next - end_ : 0);
        end_ = crosses ? next + chunk_ - 1 : end_;
    }

    /// Puts where the entries of a row begin, or none; is to be called by the first lane.
    __device__ void put_place(std::size_t row, std::uint32_t place) const { rows_[row] = place; }

    [[nodiscard]] __device__ std::uint32_t place(std::size_t row) const { return rows_[row]; }

    /// Calls `use(word, exists)` with a word a lane, until there have been `n`.
    template <class Use>
    __device__ void read(std::uint32_t place, std::uint32_t n, const Use& use) const {
        unsigned begin = place;
        unsigned end = (place / chunk_ + 1) * chunk_ - 1;
        for (std::uint32_t first = 0; first < n; first += warp_lanes) {
            const unsigned here = min(n - first, warp_lanes);
            const unsigned next = begin + here > end ? words_[end] : end;
            unsigned at = begin + RowWarp::rank();
            at += at >= end ? next - end : 0;
            const bool exists = RowWarp::rank() < here;
            use(exists ? words_[at] : 0, exists);
            begin += here + (next - end);
            end = next == end ? end : next + chunk_ - 1;
        }
    }

private:
    static constexpr unsigned least = 2 * warp_lanes; // a round's entries cross one border at most
    static constexpr unsigned most = 32 * warp_lanes;

    /// Goes to a chunk, and notes in the last word of the chunk at hand where that begins.
    __device__ void go_to(unsigned chunk) {
        at_ = chunk < n_chunks_ ? chunk * chunk_ : none;
        end_ = at_ + chunk_ - 1;
    }

    /// Takes another chunk, linked to the one at hand.
    __device__ unsigned take() const {
        unsigned chunk = 0;
        if (RowWarp::rank() == 0) {
            chunk = gridDim.x * connect_warps + atomicAdd(n_taken_, 1U);
        }
        chunk = from_lane(chunk, 0);
        if (chunk >= n_chunks_) {
            return none;
        }
        const unsigned next = chunk * chunk_;
        if (RowWarp::rank() == 0) {
            words_[end_] = next;
        }
        return next;
    }

    std::uint32_t* rows_;
    std::uint32_t* words_;
    unsigned* n_taken_ = nullptr;
    unsigned chunk_;
    unsigned n_chunks_;
    unsigned at_ = none; ///< place of the warp's next entry
    unsigned end_ = 0;   ///< end of its chunk
};

} // namespace starfmm

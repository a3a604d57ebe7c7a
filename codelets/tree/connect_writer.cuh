// SPDX-License-Identifier: BSD-3-Clause
// The CUDA side of connect on an orthtree: rows that a grid writes, a row a warp, in two passes:
// entries are found, counted and kept, then put.
//
// The lanes of the warp find an entry each, round after round. Rows that take long, as those of
// large leaves beside many small ones, are put aside and done by whole blocks.
#pragma once

#include "codelets/tree/connect_kept.cuh"
#include "codelets/tree/connect_team.cuh"

#include <cstddef>
#include <cstdint>

namespace starfmm {

/// The lists that are written together, and how much of each there is.
template <int n>
struct RowLists {
    ListView list[n];
    std::uint64_t capacity[n];
    ConnectSum size[n] = {}; ///< entries so far, whether there was room or not

    [[nodiscard]] __device__ bool overflown() const {
        bool over = false;
        for (int i = 0; i < n; ++i) {
            over |= size[i] > capacity[i];
        }
        return over;
    }
};

/// A pass that counts the entries of a row, of which the threads of the team have a part each.
template <int n>
struct RowCount {
    static constexpr bool is_first_pass = true;
    std::uint32_t size[n] = {};

    /// Counts an entry.
    /// \param list  list of the thread's entry; negative: the thread has none
    template <class Team>
    __device__ void operator()(int list, BoxReference /*reference*/, const Team& /*team*/) {
#pragma unroll
        for (int i = 0; i < n; ++i) {
            size[i] += i == list ? 1 : 0;
        }
    }
};

/// A pass that counts the entries of a warp's row, and keeps them.
template <int n>
struct RowKeep : RowCount<n> {
    KeptRows& kept;

    __device__ explicit RowKeep(KeptRows& in) : kept(in) {}

    __device__ void operator()(int list, BoxReference reference, const RowWarp& team) {
        RowCount<n>::operator()(list, reference, team);
        kept.add(list >= 0, KeptEntry<n>::word(list, reference));
    }
};

/// A pass that puts the entries of a row from `place` on, which moves on.
template <int n>
struct RowFill {
    static constexpr bool is_first_pass = false;
    const RowLists<n>& lists;
    ConnectSum place[n];

    /// Puts an entry as RowCount counts it, by all threads of the team.
    template <class Team>
    __device__ void operator()(int list, BoxReference reference, const Team& team) {
#pragma unroll
        for (int i = 0; i < n; ++i) {
            const TeamPlace among = team.place(i == list);
            const ConnectSum at = place[i] + among.before;
            if (i == list && at < lists.capacity[i]) {
                lists.list[i].boxes[at] = reference;
            }
            place[i] += among.all;
        }
    }
};

/// The rows that warps leave to blocks, step by step of the grid.
class LongRows {
public:
    /// Clears the rows; is to be called by one thread, before the grid's first barrier.
    __device__ void clear() {
        for (unsigned& n : n_) {
            n = 0;
        }
    }

    /// Puts a row; is to be called by a warp.
    /// \return whether there was room
    __device__ bool put(unsigned step, std::size_t row) {
        unsigned i = 0;
        if (RowWarp::rank() == 0) {
            i = atomicAdd(&n_[step % 4], 1U);
            if (i < most) {
                row_[i] = static_cast<std::uint32_t>(row);
            }
        }
        return from_lane(i, 0) < most;
    }

    /// Returns the number of rows that the grid put, once it has passed a barrier.
    [[nodiscard]] __device__ unsigned size(unsigned step) const { return min(n_[step % 4], most); }

    [[nodiscard]] __device__ std::size_t row(unsigned i) const { return row_[i]; }

    /// Clears the rows of the last step but one, which are done with; is to be called by one
    /// thread, while the grid puts the rows of `step`.
    __device__ void clear_after(unsigned step) { n_[(step + 2) % 4] = 0; }

private:
    static constexpr unsigned most = 2 * most_connect_blocks - 8; // with the rest a list's sums

    unsigned n_[4]; ///< rows put in the last steps, whether there was room or not
    std::uint32_t row_[most];
};

/// The numbers that the warps of a grid tell each other besides sums, step by step.
struct RowBoard {
    LongRows long_rows;
    unsigned n_chunks[4]; ///< chunks of KeptRows, taken in the last steps

    /// Clears the numbers; is to be called by one thread, before the grid's first barrier.
    __device__ void clear() {
        long_rows.clear();
        for (unsigned& n : n_chunks) {
            n = 0;
        }
    }

    /// Clears the numbers of earlier steps; is to be called by one thread, during `step`.
    __device__ void clear_after(unsigned step) {
        long_rows.clear_after(step);
        n_chunks[(step + 2) % 4] = 0;
    }
};

/// The rows that a grid writes, of which those of a block follow each other.
class RowWriter {
public:
    struct Shared {
        ConnectBlock block;
        typename RowScan::TempStorage scan;
        ConnectSum place[3][connect_threads];  ///< where rows begin
        ConnectSum n_entries[connect_threads]; ///< entries of all lists of a row
    };

    /// Makes a writer of at most three lists.
    /// \param sums  [4][most_connect_blocks], the grid's
    __device__ RowWriter(Shared& shared, ConnectSum* sums, const KeptRows& kept)
        : shared_(shared), sums_(sums),
          board_(*reinterpret_cast<RowBoard*>(sums + 3 * most_connect_blocks)),
          long_(board_.long_rows), kept_(kept) {
        static_assert(sizeof(RowBoard) <= most_connect_blocks * sizeof(ConnectSum));
    }

    /// Clears the grid's numbers; is to be called by one thread, before the grid's first barrier.
    __device__ void clear() const { board_.clear(); }

    /// Writes rows `first` to `last` - 1. `visit` may read the rows before, whose last one ends at
    /// offsets[first].
    /// \param visit  is called with (row, pass, team) by the threads of a team, and calls
    /// pass(list, reference, team) with what they find; in the second pass again, if that was not
    /// kept
    template <int n, class Visit>
    __device__ void
    write(RowLists<n>& lists, std::size_t first, std::size_t last, const Visit& visit) {
        const std::size_t begin = first + (last - first) * blockIdx.x / gridDim.x;
        const std::size_t end = first + (last - first) * (blockIdx.x + 1) / gridDim.x;
        begin_step();
        first_ = first;
        kept_.begin(board_.n_chunks[step_ % 4]);
        count(lists, begin, end, visit);
        sum_counts<n>(sums_, shared_.block);
        if (long_.size(step_) > 0) {
            count_long(lists, visit);
            cooperative_groups::this_grid().sync();
            add_long(lists, begin, end);
            sum_counts<n>(sums_, shared_.block);
        }
        ConnectSum next[n];
        for (int i = 0; i < n; ++i) {
            next[i] = lists.size[i] + shared_.block.before[i];
            lists.size[i] += shared_.block.total[i];
        }
        begin_step();
        for (std::size_t chunk = begin; chunk < end; chunk += connect_threads) {
            const std::size_t rest = end - chunk;
            const unsigned n_rows = rest < connect_threads ? rest : connect_threads;
            place_rows(lists, next, chunk, n_rows);
            fill(lists, chunk, n_rows, visit);
            __syncthreads();
        }
        cooperative_groups::this_grid().sync();
        if (long_.size(step_) > 0) {
            fill_long(lists, visit);
            cooperative_groups::this_grid().sync();
        }
    }

private:
    /// The rounds of a warp, and the entries, beyond which a row is a long one: several times a
    /// mean row.
    static constexpr unsigned most_rounds = 48;
    static constexpr ConnectSum most_entries = 1024;
    static constexpr unsigned any_rounds = ~0U;

    __device__ void begin_step() {
        ++step_;
        if (thread_index() == 0) {
            board_.clear_after(step_);
        }
    }

    /// Counts: sizes of rows go into the places of their ends, those of a warp's rows into the
    /// block's sums.
    template <int n, class Visit>
    __device__ void
    count(const RowLists<n>& lists, std::size_t begin, std::size_t end, const Visit& visit) {
        ConnectSum sum[n] = {};
        for (std::size_t row = begin + RowWarp::number(); row < end; row += connect_warps) {
            RowKeep<n> counted(kept_);
            if (!count_row(counted, row, visit)) {
                continue;
            }
            for (int i = 0; i < n; ++i) {
                const std::uint32_t size = sum_lanes<warp_lanes>(counted.size[i]);
                sum[i] += size;
                if (RowWarp::rank() == 0) {
                    lists.list[i].offsets[row + 1] = size;
                }
            }
        }
        for (int i = 0; i < n && RowWarp::rank() == 0; ++i) {
            shared_.block.warp[i][RowWarp::number()] = sum[i];
        }
    }

    /// Counts a row. \return whether the row is not left to a block
    template <int n, class Visit>
    __device__ bool count_row(RowKeep<n>& counted, std::size_t row, const Visit& visit) {
        std::uint32_t place = kept_.place();
        RowWarp team(most_rounds);
        visit(row, counted, team);
        bool is_left = false;
        if (team.gave_up()) {
            is_left = long_.put(step_, row);
            if (!is_left) {
                place = kept_.place();
                static_cast<RowCount<n>&>(counted) = {};
                RowWarp patient(any_rounds);
                visit(row, counted, patient);
            }
        }
        if (RowWarp::rank() == 0) {
            const bool is_kept = !is_left && kept_.place() != KeptRows::none;
            kept_.put_place(row - first_, is_kept ? place : KeptRows::none);
        }
        return !is_left;
    }

    /// Does what count() does for rows that were left to blocks.
    template <int n, class Visit>
    __device__ void count_long(const RowLists<n>& lists, const Visit& visit) const {
        const unsigned n_rows = long_.size(step_);
        for (unsigned k = blockIdx.x; k < n_rows; k += gridDim.x) {
            const std::size_t row = long_.row(k);
            RowCount<n> counted;
            RowBlock team(shared_.scan);
            visit(row, counted, team);
            for (int i = 0; i < n; ++i) {
                const TeamPlace place = team.place(counted.size[i]);
                if (threadIdx.x == 0) {
                    lists.list[i].offsets[row + 1] = place.all;
                }
            }
        }
    }

    /// Adds the rows between `begin` and `end` that were left to blocks to the block's sums.
    template <int n>
    __device__ void add_long(const RowLists<n>& lists, std::size_t begin, std::size_t end) const {
        const unsigned n_rows = long_.size(step_);
        ConnectSum sum[n] = {};
        for (unsigned k = threadIdx.x; k < n_rows; k += connect_threads) {
            const std::size_t row = long_.row(k);
            for (int i = 0; i < n; ++i) {
                sum[i] += row >= begin && row < end ? lists.list[i].offsets[row + 1] : 0;
            }
        }
        for (int i = 0; i < n; ++i) {
            const ConnectSum all = sum_lanes<warp_lanes>(sum[i]);
            if (RowWarp::rank() == 0) {
                shared_.block.warp[i][RowWarp::number()] += all;
            }
        }
    }

    /// Turns the sizes of `n_rows` rows from `first` on into their ends; `next` moves on behind
    /// them.
    template <int n>
    __device__ void place_rows(
        const RowLists<n>& lists, ConnectSum (&next)[n], std::size_t first, unsigned n_rows
    ) const {
        ConnectSum n_entries = 0;
        for (int i = 0; i < n; ++i) {
            std::uint32_t* ends = lists.list[i].offsets + first + 1;
            const ConnectSum size = threadIdx.x < n_rows ? ends[threadIdx.x] : 0;
            ConnectSum place = 0;
            ConnectSum all = 0;
            RowScan(shared_.scan).ExclusiveSum(size, place, all);
            __syncthreads(); // the scan's storage serves the next list
            place += next[i];
            next[i] += all;
            n_entries += size;
            shared_.place[i][threadIdx.x] = place;
            if (threadIdx.x < n_rows) {
                ends[threadIdx.x] = static_cast<std::uint32_t>(place + size);
            }
        }
        shared_.n_entries[threadIdx.x] = n_entries;
        __syncthreads();
    }

    /// Fills in the entries of rows that place_rows() has placed.
    template <int n, class Visit>
    __device__ void
    fill(const RowLists<n>& lists, std::size_t first, unsigned n_rows, const Visit& visit) const {
        RowWarp team(any_rounds);
        for (unsigned row = RowWarp::number(); row < n_rows; row += connect_warps) {
            const ConnectSum n_entries = shared_.n_entries[row];
            const std::uint32_t kept = kept_.place(first + row - first_);
            if (kept == KeptRows::none && n_entries > most_entries &&
                long_.put(step_, first + row)) {
                continue;
            }
            RowFill<n> entries{lists, {}};
            for (int i = 0; i < n; ++i) {
                entries.place[i] = shared_.place[i][row];
            }
            if (kept == KeptRows::none) {
                visit(first + row, entries, team);
                continue;
            }
            kept_.read(kept, n_entries, [&](std::uint32_t word, bool exists) {
                const int list = exists ? KeptEntry<n>::list(word) : -1;
                entries(list, KeptEntry<n>::reference(word), team);
            });
        }
    }

    /// Does what fill() does for rows that were left to blocks.
    template <int n, class Visit>
    __device__ void fill_long(const RowLists<n>& lists, const Visit& visit) const {
        const unsigned n_rows = long_.size(step_);
        for (unsigned k = blockIdx.x; k < n_rows; k += gridDim.x) {
            const std::size_t row = long_.row(k);
            RowFill<n> entries{lists, {}};
            for (int i = 0; i < n; ++i) {
                entries.place[i] = lists.list[i].offsets[row]; // where the row before ends
            }
            RowBlock team(shared_.scan);
            visit(row, entries, team);
        }
    }

    Shared& shared_;
    ConnectSum* sums_;
    RowBoard& board_;
    LongRows& long_;
    KeptRows kept_;
    std::size_t first_ = 0; ///< first row of the step
    unsigned step_ = 0;
};

} // namespace starfmm

// SPDX-License-Identifier: BSD-3-Clause
// CUDA side of connect on an orthtree: rows that a grid writes, a row a warp, in two passes: what
// is found is counted, then put.
//
// The lanes of the warp find an entry each, round after round.
#pragma once

#include "codelets/tree/connect_sums.cuh"

#include <cub/block/block_scan.cuh>

#include <cstddef>
#include <cstdint>

namespace starfmm {

using RowScan = cub::BlockScan<ConnectSum, connect_threads>;

/// Lists that are written together, and how much of each there is.
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

/// Counts entries of a row. The lanes have a part each.
template <int n>
struct RowCount {
    static constexpr bool is_first_pass = true;
    std::uint32_t size[n] = {};

    /// \param list of the lane's entry; negative: it has none
    __device__ void operator()(int list, BoxReference /*reference*/) {
#pragma unroll
        for (int i = 0; i < n; ++i) {
            size[i] += i == list ? 1 : 0;
        }
    }
};

/// Puts entries of a row from `place` on, which moves on.
template <int n>
struct RowFill {
    static constexpr bool is_first_pass = false;
    const RowLists<n>& lists;
    ConnectSum place[n];

    /// As RowCount's, by all lanes.
    __device__ void operator()(int list, BoxReference reference) {
        const unsigned lower_lanes = (1U << threadIdx.x % warp_lanes) - 1;
#pragma unroll
        for (int i = 0; i < n; ++i) {
            const unsigned mask = __ballot_sync(0xffffffffU, i == list);
            const ConnectSum at = place[i] + __popc(mask & lower_lanes);
            if (i == list && at < lists.capacity[i]) {
                lists.list[i].boxes[at] = reference;
            }
            place[i] += __popc(mask);
        }
    }
};

/// Rows that a grid writes: those of a block follow each other.
class RowWriter {
public:
    struct Shared {
        ConnectBlock block;
        typename RowScan::TempStorage scan;
        ConnectSum place[3][connect_threads]; ///< where rows begin
    };

    /// \param sums [number of lists][most_connect_blocks], of the grid
    __device__ RowWriter(Shared& shared, ConnectSum* sums) : shared_(shared), sums_(sums) {}

    /// Writes rows `first` to `last` - 1. `visit` may read those before, whose last one ends at
    /// offsets[first].
    /// \param visit called with (row, pass) by the lanes of a warp, calls pass(list, reference)
    /// with what they find; in two passes
    template <int n, class Visit>
    __device__ void
    write(RowLists<n>& lists, std::size_t first, std::size_t last, const Visit& visit) const {
        const std::size_t begin = first + (last - first) * blockIdx.x / gridDim.x;
        const std::size_t end = first + (last - first) * (blockIdx.x + 1) / gridDim.x;
        count(lists, begin, end, visit);
        sum_counts<n>(sums_, shared_.block);
        ConnectSum next[n];
        for (int i = 0; i < n; ++i) {
            next[i] = lists.size[i] + shared_.block.before[i];
            lists.size[i] += shared_.block.total[i];
        }
        for (std::size_t chunk = begin; chunk < end; chunk += connect_threads) {
            const std::size_t rest = end - chunk;
            const unsigned n_rows = rest < connect_threads ? rest : connect_threads;
            place_rows(lists, next, chunk, n_rows);
            for (unsigned row = threadIdx.x / warp_lanes; row < n_rows; row += connect_warps) {
                RowFill<n> fill{lists, {}};
                for (int i = 0; i < n; ++i) {
                    fill.place[i] = shared_.place[i][row];
                }
                visit(chunk + row, fill);
            }
            __syncthreads();
        }
        cooperative_groups::this_grid().sync();
    }

private:
    /// Sizes of rows into the places of their ends; of a warp's rows into the block's sums.
    template <int n, class Visit>
    __device__ void
    count(const RowLists<n>& lists, std::size_t begin, std::size_t end, const Visit& visit) const {
        const bool is_first_lane = threadIdx.x % warp_lanes == 0;
        ConnectSum sum[n] = {};
        for (std::size_t row = begin + threadIdx.x / warp_lanes; row < end; row += connect_warps) {
            RowCount<n> counted;
            visit(row, counted);
            for (int i = 0; i < n; ++i) {
                const std::uint32_t size = sum_lanes<warp_lanes>(counted.size[i]);
                sum[i] += size;
                if (is_first_lane) {
                    lists.list[i].offsets[row + 1] = size;
                }
            }
        }
        for (int i = 0; i < n && is_first_lane; ++i) {
            shared_.block.warp[i][threadIdx.x / warp_lanes] = sum[i];
        }
    }

    /// Sizes of `n_rows` rows from `first` on become their ends; `next` moves on behind them.
    template <int n>
    __device__ void place_rows(
        const RowLists<n>& lists, ConnectSum (&next)[n], std::size_t first, unsigned n_rows
    ) const {
        for (int i = 0; i < n; ++i) {
            std::uint32_t* ends = lists.list[i].offsets + first + 1;
            const ConnectSum size = threadIdx.x < n_rows ? ends[threadIdx.x] : 0;
            ConnectSum place = 0;
            ConnectSum all = 0;
            RowScan(shared_.scan).ExclusiveSum(size, place, all);
            __syncthreads(); // the scan's storage serves the next list
            place += next[i];
            next[i] += all;
            shared_.place[i][threadIdx.x] = place;
            if (threadIdx.x < n_rows) {
                ends[threadIdx.x] = static_cast<std::uint32_t>(place + size);
            }
        }
        __syncthreads();
    }

    Shared& shared_;
    ConnectSum* sums_;
};

} // namespace starfmm

// SPDX-License-Identifier: BSD-3-Clause
// CUDA side of connect.
//
// A warp takes a row; its lanes take the row's candidates and put those wanted into the lists in
// the order of the lanes, so that rows read as the CPU writes them. Each level is counted, then
// filled: a fill finds its place by adding up the counts of the blocks and rows before it. Levels
// that one block covers share a launch.
#pragma once

#include "codelets/connect.hpp"
#include "codelets/cuda_check.cuh"

namespace starfmm {

inline constexpr int connect_threads = 256;
inline constexpr int connect_top_threads = 1024;

/// Most rows of a level that one block takes on: 8 a warp.
inline constexpr std::size_t connect_top_rows = 256;

/// Most blocks of a level: as many as there are sums for.
inline constexpr std::size_t connect_most_blocks = 1024;

/// Where the rows of a step go: list `list` starts at row `first_row[list]`.
template <int n>
struct ConnectLists {
    ListView list[n];
    std::size_t first_row[n];
    std::uint64_t capacity[n];
};

/// A candidate, and the list that it belongs to; negative: none.
struct Candidate {
    BoxReference reference;
    int list;
};

/// Rows of one level: far entries to list 0, unseparated ones to list 1, the next generation.
template <class Real>
struct LevelStep {
    static constexpr int n_lists = 2;
    const ConnectTask<Real>& task;
    int level;

    __device__ std::size_t n_rows() const { return task.args.tree.boxes(level); }

    __device__ ConnectLists<n_lists> lists() const {
        const ListLayout& layout = task.args.lists;
        return {
            {layout.far(task.lists), task.generation(level)},
            {task.args.tree.offset(level), 0},
            {layout.far_capacity, layout.near_capacity}};
    }

    __device__ std::uint32_t n_candidates(std::size_t row) const {
        const std::uint32_t* offsets = task.generation(level - 1).offsets + row / n_children<2>;
        return n_children<2> * (offsets[1] - offsets[0]);
    }

    __device__ Candidate candidate(std::size_t row, std::uint32_t i, ListCounts& /*counts*/) const {
        const ListView parents = task.generation(level - 1);
        const std::uint32_t parent = parents.offsets[row / n_children<2>] + i / n_children<2>;
        const BoxReference reference = n_children<2> * parents.boxes[parent] + i % n_children<2>;
        const Coupling how = coupling(
            task.source(level, reference),
            task.target(level, row),
            static_cast<Real>(task.args.theta)
        );
        return {reference, how == Coupling::far ? 0 : how == Coupling::near ? 1 : -1};
    }
};

/// The finest unseparated boxes: near, P2L and M2P entries to lists 0, 1 and 2.
template <class Real>
struct LeafStep {
    static constexpr int n_lists = 3;
    const ConnectTask<Real>& task;

    __device__ std::size_t n_rows() const { return task.args.tree.leaves(); }

    __device__ ConnectLists<n_lists> lists() const {
        const ListLayout& layout = task.args.lists;
        const std::uint64_t capacity = layout.near_capacity;
        return {
            {layout.near(task.lists), layout.p2l(task.lists), layout.m2p(task.lists)},
            {0, 0, 0},
            {capacity, capacity, capacity}};
    }

    __device__ std::uint32_t n_candidates(std::size_t row) const {
        const std::uint32_t* offsets = task.generation(task.args.tree.last).offsets + row;
        return offsets[1] - offsets[0];
    }

    __device__ Candidate candidate(std::size_t row, std::uint32_t i, ListCounts& counts) const {
        const int level = task.args.tree.last;
        const ListView unseparated = task.generation(level);
        const BoxReference reference = unseparated.boxes[unseparated.offsets[row] + i];
        const std::uint64_t n_sources = task.n_sources(reference);
        const std::uint64_t n_targets = task.n_targets(row);
        const Coupling how = leaf_coupling(
            task.source(level, reference),
            task.target(level, row),
            static_cast<Real>(task.args.theta),
            n_sources,
            n_targets,
            task.args.order
        );
        counts.p2p_pairs += how == Coupling::near ? n_sources * n_targets : 0;
        counts.p2l_pairs += how == Coupling::p2l ? n_sources : 0;
        counts.m2p_pairs += how == Coupling::m2p ? n_targets : 0;
        return {reference, how == Coupling::near ? 0 : how == Coupling::p2l ? 1 : 2};
    }
};

/// The sums in the scratch, behind the generations.
template <class Real>
struct ConnectSums {
    using Sum = unsigned long long; // what atomicAdd takes
    Sum* far_above;                 ///< [tree.last + 2] far entries of the levels before each
    Sum* of_block;                  ///< [3][connect_most_blocks] entries of one step

    __device__ explicit ConnectSums(const ConnectTask<Real>& task) {
        const ListLayout& lists = task.args.lists;
        const std::uint64_t words = 2 * (lists.n_leaves + 1 + lists.near_capacity);
        far_above = reinterpret_cast<Sum*>(task.scratch + words);
        of_block = far_above + 32;
    }

    __device__ Sum& block(int list, std::size_t index) const {
        return of_block[list * connect_most_blocks + index];
    }
};

/// Rows that a block, and a warp of it, takes.
struct RowRange {
    std::size_t begin;
    std::size_t end;
    std::size_t warp_begin;
    std::size_t warp_end;

    __device__ explicit RowRange(std::size_t n_rows) {
        const std::size_t n_warps = blockDim.x / warp_lanes;
        const std::size_t warp = threadIdx.x / warp_lanes;
        begin = n_rows * blockIdx.x / gridDim.x;
        end = n_rows * (blockIdx.x + 1) / gridDim.x;
        warp_begin = begin + (end - begin) * warp / n_warps;
        warp_end = begin + (end - begin) * (warp + 1) / n_warps;
    }
};

/// Calls `visit(lists, candidate)` for a row's candidates, a warp at a time; `mask[list]` says
/// which lanes' candidates go to it.
template <class Step, class Visit>
__device__ void
visit_row(const Step& step, std::size_t row, ListCounts& counts, const Visit& visit) {
    const std::uint32_t n = step.n_candidates(row);
    for (std::uint32_t i = 0; i < n; i += warp_lanes) {
        const std::uint32_t mine = i + threadIdx.x % warp_lanes;
        Candidate candidate{0, -1};
        if (mine < n) {
            candidate = step.candidate(row, mine, counts);
        }
        for (int list = 0; list < Step::n_lists; ++list) {
            visit(list, candidate, __ballot_sync(0xffffffffU, candidate.list == list));
        }
    }
}

/// Adds the lanes' `value` to `total`.
__device__ inline void add_count(std::uint64_t& total, unsigned long long value) {
    const unsigned long long sum = sum_lanes<warp_lanes>(value);
    if (threadIdx.x % warp_lanes == 0 && sum > 0) {
        atomicAdd(reinterpret_cast<unsigned long long*>(&total), sum);
    }
}

/// Counts: sizes of rows into the lists' offsets, of blocks into the sums.
template <class Real, class Step>
__device__ void count_rows(const ConnectTask<Real>& task, const Step& step) {
    __shared__ unsigned long long block_sum[3];
    if (threadIdx.x < 3) {
        block_sum[threadIdx.x] = 0;
    }
    __syncthreads();
    const RowRange range(step.n_rows());
    const auto lists = step.lists();
    const int lane = threadIdx.x % warp_lanes;
    ListCounts counts{};
    for (std::size_t row = range.warp_begin; row < range.warp_end; ++row) {
        std::uint32_t size[Step::n_lists] = {};
        visit_row(step, row, counts, [&](int list, const Candidate&, unsigned mask) {
            size[list] += __popc(mask);
        });
        for (int list = 0; list < Step::n_lists && lane == 0; ++list) {
            lists.list[list].offsets[lists.first_row[list] + row] = size[list];
            atomicAdd(&block_sum[list], size[list]);
        }
    }
    if constexpr (Step::n_lists == 3) {
        add_count(task.counts->p2p_pairs, counts.p2p_pairs);
        add_count(task.counts->p2l_pairs, counts.p2l_pairs);
        add_count(task.counts->m2p_pairs, counts.m2p_pairs);
    }
    __syncthreads();
    if (threadIdx.x < Step::n_lists) {
        ConnectSums<Real>(task).block(threadIdx.x, blockIdx.x) = block_sum[threadIdx.x];
    }
}

/// Entries of a list before the warp's rows, and before the end of the block's.
struct EntriesBefore {
    unsigned long long warp;
    unsigned long long block_end;
};

template <class Real, class Step>
__device__ EntriesBefore
entries_before(const ConnectSums<Real>& sums, const Step& step, int list, const RowRange& range) {
    const auto lists = step.lists();
    const std::uint32_t* sizes = lists.list[list].offsets + lists.first_row[list];
    const std::size_t lane = threadIdx.x % warp_lanes;
    unsigned long long before = 0;
    for (std::size_t b = lane; b < blockIdx.x; b += warp_lanes) {
        before += sums.block(list, b);
    }
    const unsigned long long block = sum_lanes<warp_lanes>(before);
    before = 0;
    for (std::size_t row = range.begin + lane; row < range.warp_begin; row += warp_lanes) {
        before += sizes[row];
    }
    return {block + sum_lanes<warp_lanes>(before), block + sums.block(list, blockIdx.x)};
}

/// Fills one row of a list from entry `at` on, never beyond the capacity.
template <class Step>
__device__ void fill_row(
    const Step& step,
    const ConnectLists<Step::n_lists>& lists,
    std::size_t row,
    unsigned long long (&at)[Step::n_lists]
) {
    const int lane = threadIdx.x % warp_lanes;
    for (int list = 0; list < Step::n_lists && lane == 0; ++list) {
        const std::uint64_t capacity = lists.capacity[list];
        lists.list[list].offsets[lists.first_row[list] + row] =
            static_cast<std::uint32_t>(at[list] < capacity ? at[list] : capacity);
    }
    ListCounts counts{};
    visit_row(step, row, counts, [&](int list, const Candidate& candidate, unsigned mask) {
        const std::uint64_t i = at[list] + __popc(mask & ((1U << lane) - 1));
        if (candidate.list == list && i < lists.capacity[list]) {
            lists.list[list].boxes[i] = candidate.reference;
        }
        at[list] += __popc(mask);
    });
}

/// Fills: offsets and entries of the counted rows. `far_above` is what list 0 holds already.
/// Returns in the last block the entries of each list, in others no matter what.
template <class Real, class Step>
__device__ void fill_rows(
    const ConnectTask<Real>& task,
    const Step& step,
    unsigned long long far_above,
    unsigned long long (&total)[Step::n_lists]
) {
    const ConnectSums<Real> sums(task);
    const RowRange range(step.n_rows());
    const auto lists = step.lists();
    unsigned long long at[Step::n_lists];
    for (int list = 0; list < Step::n_lists; ++list) {
        const EntriesBefore before = entries_before(sums, step, list, range);
        const unsigned long long above = list == 0 ? far_above : 0;
        at[list] = above + before.warp;
        total[list] = above + before.block_end;
    }
    __syncthreads(); // all have read the sizes that offsets now replace
    for (std::size_t row = range.warp_begin; row < range.warp_end; ++row) {
        fill_row(step, lists, row, at);
    }
    if (blockIdx.x == gridDim.x - 1 && threadIdx.x < Step::n_lists) {
        const int list = threadIdx.x;
        const std::uint64_t capacity = lists.capacity[list];
        lists.list[list].offsets[lists.first_row[list] + step.n_rows()] =
            static_cast<std::uint32_t>(total[list] < capacity ? total[list] : capacity);
    }
}

/// Fills a level and notes what the last block knows: far entries so far, and overflows.
template <class Real>
__device__ void fill_level(const ConnectTask<Real>& task, int level) {
    const ConnectSums<Real> sums(task);
    const int depth = level - task.args.tree.first;
    unsigned long long total[2];
    fill_rows(task, LevelStep<Real>{task, level}, sums.far_above[depth], total);
    if (blockIdx.x == gridDim.x - 1 && threadIdx.x == 0) {
        sums.far_above[depth + 1] = total[0];
        task.counts->far = total[0];
        if (total[0] > task.args.lists.far_capacity || total[1] > task.args.lists.near_capacity) {
            task.counts->overflow = 1;
        }
    }
}

/// The root row: every slot is unseparated from the group, by the choice of the slots.
template <class Real>
__device__ void connect_root_row(const ConnectTask<Real>& task) {
    const ListView first = task.generation(task.args.tree.first);
    if (threadIdx.x < task.args.n_slots) {
        first.boxes[threadIdx.x] = threadIdx.x;
    }
    if (threadIdx.x == 0) {
        first.offsets[0] = 0;
        first.offsets[1] = task.args.n_slots;
        const ListView far = task.args.lists.far(task.lists);
        far.offsets[0] = 0;
        far.offsets[1] = 0;
        ConnectSums<Real>(task).far_above[1] = 0;
        *task.counts = ListCounts{};
    }
}

/// The root and the levels down to `last`, which one block covers.
template <class Real>
__global__ void __launch_bounds__(connect_top_threads)
    connect_top_kernel(const __grid_constant__ ConnectTask<Real> task, int last) {
    connect_root_row(task);
    for (int level = task.args.tree.first + 1; level <= last; ++level) {
        __syncthreads();
        count_rows(task, LevelStep<Real>{task, level});
        __syncthreads();
        fill_level(task, level);
    }
}

template <class Real>
__global__ void __launch_bounds__(connect_threads)
    connect_count_kernel(const __grid_constant__ ConnectTask<Real> task, int level) {
    count_rows(task, LevelStep<Real>{task, level});
}

template <class Real>
__global__ void __launch_bounds__(connect_threads)
    connect_fill_kernel(const __grid_constant__ ConnectTask<Real> task, int level) {
    fill_level(task, level);
}

template <class Real>
__global__ void __launch_bounds__(connect_threads)
    connect_count_leaves_kernel(const __grid_constant__ ConnectTask<Real> task) {
    if (task.counts->overflow == 0) {
        count_rows(task, LeafStep<Real>{task});
    }
}

template <class Real>
__global__ void __launch_bounds__(connect_threads)
    connect_fill_leaves_kernel(const __grid_constant__ ConnectTask<Real> task) {
    if (task.counts->overflow != 0) {
        return;
    }
    unsigned long long total[3];
    fill_rows(task, LeafStep<Real>{task}, 0, total);
    if (blockIdx.x == gridDim.x - 1 && threadIdx.x == 0) {
        task.counts->near = total[0] + total[1] + total[2];
        task.counts->p2l = total[1];
        task.counts->m2p = total[2];
    }
}

/// Eight rows a block while there are few, to spread them; no more blocks than sums.
inline unsigned connect_blocks(std::size_t n_rows) {
    const unsigned blocks = n_blocks(n_rows, connect_threads / warp_lanes);
    return blocks < connect_most_blocks ? blocks : connect_most_blocks;
}

template <class Real>
void connect_cuda(void* buffers[], void* args) {
    const auto task = ConnectTask<Real>::unpack(buffers, args);
    const Subtree<2>& tree = task.args.tree;
    int level = tree.first;
    while (level < tree.last && tree.boxes(level + 1) <= connect_top_rows) {
        ++level;
    }
    connect_top_kernel<Real><<<1, connect_top_threads, 0, cuda_stream()>>>(task, level);
    check_cuda(cudaGetLastError(), "launch of connect_top_kernel");
    for (++level; level <= tree.last; ++level) {
        const unsigned blocks = connect_blocks(tree.boxes(level));
        connect_count_kernel<Real><<<blocks, connect_threads, 0, cuda_stream()>>>(task, level);
        check_cuda(cudaGetLastError(), "launch of connect_count_kernel");
        connect_fill_kernel<Real><<<blocks, connect_threads, 0, cuda_stream()>>>(task, level);
        check_cuda(cudaGetLastError(), "launch of connect_fill_kernel");
    }
    const unsigned blocks = connect_blocks(tree.leaves());
    connect_count_leaves_kernel<Real><<<blocks, connect_threads, 0, cuda_stream()>>>(task);
    check_cuda(cudaGetLastError(), "launch of connect_count_leaves_kernel");
    connect_fill_leaves_kernel<Real><<<blocks, connect_threads, 0, cuda_stream()>>>(task);
    check_cuda(cudaGetLastError(), "launch of connect_fill_leaves_kernel");
}

} // namespace starfmm

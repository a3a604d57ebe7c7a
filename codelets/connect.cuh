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
inline constexpr std::size_t connect_top_rows = 256;     ///< most of one block: 8 a warp
inline constexpr std::size_t connect_most_blocks = 1024; ///< as many as there are sums for

/// A candidate, and the list that it belongs to; negative: none.
struct Candidate {
    BoxReference reference;
    int list;
};

/// Rows of one level. With two lists: children of the boxes that the parent could not separate,
/// far ones to list 0, the others to list 1, the next generation. With three: the finest
/// unseparated boxes, to near, P2L and M2P.
template <class Real, int n>
struct ConnectStep {
    static constexpr int n_lists = n;
    static constexpr bool leaves = n == 3;
    static constexpr std::uint32_t n_each = leaves ? 1 : n_children<2>; ///< candidates a box

    const ConnectTask<Real>& task;
    int level;

    __device__ std::size_t n_rows() const { return task.args.tree.boxes(level); }

    /// List `i` from the level's first row on.
    __device__ ListView list(int i) const {
        const ListLayout& layout = task.args.lists;
        if constexpr (leaves) {
            return i == 0   ? layout.near(task.lists)
                   : i == 1 ? layout.p2l(task.lists)
                            : layout.m2p(task.lists);
        } else {
            const ListView far = layout.far(task.lists);
            return i == 0 ? ListView{far.offsets + task.args.tree.offset(level), far.boxes}
                          : task.generation(level);
        }
    }

    /// What fits of `size` entries.
    __device__ std::uint32_t stored(int i, std::uint64_t size) const {
        const ListLayout& layout = task.args.lists;
        const std::uint64_t capacity = leaves || i > 0 ? layout.near_capacity : layout.far_capacity;
        return static_cast<std::uint32_t>(size < capacity ? size : capacity);
    }

    /// The unseparated boxes that the row's candidates come from.
    const __device__ std::uint32_t* origin(std::size_t row) const {
        return task.generation(leaves ? level : level - 1).offsets + row / n_each;
    }

    __device__ std::uint32_t n_candidates(std::size_t row) const {
        return n_each * (origin(row)[1] - origin(row)[0]);
    }

    __device__ Candidate candidate(std::size_t row, std::uint32_t i, ListCounts& counts) const {
        const BoxReference* boxes = task.generation(leaves ? level : level - 1).boxes;
        const BoxReference reference = n_each * boxes[origin(row)[0] + i / n_each] + i % n_each;
        const Frame<Real> source = task.source(level, reference);
        const Frame<Real> target = task.target(level, row);
        const auto theta = static_cast<Real>(task.args.theta);
        if constexpr (leaves) {
            const std::uint64_t n_sources = task.n_sources(reference);
            const std::uint64_t n_targets = task.n_targets(row);
            const int order = task.args.order;
            const Coupling how = leaf_coupling(source, target, theta, n_sources, n_targets, order);
            counts.p2p_pairs += how == Coupling::near ? n_sources * n_targets : 0;
            counts.p2l_pairs += how == Coupling::p2l ? n_sources : 0;
            counts.m2p_pairs += how == Coupling::m2p ? n_targets : 0;
            return {reference, how == Coupling::near ? 0 : how == Coupling::p2l ? 1 : 2};
        } else {
            const Coupling how = coupling(source, target, theta);
            return {reference, how == Coupling::far ? 0 : how == Coupling::near ? 1 : -1};
        }
    }
};

using ConnectSum = unsigned long long; // what atomicAdd takes

/// Sums in the scratch, behind the generations: far entries of the levels before each level, then
/// entries of [list][block] of one step.
template <class Real>
__device__ ConnectSum* connect_sums(const ConnectTask<Real>& task) {
    const ListLayout& lists = task.args.lists;
    return reinterpret_cast<ConnectSum*>(
        task.scratch + 2 * (lists.n_leaves + 1 + lists.near_capacity)
    );
}

template <class Real>
__device__ ConnectSum& block_sum(const ConnectTask<Real>& task, int list, std::size_t block) {
    return connect_sums(task)[32 + list * connect_most_blocks + block];
}

/// Calls `visit(list, candidate, mask)` for a row's candidates, one a lane, and each list; `mask`
/// says which lanes' candidates go to it.
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

/// Counts: sizes of rows into the lists' offsets, of blocks into the sums.
template <class Step>
__device__ void count_rows(const Step& step) {
    __shared__ ConnectSum sum[3];
    if (threadIdx.x < 3) {
        sum[threadIdx.x] = 0;
    }
    __syncthreads();
    const RowRange range(step.n_rows());
    ListCounts counts{};
    for (std::size_t row = range.warp_begin; row < range.warp_end; ++row) {
        std::uint32_t size[Step::n_lists] = {};
        visit_row(step, row, counts, [&](int list, const Candidate&, unsigned mask) {
            size[list] += __popc(mask);
        });
        for (int list = 0; list < Step::n_lists && threadIdx.x % warp_lanes == 0; ++list) {
            step.list(list).offsets[row] = size[list];
            atomicAdd(&sum[list], size[list]);
        }
    }
    if constexpr (Step::leaves) {
        add_lanes(step.task.counts->p2p_pairs, counts.p2p_pairs);
        add_lanes(step.task.counts->p2l_pairs, counts.p2l_pairs);
        add_lanes(step.task.counts->m2p_pairs, counts.m2p_pairs);
    }
    __syncthreads();
    if (threadIdx.x < Step::n_lists) {
        block_sum(step.task, threadIdx.x, blockIdx.x) = sum[threadIdx.x];
    }
}

/// Counted entries of a list before the warp's rows.
template <class Step>
__device__ ConnectSum entries_before(const Step& step, int list, const RowRange& range) {
    const std::uint32_t* sizes = step.list(list).offsets;
    const std::size_t lane = threadIdx.x % warp_lanes;
    ConnectSum before = 0;
    for (std::size_t b = lane; b < blockIdx.x; b += warp_lanes) {
        before += block_sum(step.task, list, b);
    }
    for (std::size_t row = range.begin + lane; row < range.warp_begin; row += warp_lanes) {
        before += sizes[row];
    }
    return sum_lanes<warp_lanes>(before);
}

/// Fills: offsets and entries of the counted rows, never beyond a capacity. `at[list]` entries come
/// before the warp's rows; those up to their end on return.
template <class Step>
__device__ void
fill_rows(const Step& step, const RowRange& range, ConnectSum (&at)[Step::n_lists]) {
    const unsigned lower_lanes = (1U << threadIdx.x % warp_lanes) - 1;
    ListCounts counts{};
    for (std::size_t row = range.warp_begin; row < range.warp_end; ++row) {
        for (int list = 0; list < Step::n_lists && lower_lanes == 0; ++list) {
            step.list(list).offsets[row] = step.stored(list, at[list]);
        }
        visit_row(step, row, counts, [&](int list, const Candidate& candidate, unsigned mask) {
            const ConnectSum i = at[list] + __popc(mask & lower_lanes);
            if (candidate.list == list && i < step.stored(list, i + 1)) {
                step.list(list).boxes[i] = candidate.reference;
            }
            at[list] += __popc(mask);
        });
    }
}

/// Fills a level. The warp with the last row knows the lists' sizes, and says so.
template <class Step>
__device__ void fill_level(const Step& step) {
    ListCounts& counts = *step.task.counts;
    ConnectSum* far_above = connect_sums(step.task) + (step.level - step.task.args.tree.first);
    const RowRange range(step.n_rows());
    ConnectSum at[Step::n_lists];
    for (int list = 0; list < Step::n_lists; ++list) {
        const bool continued = !Step::leaves && list == 0;
        at[list] = entries_before(step, list, range) + (continued ? far_above[0] : 0);
    }
    __syncthreads(); // all have read the sizes that offsets now replace
    fill_rows(step, range, at);
    const bool last = range.warp_begin < range.warp_end && range.warp_end == step.n_rows();
    if (!last || threadIdx.x % warp_lanes != 0) {
        return;
    }
    for (int list = 0; list < Step::n_lists; ++list) {
        step.list(list).offsets[step.n_rows()] = step.stored(list, at[list]);
        counts.overflow |= step.stored(list, at[list]) < at[list] ? 1 : 0;
    }
    if constexpr (Step::leaves) {
        counts.near = at[0] + at[1] + at[2];
        counts.p2l = at[1];
        counts.m2p = at[2];
    } else {
        far_above[1] = at[0];
        counts.far = at[0];
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
        task.args.lists.far(task.lists).offsets[0] = 0;
        task.args.lists.far(task.lists).offsets[1] = 0;
        connect_sums(task)[1] = 0;
        *task.counts = ListCounts{};
    }
}

/// The root and the levels down to `last`, which one block covers.
template <class Real>
__global__ void __launch_bounds__(connect_top_threads)
    connect_top_kernel(const __grid_constant__ ConnectTask<Real> task, int last) {
    connect_root_row(task);
    for (int level = task.args.tree.first + 1; level <= last; ++level) {
        const ConnectStep<Real, 2> step{task, level};
        __syncthreads();
        count_rows(step);
        __syncthreads();
        fill_level(step);
    }
}

template <class Real, int n_lists>
__global__ void __launch_bounds__(connect_threads)
    connect_count_kernel(const __grid_constant__ ConnectTask<Real> task, int level) {
    if (n_lists == 2 || task.counts->overflow == 0) {
        count_rows(ConnectStep<Real, n_lists>{task, level});
    }
}

template <class Real, int n_lists>
__global__ void __launch_bounds__(connect_threads)
    connect_fill_kernel(const __grid_constant__ ConnectTask<Real> task, int level) {
    if (n_lists == 2 || task.counts->overflow == 0) {
        fill_level(ConnectStep<Real, n_lists>{task, level});
    }
}

template <class Real, int n_lists>
void launch_connect(const ConnectTask<Real>& task, int level) {
    // Eight rows a block while there are few, to spread them; no more blocks than sums.
    const unsigned all = n_blocks(task.args.tree.boxes(level), connect_threads / warp_lanes);
    const unsigned blocks = all < connect_most_blocks ? all : connect_most_blocks;
    const cudaStream_t stream = cuda_stream();
    connect_count_kernel<Real, n_lists><<<blocks, connect_threads, 0, stream>>>(task, level);
    check_cuda(cudaGetLastError(), "launch of connect_count_kernel");
    connect_fill_kernel<Real, n_lists><<<blocks, connect_threads, 0, stream>>>(task, level);
    check_cuda(cudaGetLastError(), "launch of connect_fill_kernel");
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
        launch_connect<Real, 2>(task, level);
    }
    launch_connect<Real, 3>(task, tree.last);
}

} // namespace starfmm

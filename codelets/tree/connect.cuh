// SPDX-License-Identifier: BSD-3-Clause
// The CUDA side of connect, in one kernel all of whose blocks run at once.
//
// A warp takes the rows of a parent's children, which share their candidates; its lanes take
// candidates and put those wanted into the lists in the order of the lanes, so that rows read as
// the CPU writes them. Each level is counted, then filled: a warp finds its place by adding up the
// counts of the blocks and warps before it.
#pragma once

#include "codelets/cuda/cooperative.cuh"
#include "codelets/tree/connect_orthtree.cuh"
#include "codelets/tree/connect_rows.cuh"
#include "codelets/tree/connect_shared.cuh"

#include <cooperative_groups.h>

#include <algorithm>

namespace starfmm {

/// Goes through the candidates of a parent's rows, 32 at a time: calls `visit(candidates, i)`,
/// where `i` is the lane's, or `visit_shared(slot)` for a parent that the block's warps share.
template <class Step, class VisitShared, class Visit>
__device__ __forceinline__ void visit_candidates(
    const Step& step,
    const SharedParents<Step::dimension>& shared,
    std::size_t parent,
    const VisitShared& visit_shared,
    const Visit& visit
) {
    if (const int slot = shared.slot(parent); slot >= 0) {
        visit_shared(slot);
    } else {
        const ParentCandidates<Step> candidates(step, parent);
        for (std::uint32_t first = 0; first < candidates.n; first += warp_lanes) {
            visit(candidates, first + threadIdx.x % warp_lanes);
        }
    }
}

/// Stores the sizes of a parent's rows in the lists' offsets, and adds them to the warp's sums.
template <class Step>
__device__ __forceinline__ void store_sizes(
    const Step& step,
    std::size_t parent,
    const RowSizes<Step>& size,
    ConnectSum (&sum)[Step::n_lists]
) {
    const bool first_lane = threadIdx.x % warp_lanes == 0;
#pragma unroll
    for (int list = 0; list < Step::n_lists; ++list) {
#pragma unroll
        for (unsigned child = 0; child < n_children<Step::dimension>; ++child) {
            if (first_lane && child < 1U << step.child_bits()) {
                step.list(list).offsets[(parent << step.child_bits()) + child] = size[child][list];
            }
            sum[list] += size[child][list];
        }
    }
}

/// Counts the rows: their sizes go into the lists' offsets, those of the warp's rows into the
/// block's sums.
template <class Step>
__device__ void count_rows(
    const Step& step,
    const ParentRange& range,
    ConnectBlock& block,
    KeptCandidates<Step::dimension>& kept,
    SharedParents<Step::dimension>& shared
) {
    ListCounts counts{};
    shared.collect(step.generation().offsets, range);
    if (shared.n > 0) {
        count_shared(step, shared, counts);
    }
    ConnectSum sum[Step::n_lists] = {};
    unsigned n_visited = 0;
    for (std::size_t parent = range.begin; parent < range.end; ++parent) {
        RowSizes<Step> size = {};
        const auto sum_shared = [&](int slot) { sum_sizes<Step>(shared, slot, size); };
        const auto find = [&](const ParentCandidates<Step>& candidates, std::uint32_t i) {
            const auto candidate = candidates.find(i, counts);
            kept.keep(n_visited++, candidate);
            add_sizes<Step>(candidate, size);
        };
        visit_candidates(step, shared, parent, sum_shared, find);
        store_sizes(step, parent, size, sum);
    }
    for (int list = 0; list < Step::n_lists && threadIdx.x % warp_lanes == 0; ++list) {
        block.warp[list][threadIdx.x / warp_lanes] = sum[list];
    }
    if constexpr (Step::leaves) {
        block.add_pairs(counts);
    }
}

/// Returns the sums of blocks in the scratch, behind the generations: [list][block].
template <int D>
__device__ ConnectSum* connect_sums(const ConnectTask<D>& task) {
    const ListLayout& lists = task.args.lists;
    return reinterpret_cast<ConnectSum*>(
        task.scratch + 2 * (lists.n_leaves + 1 + lists.near_capacity)
    );
}

/// Finds where the entries of the warp's rows begin: behind those of the blocks and warps before
/// it.
template <class Step>
__device__ __forceinline__ void
find_begins(const ConnectBlock& block, ConnectSum above, ConnectSum (&at)[Step::n_lists]) {
#pragma unroll
    for (int list = 0; list < Step::n_lists; ++list) {
        at[list] = block.before[list] + (list == 0 ? above : 0);
        for (unsigned warp = 0; warp < threadIdx.x / warp_lanes; ++warp) {
            at[list] += block.warp[list][warp];
        }
    }
}

template <int n>
__device__ __forceinline__ void copy_sums(const ConnectSum (&from)[n], ConnectSum (&to)[n]) {
#pragma unroll
    for (int list = 0; list < n; ++list) {
        to[list] = from[list];
    }
}

/// Fills in the entries of the counted rows, never beyond a capacity.
/// \param above  number of far entries of the levels above
template <class Step>
__device__ void fill_rows(
    const Step& step,
    const ParentRange& range,
    const ConnectBlock& block,
    const KeptCandidates<Step::dimension>& kept,
    SharedParents<Step::dimension>& shared,
    ConnectSum above
) {
    ConnectSum at[Step::n_lists];
    find_begins<Step>(block, above, at);
    ListCounts counts{};
    unsigned n_visited = 0;
    for (std::size_t parent = range.begin; parent < range.end; ++parent) {
        RowSizes<Step> place;
        ConnectSum end[Step::n_lists];
        copy_sums(at, end);
        place_rows(step, parent, place, end);
        const auto put_shared = [&](int slot) {
            shared.template put_places<Step>(slot, at, place);
        };
        const auto put = [&](const ParentCandidates<Step>& candidates, std::uint32_t i) {
            const auto candidate =
                n_visited < kept.most ? kept.get(n_visited) : candidates.find(i, counts);
            put_candidates(step, candidate, at, place);
            ++n_visited;
        };
        visit_candidates(step, shared, parent, put_shared, put);
        copy_sums(end, at);
    }
    if (shared.n > 0) {
        fill_shared(step, shared);
    }
}

/// Sets the ends of the last rows, and the counts.
template <class Step>
__device__ void finish_lists(const Step& step, const ConnectBlock& block, ConnectSum above) {
    ListCounts& counts = *step.task.counts;
    ConnectSum unseparated = 0;
#pragma unroll
    for (int list = 0; list < Step::n_lists; ++list) {
        const ConnectSum end = block.total[list] + (list == 0 ? above : 0);
        step.list(list).offsets[step.n_rows()] = step.stored(list, end);
        unseparated += list == 0 ? 0 : end;
    }
    counts.far = above + block.total[0];
    counts.near = unseparated;
    const bool fits = counts.far <= step.capacity(0) && unseparated <= step.capacity(1);
    counts.overflow |= fits ? 0 : 1;
    if constexpr (Step::leaves) {
        counts.p2l = block.total[2];
        counts.m2p = block.total[3];
    }
}

/// Makes the lists of one level, and returns the number of far entries up to its end.
template <class Step>
__device__ ConnectSum connect_step(
    const Step& step,
    ConnectBlock& block,
    KeptCandidates<Step::dimension>& kept,
    SharedParents<Step::dimension>& shared,
    ConnectSum above
) {
    const ParentRange range(step.generation().offsets, step.n_parents());
    count_rows(step, range, block, kept, shared);
    sum_counts<Step::n_lists>(connect_sums(step.task), block);
    fill_rows(step, range, block, kept, shared, above);
    if (thread_index() == 0) {
        finish_lists(step, block, above);
    }
    above += block.total[0];
    cooperative_groups::this_grid().sync();
    return above;
}

/// Makes the root's row: every slot is unseparated from the group, by the choice of the slots.
inline __device__ void connect_root_row(const ConnectTask<2>& task) {
    const ListView first = task.generation(task.args.tree.first);
    if (threadIdx.x < task.args.n_slots) {
        first.boxes[threadIdx.x] = threadIdx.x;
    }
    if (threadIdx.x == 0) {
        first.offsets[0] = 0;
        first.offsets[1] = task.args.n_slots;
        task.args.lists.far(task.lists).offsets[0] = 0;
        task.args.lists.far(task.lists).offsets[1] = 0;
        *task.counts = ListCounts{};
    }
}

inline __global__ void __launch_bounds__(connect_threads)
    connect_kernel(const __grid_constant__ ConnectTask<2> task) {
    __shared__ ConnectBlock block;
    __shared__ KeptCandidates<2> kept;
    __shared__ SharedParents<2> shared;
    const Pyramid<2> tree = pyramid_of<2>(task.args);
    if (blockIdx.x == 0) {
        connect_root_row(task);
    }
    block.clear_pairs();
    cooperative_groups::this_grid().sync();
    ConnectSum far = 0;
    for (int level = tree.first + 1; level < tree.last; ++level) {
        far = connect_step(ConnectStep<2, 2>{task, level}, block, kept, shared, far);
    }
    connect_step(ConnectStep<2, 4>{task, tree.last}, block, kept, shared, far);
    if (threadIdx.x == 0) {
        block.put_pairs(*task.counts);
    }
}

inline void connect_pyramid_cuda(const ConnectTask<2>& task) {
    const unsigned resident = resident_blocks(connect_kernel, connect_threads, 0);
    launch_cooperative(
        connect_kernel,
        "launch of connect_kernel",
        {std::min(resident, most_connect_blocks), connect_threads, 0},
        task
    );
}

template <int D>
void ConnectTask<D>::cuda(const ConnectTask& task) {
    if constexpr (D == 2) {
        if (!task.args.has_orthtree()) {
            return connect_pyramid_cuda(task);
        }
    }
    connect_orthtree_cuda(task);
}

} // namespace starfmm

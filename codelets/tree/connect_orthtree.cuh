// SPDX-License-Identifier: BSD-3-Clause
// CUDA side of connect on an orthtree, in one kernel all of whose blocks run at once. A thread
// takes a row. Each level is counted, then filled, as are the lists of leaves.
#pragma once

#include "codelets/cuda/cooperative.cuh"
#include "codelets/tree/connect.hpp"

#include <cooperative_groups.h>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>

#include <algorithm>
#include <array>

namespace starfmm {

inline constexpr int orthtree_connect_threads = 256;

using RowSum = unsigned long long;
using RowReduce = cub::BlockReduce<RowSum, orthtree_connect_threads>;
using RowScan = cub::BlockScan<RowSum, orthtree_connect_threads>;

/// Lists that are written together, and how much of each there is.
template <int n>
struct RowLists {
    ListView list[n];
    std::uint64_t capacity[n];
    RowSum size[n] = {}; ///< entries so far, whether there was room or not

    [[nodiscard]] __device__ bool overflown() const {
        bool over = false;
        for (int i = 0; i < n; ++i) {
            over |= size[i] > capacity[i];
        }
        return over;
    }
};

/// Rows that a grid writes: those of a block follow each other.
class RowWriter {
public:
    struct Shared {
        typename RowReduce::TempStorage reduce;
        typename RowScan::TempStorage scan;
        RowSum before;
        RowSum total;
    };

    /// \param sums [most_connect_blocks * number of lists], of the grid
    __device__ RowWriter(Shared& shared, RowSum* sums) : shared_(shared), sums_(sums) {}

    /// Writes rows `first` to `last` - 1, the ends of which take the place of their sizes: `visit`
    /// may read the rows before, whose last one ends at offsets[first].
    /// \param visit called with (row, emit), calls emit(list, reference) for each entry; twice
    template <int n, class Visit>
    __device__ void
    write(RowLists<n>& lists, std::size_t first, std::size_t last, const Visit& visit) const {
        const std::size_t begin = first + (last - first) * blockIdx.x / gridDim.x;
        const std::size_t end = first + (last - first) * (blockIdx.x + 1) / gridDim.x;
        RowSum counted[n] = {};
        for (std::size_t row = begin + threadIdx.x; row < end; row += blockDim.x) {
            std::uint32_t size[n] = {};
            visit(row, [&](int list, BoxReference /*reference*/) { ++size[list]; });
            for (int i = 0; i < n; ++i) {
                lists.list[i].offsets[row + 1] = size[i];
                counted[i] += size[i];
            }
        }
        for (int i = 0; i < n; ++i) {
            __syncthreads();
            const RowSum own = RowReduce(shared_.reduce).Sum(counted[i]);
            if (threadIdx.x == 0) {
                sums_[i * most_connect_blocks + blockIdx.x] = own;
            }
        }
        cooperative_groups::this_grid().sync();
        RowSum next[n];
        for (int i = 0; i < n; ++i) {
            add_blocks(sums_ + i * most_connect_blocks);
            next[i] = lists.size[i] + shared_.before;
            lists.size[i] += shared_.total;
        }
        for (std::size_t chunk = begin; chunk < end; chunk += blockDim.x) {
            fill(lists, next, chunk + threadIdx.x, end, visit);
        }
        cooperative_groups::this_grid().sync();
    }

private:
    /// Sums of the blocks before and of all, in the shared memory.
    __device__ void add_blocks(const RowSum* sums) const {
        RowSum before = 0;
        RowSum total = 0;
        for (unsigned block = threadIdx.x; block < gridDim.x; block += blockDim.x) {
            before += block < blockIdx.x ? sums[block] : 0;
            total += sums[block];
        }
        __syncthreads();
        before = RowReduce(shared_.reduce).Sum(before);
        __syncthreads();
        total = RowReduce(shared_.reduce).Sum(total);
        if (threadIdx.x == 0) {
            shared_.before = before;
            shared_.total = total;
        }
        __syncthreads();
    }

    template <int n, class Visit>
    __device__ void fill(
        RowLists<n>& lists, RowSum (&next)[n], std::size_t row, std::size_t end, const Visit& visit
    ) const {
        RowSum place[n];
        for (int i = 0; i < n; ++i) {
            const RowSum size = row < end ? lists.list[i].offsets[row + 1] : 0;
            RowSum all = 0;
            __syncthreads();
            RowScan(shared_.scan).ExclusiveSum(size, place[i], all);
            place[i] += next[i];
            next[i] += all;
        }
        if (row < end) {
            visit(row, [&](int list, BoxReference reference) {
                if (place[list] < lists.capacity[list]) {
                    lists.list[list].boxes[place[list]] = reference;
                }
                ++place[list];
            });
            for (int i = 0; i < n; ++i) {
                lists.list[i].offsets[row + 1] = static_cast<std::uint32_t>(place[i]);
            }
        }
    }

    Shared& shared_;
    RowSum* sums_;
};

/// What rows of an orthtree consist of: as OrthtreeConnect has it, each row by itself.
class OrthtreeRows {
public:
    __device__ explicit OrthtreeRows(const ConnectTask& task)
        : task_(task), tree_(task.sources[0].orthtree()), open_(task.orthtree_open()) {}

    [[nodiscard]] const __device__ Orthtree<2>& tree() const { return tree_; }

    /// Far (0) and open (1) entries of any box but the root.
    template <class Emit>
    __device__ void visit_box(std::size_t target, const Emit& emit) const {
        if (task_.targets.radius[target] < 0) {
            return;
        }
        const Target own = target_of(target);
        const std::size_t parent = tree_.parent(target);
        for (std::uint32_t i = open_.offsets[parent]; i < open_.offsets[parent + 1]; ++i) {
            const std::size_t box = open_.boxes[i];
            const BoxRange children = tree_.children(box);
            if (children.begin == children.end) {
                visit_source(own, box, emit);
            }
            for (std::size_t child = children.begin; child < children.end; ++child) {
                visit_source(own, child, emit);
            }
        }
    }

    /// Near (0), P2L (1) and M2P (2) entries of a leaf.
    template <class Emit>
    __device__ void visit_leaf(std::size_t leaf, const Emit& emit) const {
        const std::size_t target = tree_.leaf_box(leaf);
        for (std::uint32_t i = open_.offsets[target]; i < open_.offsets[target + 1]; ++i) {
            const LeafEntry entry = task_.leaf_entry(tree_, leaf, open_.boxes[i]);
            emit(list_of(entry.how), entry.reference);
        }
    }

private:
    /// A box as a target.
    struct Target {
        Frame<double> disc;
        bool is_leaf;
        bool is_small;
    };

    __device__ static int list_of(Coupling how) {
        return how == Coupling::near ? 0 : how == Coupling::p2l ? 1 : 2;
    }

    __device__ Target target_of(std::size_t box) const {
        const bool leaf = is_leaf(box);
        return {
            task_.targets.disc(box),
            leaf,
            leaf && task_.are_few(task_.n_targets(task_.orthtree_leaf_of()[box]))};
    }

    __device__ bool is_leaf(std::size_t box) const {
        const BoxRange children = tree_.children(box);
        return children.begin == children.end;
    }

    /// A candidate, and, of a leaf, all that is below it as far as it is not separated.
    template <class Emit>
    __device__ void visit_source(const Target& target, std::size_t root, const Emit& emit) const {
        for (std::size_t box = root;;) {
            const bool is_met = meet(target, box, emit);
            if (!is_met) {
                box = tree_.children(box).begin;
                continue;
            }
            while (box != root && box + 1 == tree_.children(tree_.parent(box)).end) {
                box = tree_.parent(box);
            }
            if (box == root) {
                return;
            }
            ++box;
        }
    }

    /// \return false if the children are to be met instead
    template <class Emit>
    __device__ bool meet(const Target& target, std::size_t box, const Emit& emit) const {
        const Frame<double> source = task_.sources[0].disc(box);
        const auto reference = static_cast<BoxReference>(box);
        if (source.radius < 0) {
            return true;
        }
        if (are_separated(source, target.disc, task_.args.theta)) {
            if (target.is_small) {
                emit(1, reference | ConnectTask::m2p_kind);
            } else if (target.is_leaf && task_.is_small_leaf(tree_, box)) {
                emit(1, reference | ConnectTask::p2l_kind);
            } else {
                emit(0, reference);
            }
            return true;
        }
        if (target.is_leaf && !is_leaf(box)) {
            return false;
        }
        emit(1, reference);
        return true;
    }

    const ConnectTask& task_;
    Orthtree<2> tree_;
    ListView open_;
};

/// Of the lists of leaves.
__device__ inline void count_leaf_pairs(const ConnectTask& task, const OrthtreeRows& rows) {
    ListCounts counts{};
    for (std::size_t leaf = thread_index(); leaf < rows.tree().leaves();
         leaf += std::size_t(gridDim.x) * blockDim.x) {
        const std::uint64_t n_targets = task.n_targets(leaf);
        const ListView open = task.orthtree_open();
        const std::size_t box = rows.tree().leaf_box(leaf);
        for (std::uint32_t i = open.offsets[box]; i < open.offsets[box + 1]; ++i) {
            const LeafEntry entry = task.leaf_entry(rows.tree(), leaf, open.boxes[i]);
            count_pairs(entry.how, entry.n_sources, n_targets, counts);
        }
    }
    atomicAdd(reinterpret_cast<RowSum*>(&task.counts->p2p_pairs), RowSum(counts.p2p_pairs));
    atomicAdd(reinterpret_cast<RowSum*>(&task.counts->p2l_pairs), RowSum(counts.p2l_pairs));
    atomicAdd(reinterpret_cast<RowSum*>(&task.counts->m2p_pairs), RowSum(counts.m2p_pairs));
}

/// The lists of leaves, from what is open.
__device__ inline void
write_leaf_lists(const ConnectTask& task, const OrthtreeRows& rows, const RowWriter& writer) {
    const ListLayout& layout = task.args.lists;
    const std::uint64_t room = layout.near_capacity;
    RowLists<3> lists{
        {layout.near(task.lists), layout.p2l(task.lists), layout.m2p(task.lists)},
        {room, room, room}};
    const std::size_t n = rows.tree().leaves();
    writer.write(lists, 0, n, [&](std::size_t leaf, const auto& emit) {
        rows.visit_leaf(leaf, emit);
    });
    if (thread_index() == 0) {
        for (const ListView& list : lists.list) {
            list.offsets[0] = 0;
        }
        task.counts->p2l = lists.size[1];
        task.counts->m2p = lists.size[2];
        task.counts->near = lists.size[0] + lists.size[1] + lists.size[2];
    }
    count_leaf_pairs(task, rows);
}

template <class Task>
__global__ void __launch_bounds__(orthtree_connect_threads)
    orthtree_connect_kernel(const __grid_constant__ Task task) {
    __shared__ typename RowWriter::Shared shared;
    const OrthtreeRows rows(task);
    const Orthtree<2>& tree = rows.tree();
    const RowWriter writer(shared, task.orthtree_sums());
    for (std::size_t leaf = thread_index(); leaf < tree.leaves();
         leaf += std::size_t(gridDim.x) * blockDim.x) {
        task.orthtree_leaf_of()[tree.leaf_box(leaf)] = static_cast<std::uint32_t>(leaf);
    }
    RowLists<2> lists{
        {task.args.lists.far(task.lists), task.orthtree_open()},
        {task.args.lists.far_capacity, task.args.lists.near_capacity}};
    const bool meets = task.targets.radius[0] >= 0 && task.sources[0].radius[0] >= 0;
    lists.size[1] = meets ? 1 : 0;
    if (thread_index() == 0) {
        *task.counts = ListCounts{};
        lists.list[0].offsets[0] = 0;
        lists.list[0].offsets[1] = 0;
        lists.list[1].offsets[0] = 0;
        lists.list[1].offsets[1] = meets ? 1 : 0;
        lists.list[1].boxes[0] = 0;
    }
    cooperative_groups::this_grid().sync();
    for (int level = 1; level <= tree.last_level() && !lists.overflown(); ++level) {
        const auto visit = [&](std::size_t box, const auto& emit) { rows.visit_box(box, emit); };
        writer.write(lists, tree.offset(level), tree.offset(level + 1), visit);
    }
    if (thread_index() == 0) {
        task.counts->far = lists.size[0];
        task.counts->overflow = lists.overflown() ? 1 : 0;
    }
    if (!lists.overflown()) {
        write_leaf_lists(task, rows, writer);
    }
}

inline void connect_orthtree_cuda(const ConnectTask& task) {
    const auto kernel = orthtree_connect_kernel<ConnectTask>;
    const unsigned resident = resident_blocks(kernel, orthtree_connect_threads, 0);
    launch_cooperative(
        kernel,
        "launch of orthtree_connect_kernel",
        {std::min(resident, most_connect_blocks), orthtree_connect_threads, 0},
        task
    );
}

} // namespace starfmm

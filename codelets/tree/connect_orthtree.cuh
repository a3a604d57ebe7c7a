// SPDX-License-Identifier: BSD-3-Clause
// CUDA side of connect on an orthtree, in one kernel all of whose blocks run at once: level by
// level, then the lists of leaves.
#pragma once

#include "codelets/cuda/cooperative.cuh"
#include "codelets/tree/connect_writer.cuh"

#include <algorithm>

namespace starfmm {

/// What rows of an orthtree consist of: as OrthtreeConnect has it, each row by itself.
class OrthtreeRows {
public:
    __device__ explicit OrthtreeRows(const ConnectTask& task)
        : task_(task), tree_(task.sources[0].orthtree()), open_(task.orthtree_open()) {}

    [[nodiscard]] const __device__ Orthtree<2>& tree() const { return tree_; }

    /// Far (0) and open (1) entries of any box but the root: a slot a child of what its parent is
    /// near to, or that itself if it is a leaf.
    template <class Pass>
    __device__ void visit_box(std::size_t target, Pass& pass) const {
        if (task_.targets.radius[target] < 0) {
            return;
        }
        const Target own = target_of(target);
        const std::size_t parent = tree_.parent(target);
        const std::uint32_t begin = open_.offsets[parent];
        const std::uint32_t n = n_children<2> * (open_.offsets[parent + 1] - begin);
        for (std::uint32_t first = 0; first < n; first += warp_lanes) {
            const std::uint32_t slot = first + threadIdx.x % warp_lanes;
            pass([&](const auto& emit) {
                if (slot < n) {
                    const BoxReference box = open_.boxes[begin + slot / n_children<2>];
                    visit_child(own, box, slot % n_children<2>, emit);
                }
            });
        }
    }

    /// Near (0), P2L (1) and M2P (2) entries of a leaf, a slot each.
    /// \param pairs are added to in the first pass
    template <class Pass>
    __device__ void visit_leaf(std::size_t leaf, Pass& pass, ListCounts& pairs) const {
        const std::size_t target = tree_.leaf_box(leaf);
        const std::uint64_t n_targets = task_.n_targets(leaf);
        const std::uint32_t end = open_.offsets[target + 1];
        for (std::uint32_t first = open_.offsets[target]; first < end; first += warp_lanes) {
            const std::uint32_t i = first + threadIdx.x % warp_lanes;
            pass([&](const auto& emit) {
                if (i >= end) {
                    return;
                }
                const LeafEntry entry = task_.leaf_entry(tree_, leaf, open_.boxes[i]);
                if constexpr (Pass::is_first_pass) {
                    count_pairs(entry.how, entry.n_sources, n_targets, pairs);
                }
                emit(list_of(entry.how), entry.reference);
            });
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

    /// Child `c` of an open box; if that is a leaf, it is its only child.
    template <class Emit>
    __device__ void
    visit_child(const Target& target, std::size_t box, unsigned c, const Emit& emit) const {
        const BoxRange children = tree_.children(box);
        if (children.begin + c < children.end) {
            visit_source(target, children.begin + c, emit);
        } else if (children.begin == children.end && c == 0) {
            visit_source(target, box, emit);
        }
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

/// The lists of leaves, from what is open.
__device__ inline void write_leaf_lists(
    const ConnectTask& task, const OrthtreeRows& rows, const RowWriter& writer, ConnectBlock& block
) {
    const ListLayout& layout = task.args.lists;
    const std::uint64_t room = layout.near_capacity;
    RowLists<3> lists{
        {layout.near(task.lists), layout.p2l(task.lists), layout.m2p(task.lists)},
        {room, room, room}};
    ListCounts pairs{};
    block.clear_pairs();
    writer.write(lists, 0, rows.tree().leaves(), [&](std::size_t leaf, auto& pass) {
        rows.visit_leaf(leaf, pass, pairs);
    });
    block.add_pairs(pairs);
    __syncthreads();
    if (threadIdx.x == 0) {
        block.put_pairs(*task.counts);
    }
    if (thread_index() == 0) {
        for (const ListView& list : lists.list) {
            list.offsets[0] = 0;
        }
        task.counts->p2l = lists.size[1];
        task.counts->m2p = lists.size[2];
        task.counts->near = lists.size[0] + lists.size[1] + lists.size[2];
    }
}

template <class Task>
__global__ void __launch_bounds__(connect_threads)
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
        const auto visit = [&](std::size_t box, auto& pass) { rows.visit_box(box, pass); };
        writer.write(lists, tree.offset(level), tree.offset(level + 1), visit);
    }
    if (thread_index() == 0) {
        task.counts->far = lists.size[0];
        task.counts->overflow = lists.overflown() ? 1 : 0;
    }
    if (!lists.overflown()) {
        write_leaf_lists(task, rows, writer, shared.block);
    }
}

inline void connect_orthtree_cuda(const ConnectTask& task) {
    const auto kernel = orthtree_connect_kernel<ConnectTask>;
    const unsigned resident = resident_blocks(kernel, connect_threads, 0);
    launch_cooperative(
        kernel,
        "launch of orthtree_connect_kernel",
        {std::min(resident, most_connect_blocks), connect_threads, 0},
        task
    );
}

} // namespace starfmm

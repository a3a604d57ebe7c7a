// SPDX-License-Identifier: BSD-3-Clause
// CUDA side of connect on an orthtree, in one kernel all of whose blocks run at once: level by
// level, then the lists of leaves.
#pragma once

#include "codelets/cuda/cooperative.cuh"
#include "codelets/tree/connect_writer.cuh"

#include <algorithm>

namespace starfmm {

/// Boxes that a warp has yet to meet, the last ones first.
template <int D>
class PendingBoxes {
public:
    /// Twice the children of a box a lane.
    static constexpr unsigned most = 2 * warp_lanes * n_children<D>;
    static constexpr std::size_t none = ~std::size_t(0);

    struct Shared {
        BoxReference boxes[connect_warps][most];
    };

    __device__ explicit PendingBoxes(Shared& shared)
        : boxes_(shared.boxes[threadIdx.x / warp_lanes]) {}

    [[nodiscard]] __device__ bool empty() const { return n_ == 0; }

    /// A box a lane, or none; as many as there is room for all their children.
    __device__ std::size_t take() {
        const unsigned free = n_ < room ? (room - n_) / (n_children<D> - 1) : 0;
        const unsigned taken = min(n_, min(warp_lanes, max(1U, free)));
        const unsigned lane = threadIdx.x % warp_lanes;
        n_ -= taken;
        const std::size_t box = lane < taken ? boxes_[n_ + lane] : none;
        __syncwarp();
        return box;
    }

    /// Adds the lanes' boxes, the children of one each at most.
    __device__ void add(const BoxRange& boxes) {
        const auto n = static_cast<unsigned>(boxes.end - boxes.begin);
        unsigned end = n;
        for (unsigned offset = 1; offset < warp_lanes; offset *= 2) {
            const unsigned before = __shfl_up_sync(0xffffffffU, end, offset);
            end += threadIdx.x % warp_lanes < offset ? 0 : before;
        }
        for (unsigned i = 0; i < n; ++i) {
            boxes_[n_ + end - n + i] = static_cast<BoxReference>(boxes.begin + i);
        }
        n_ += from_lane(end, warp_lanes - 1);
        __syncwarp();
    }

private:
    /// What one box may add that is taken alone, and its descendants, is left free.
    static constexpr unsigned room = most - (n_children<D> - 1) * deepest_level<D>;

    BoxReference* boxes_;
    unsigned n_ = 0;
};

/// What rows of an orthtree consist of: as OrthtreeConnect has it, each row by itself.
template <int D>
class OrthtreeRows {
public:
    using PendingShared = typename PendingBoxes<D>::Shared;

    __device__ OrthtreeRows(const ConnectTask<D>& task, PendingShared& pending)
        : task_(task), tree_(task.sources[0].orthtree()), open_(task.orthtree_open()),
          pending_(pending) {}

    [[nodiscard]] const __device__ Orthtree<D>& tree() const { return tree_; }

    /// Far (0) and open (1) entries of any box but the root: the children of what its parent is
    /// near to meet it, or that itself if it is a leaf.
    template <class Pass>
    __device__ void visit_box(std::size_t target, Pass& pass) const {
        if (task_.targets.radius[target] < 0) {
            return;
        }
        const Target own = target_of(target);
        PendingBoxes<D> pending(pending_);
        const std::size_t parent = tree_.parent(target);
        const std::uint32_t begin = open_.offsets[parent];
        const std::uint32_t n = n_children<D> * (open_.offsets[parent + 1] - begin);
        for (std::uint32_t first = 0; first < n; first += warp_lanes) {
            const std::uint32_t i = first + threadIdx.x % warp_lanes;
            meet(own, i < n ? candidate(begin, i) : PendingBoxes<D>::none, pending, pass);
            while (!pending.empty()) {
                meet(own, pending.take(), pending, pass);
            }
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
            LeafEntry entry{};
            if (i < end) {
                entry = task_.leaf_entry(tree_, leaf, open_.boxes[i]);
            }
            if constexpr (Pass::is_first_pass) {
                count_pairs(entry.how, entry.n_sources, i < end ? n_targets : 0, pairs);
            }
            pass(i < end ? list_of(entry.how) : -1, entry.reference);
        }
    }

private:
    /// A box as a target.
    struct Target {
        Frame<double, D> disc;
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

    /// Child `i` % 2^D of an open entry; a leaf is its only child.
    [[nodiscard]] __device__ std::size_t candidate(std::uint32_t begin, std::uint32_t i) const {
        const BoxReference box = open_.boxes[begin + i / n_children<D>];
        const unsigned c = i % n_children<D>;
        const BoxRange children = tree_.children(box);
        if (children.begin == children.end) {
            return c == 0 ? box : PendingBoxes<D>::none;
        }
        return children.begin + c < children.end ? children.begin + c : PendingBoxes<D>::none;
    }

    /// The lanes' boxes meet the target; of those that a leaf is near to the children are pending.
    template <class Pass>
    __device__ void
    meet(const Target& target, std::size_t box, PendingBoxes<D>& pending, Pass& pass) const {
        int list = -1;
        BoxRange below{0, 0};
        auto reference = static_cast<BoxReference>(box);
        if (box != PendingBoxes<D>::none && task_.sources[0].radius[box] >= 0) {
            const BoxRange children = tree_.children(box);
            if (are_separated(task_.sources[0].disc(box), target.disc, task_.args.theta)) {
                const BoxReference kind = far_kind(target, box);
                list = kind == 0 ? 0 : 1;
                reference |= kind;
            } else if (target.is_leaf && children.begin < children.end) {
                below = children;
            } else {
                list = 1;
            }
        }
        pass(list, reference);
        if (target.is_leaf) {
            pending.add(below);
        }
    }

    /// How a target gets what is far from it: 0 by M2L, else as an open entry.
    [[nodiscard]] __device__ BoxReference far_kind(const Target& target, std::size_t box) const {
        if (target.is_small) {
            return ConnectTask<D>::m2p_kind;
        }
        return target.is_leaf && task_.is_small_leaf(tree_, box) ? ConnectTask<D>::p2l_kind : 0;
    }

    const ConnectTask<D>& task_;
    Orthtree<D> tree_;
    ListView open_;
    PendingShared& pending_;
};

/// The lists of leaves, from what is open.
template <int D>
__device__ void write_leaf_lists(
    const ConnectTask<D>& task,
    const OrthtreeRows<D>& rows,
    const RowWriter& writer,
    ConnectBlock& block
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

template <int D>
__global__ void __launch_bounds__(connect_threads)
    orthtree_connect_kernel(const __grid_constant__ ConnectTask<D> task) {
    __shared__ typename RowWriter::Shared shared;
    __shared__ typename PendingBoxes<D>::Shared pending;
    const OrthtreeRows<D> rows(task, pending);
    const Orthtree<D>& tree = rows.tree();
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

template <int D>
void connect_orthtree_cuda(const ConnectTask<D>& task) {
    const auto kernel = orthtree_connect_kernel<D>;
    const unsigned resident = resident_blocks(kernel, connect_threads, 0);
    launch_cooperative(
        kernel,
        "launch of orthtree_connect_kernel",
        {std::min(resident, most_connect_blocks), connect_threads, 0},
        task
    );
}

} // namespace starfmm

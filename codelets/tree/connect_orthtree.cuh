// SPDX-License-Identifier: BSD-3-Clause
// The CUDA side of connect on an orthtree, in one kernel all of whose blocks run at once: level by
// level, then the lists of leaves. A group below a top has kernels of its own, which look up each
// box's slot; a single group is its only slot.
#pragma once

#include "codelets/cuda/cooperative.cuh"
#include "codelets/tree/connect_writer.cuh"

#include <algorithm>

namespace starfmm {

/// The reference of no box, for a thread that has none.
inline constexpr BoxReference no_reference = ~BoxReference(0);

/// The children of one box.
struct Siblings {
    BoxReference first;
    unsigned n;
};

/// The shared memory for boxes that the teams of a block have yet to meet.
struct PendingRoom {
    Siblings siblings[8 * connect_threads];
};

/// The boxes that a team has yet to meet, the last ones first.
template <int D, class Team>
class PendingBoxes {
public:
    __device__ PendingBoxes(PendingRoom& shared, const Team& team)
        : team_(team), siblings_(shared.siblings + team.number() * most) {}

    [[nodiscard]] __device__ bool empty() const { return n_ == 0; }

    /// Takes a box a thread, or none, from as many families as there is room for all their
    /// children's.
    __device__ BoxReference take() {
        constexpr unsigned families = Team::size / n_children<D>;
        const unsigned free = n_ < room ? (room - n_) / (n_children<D> - 1) : 0;
        const unsigned taken = min(n_, min(families, max(1U, free)));
        n_ -= taken;
        const unsigned family = team_.rank() / n_children<D>;
        const unsigned child = team_.rank() % n_children<D>;
        BoxReference box = no_reference;
        if (family < taken && child < siblings_[n_ + family].n) {
            box = siblings_[n_ + family].first + child;
        }
        team_.sync();
        return box;
    }

    /// Adds the children of the threads' boxes.
    __device__ void add(const BoxRange& boxes) {
        const bool has_any = boxes.begin < boxes.end;
        const TeamPlace place = team_.place(has_any);
        if (has_any) {
            siblings_[n_ + place.before] = {
                static_cast<BoxReference>(boxes.begin),
                static_cast<unsigned>(boxes.end - boxes.begin)};
        }
        n_ += place.all;
        team_.sync();
    }

private:
    static constexpr unsigned most = 8 * Team::size;

    /// The room for boxes: what one box that is taken alone, and its descendants, may add is left
    /// free.
    static constexpr unsigned room = most - (n_children<D> - 1) * deepest_level<D>;

    const Team& team_;
    Siblings* siblings_;
    unsigned n_ = 0;
};

/// The only slot of a single group: names of boxes are their numbers, and the trees of sources and
/// targets have the same boxes.
template <int D>
class OneSlot {
public:
    static constexpr bool is_group = false;

    __device__ explicit OneSlot(const ConnectTask<D>& task)
        : task_(task), tree_(task.sources[0].orthtree()) {}

    /// Returns the tree of the targets.
    [[nodiscard]] const __device__ Orthtree<D>& targets() const { return tree_; }

    /// Returns the tree of a box's slot.
    [[nodiscard]] const __device__ Orthtree<D>& tree_of(BoxReference /*box*/) const {
        return tree_;
    }

    [[nodiscard]] __device__ double radius(BoxReference box) const {
        return task_.sources[0].radius[box];
    }

    [[nodiscard]] __device__ Frame<double, D> disc(BoxReference box) const {
        return task_.sources[0].disc(box);
    }

    /// Returns a box's factor of the radius by share.
    [[nodiscard]] __device__ float reach(BoxReference box) const { return task_.target_reach[box]; }

    [[nodiscard]] const __device__ OwnReach& own(BoxReference box) const {
        return task_.own[0][box];
    }

    [[nodiscard]] __device__ BoxRange children(BoxReference box) const {
        return tree_.children(box);
    }

private:
    const ConnectTask<D>& task_;
    Orthtree<D> tree_;
};

/// The slots of a group, where ranges of children are ranges of names.
template <int D>
class GroupSlots {
public:
    static constexpr bool is_group = true;

    __device__ explicit GroupSlots(const ConnectTask<D>& task)
        : task_(task), named_(task.args.orthtree_references()), tree_(task.targets.orthtree()) {}

    [[nodiscard]] const __device__ Orthtree<D>& targets() const { return tree_; }

    [[nodiscard]] __device__ Orthtree<D> tree_of(BoxReference box) const {
        return task_.sources[named_.slot(box)].orthtree();
    }

    [[nodiscard]] __device__ double radius(BoxReference box) const {
        return task_.sources[named_.slot(box)].radius[named_.number(box)];
    }

    [[nodiscard]] __device__ Frame<double, D> disc(BoxReference box) const {
        return task_.sources[named_.slot(box)].disc(named_.number(box));
    }

    [[nodiscard]] __device__ float reach(BoxReference box) const {
        return task_.source_reach(named_.slot(box))[named_.number(box)];
    }

    [[nodiscard]] const __device__ OwnReach& own(BoxReference box) const {
        return task_.own[named_.slot(box)][named_.number(box)];
    }

    [[nodiscard]] __device__ BoxRange children(BoxReference box) const {
        const BoxRange numbers = tree_of(box).children(named_.number(box));
        const BoxReference begin = named_.name(named_.slot(box), numbers.begin);
        return {begin, begin + (numbers.end - numbers.begin)};
    }

    [[nodiscard]] __device__ BoxReference root(std::uint32_t slot) const {
        return named_.name(slot, 0);
    }

private:
    const ConnectTask<D>& task_;
    OrthtreeReferences named_;
    Orthtree<D> tree_;
};

/// The rows of an orthtree, which are as OrthtreeConnect has them; a team finds each row by itself.
/// \tparam Slots OneSlot or GroupSlots
/// \tparam by_bodies whether separations depend on bodies (ConnectTask::has_reaches)
template <int D, template <int> class Slots, bool by_bodies>
class OrthtreeRows {
public:
    __device__ OrthtreeRows(const ConnectTask<D>& task, PendingRoom& pending)
        : task_(task), slots_(task), open_(task.orthtree_open()), pending_(pending) {}

    [[nodiscard]] const __device__ Orthtree<D>& tree() const { return slots_.targets(); }

    /// Finds far and open entries of the root: it meets the slots' roots, or the boxes below them
    /// that are nearer to its size.
    template <class Pass, class Team>
    __device__ void visit_root(Pass& pass, Team& team) const {
        if (task_.targets.radius[0] < 0) {
            return;
        }
        const Target own = target_of(0);
        PendingBoxes<D, Team> pending(pending_, team);
        for (std::uint32_t first = 0; first < task_.args.n_slots; first += Team::size) {
            const std::uint32_t slot = first + team.rank();
            const bool exists = slot < task_.args.n_slots;
            if (!meet_all(own, exists ? slots_.root(slot) : no_reference, pending, pass, team)) {
                return;
            }
        }
    }

    /// Finds far (0) and open (1) entries of any box but the root: it meets the children of the
    /// boxes that its parent is near to, or those boxes themselves if they are leaves.
    template <class Pass, class Team>
    __device__ void visit_box(std::size_t target, Pass& pass, Team& team) const {
        if (task_.targets.radius[target] < 0) {
            return;
        }
        const Target own = target_of(target);
        PendingBoxes<D, Team> pending(pending_, team);
        const std::size_t parent = tree().parent(target);
        const double least = Slots<D>::is_group ? task_.least_opened(parent) : 0;
        const std::uint32_t begin = open_.offsets[parent];
        const std::uint32_t n = n_children<D> * (open_.offsets[parent + 1] - begin);
        if (!team.takes(n / Team::size)) {
            return;
        }
        for (std::uint32_t first = 0; first < n; first += Team::size) {
            const std::uint32_t i = first + team.rank();
            const BoxReference box = i < n ? candidate(begin, i, least) : no_reference;
            if (!meet_all(own, box, pending, pass, team)) {
                return;
            }
        }
    }

    /// Finds near (0), P2L (1) and M2P (2) entries of a leaf, a slot each.
    /// \param pairs  are added to in the first pass
    template <class Pass, class Team>
    __device__ void visit_leaf(std::size_t leaf, Pass& pass, Team& team, ListCounts& pairs) const {
        const std::size_t target = tree().leaf_box(leaf);
        const std::uint64_t n_targets = task_.n_targets(leaf);
        const std::uint32_t begin = open_.offsets[target];
        const std::uint32_t end = open_.offsets[target + 1];
        if (!team.takes((end - begin) / Team::size)) {
            return;
        }
        for (std::uint32_t first = begin; first < end; first += Team::size) {
            const std::uint32_t i = first + team.rank();
            LeafEntry entry{};
            if (i < end) {
                entry = task_.leaf_entry(tree(), leaf, open_.boxes[i]);
            }
            if constexpr (Pass::is_first_pass) {
                count_pairs(entry.how, entry.n_sources, i < end ? n_targets : 0, pairs);
            }
            pass(i < end ? list_of(entry.how) : -1, entry.reference, team);
        }
    }

private:
    /// A box as a target.
    struct Target {
        Frame<double, D> disc;
        double reach; ///< factor of its radius, by share
        std::uint32_t box;
        bool is_leaf;
        bool is_small;
        bool is_root; ///< whether it is the root of a group below a top

        /// Whether boxes that the target is near to are opened at once.
        [[nodiscard]] __device__ bool opens() const { return is_leaf || is_root; }

        [[nodiscard]] __device__ bool opens(double radius) const {
            return is_leaf || (is_root && radius > ConnectTask<D>::same_level * disc.radius);
        }
    };

    __device__ static int list_of(Coupling how) {
        return how == Coupling::near ? 0 : how == Coupling::p2l ? 1 : 2;
    }

    __device__ Target target_of(std::size_t box) const {
        const bool leaf = is_leaf(box);
        const Frame<double, D> disc = task_.targets.disc(box);
        const bool varies = task_.args.by_share.varies();
        return {
            disc,
            varies ? disc.radius * static_cast<double>(task_.target_reach[box]) : 0,
            static_cast<std::uint32_t>(box),
            leaf,
            leaf && task_.are_few(task_.n_targets(task_.orthtree_leaf_of()[box])),
            Slots<D>::is_group && box == 0};
    }

    __device__ bool is_leaf(std::size_t box) const {
        const BoxRange children = tree().children(box);
        return children.begin == children.end;
    }

    /// Returns child `i` % 2^D of an open entry; a leaf is its only child, as is a box below a
    /// radius.
    [[nodiscard]] __device__ BoxReference
    candidate(std::uint32_t begin, std::uint32_t i, double least) const {
        const BoxReference box = open_.boxes[begin + i / n_children<D>];
        const unsigned c = i % n_children<D>;
        const BoxRange children = slots_.children(box);
        const bool is_small = Slots<D>::is_group && slots_.radius(box) < least;
        if (children.begin == children.end || is_small) {
            return c == 0 ? box : no_reference;
        }
        const auto child = static_cast<BoxReference>(children.begin + c);
        return child < children.end ? child : no_reference;
    }

    /// Lets the target meet the threads' boxes, and all that is then pending.
    /// \return whether the team does not leave the row to others
    template <class Pass, class Team>
    __device__ bool meet_all(
        const Target& target,
        BoxReference reference,
        PendingBoxes<D, Team>& pending,
        Pass& pass,
        Team& team
    ) const {
        meet(target, reference, pending, pass, team);
        while (!pending.empty()) {
            if (!team.takes(1)) {
                return false;
            }
            meet(target, pending.take(), pending, pass, team);
        }
        return true;
    }

    /// Lets the target meet the threads' boxes; if it is near to a box, and opens it, the children
    /// are pending.
    template <class Pass, class Team>
    __device__ void meet(
        const Target& target,
        BoxReference reference,
        PendingBoxes<D, Team>& pending,
        Pass& pass,
        Team& team
    ) const {
        int list = -1;
        BoxRange below{0, 0};
        if (reference != no_reference && slots_.radius(reference) >= 0) {
            const BoxRange children = slots_.children(reference);
            if (are_far(target, reference)) {
                const BoxReference kind = far_kind(target, reference);
                list = kind == 0 ? 0 : 1;
                reference |= kind;
            } else if (children.begin == children.end || !target.opens(slots_.radius(reference))) {
                list = 1;
            } else if (target.is_leaf && is_by_m2p(target, reference)) {
                list = 1;
                reference |= ConnectTask<D>::m2p_kind;
            } else {
                below = children;
            }
        }
        pass(list, reference, team);
        if (target.opens()) {
            pending.add(below);
        }
    }

    [[nodiscard]] __device__ bool are_far(const Target& target, BoxReference box) const {
        const SeparationRule rule = task_.separation();
        Frame<double, D> source = slots_.disc(box);
        if (!rule(source, target.disc)) {
            return false;
        }
        if constexpr (by_bodies) {
            const OwnReach& own = slots_.own(box);
            if (task_.args.kernel.has_lengths &&
                !task_.are_beyond_lengths(source, own.length, target.box)) {
                return false;
            }
            if (task_.args.own_error.varies()) {
                return are_apart_by_own_error(
                    own.source,
                    own.source_size,
                    task_.own[0][target.box],
                    distance2(source, target.disc)
                );
            }
        }
        if (!task_.args.by_share.varies()) {
            return true;
        }
        source.radius *= static_cast<double>(slots_.reach(box));
        return are_separated<double, D>(source, {target.disc.centre, target.reach}, rule.theta);
    }

    [[nodiscard]] __device__ bool is_by_m2p(const Target& target, BoxReference box) const {
        Frame<double, D> source = slots_.disc(box);
        if (task_.args.by_share.varies()) {
            source.radius *= static_cast<double>(slots_.reach(box));
        }
        if (by_bodies && !task_.are_apart_by_bodies(box, target.box, true)) {
            return false;
        }
        return task_.is_by_m2p(slots_.tree_of(box), box, source, target.disc);
    }

    /// Returns how a target gets what is far from it: 0 by M2L, else as an open entry.
    [[nodiscard]] __device__ BoxReference far_kind(const Target& target, BoxReference box) const {
        if (target.is_small) {
            return ConnectTask<D>::m2p_kind;
        }
        return target.is_leaf && task_.is_small_leaf(slots_.tree_of(box), box)
                   ? ConnectTask<D>::p2l_kind
                   : 0;
    }

    const ConnectTask<D>& task_;
    Slots<D> slots_;
    ListView open_;
    PendingRoom& pending_;
};

/// Writes the lists of leaves from the open entries.
template <int D, class Rows>
__device__ void write_leaf_lists(
    const ConnectTask<D>& task, const Rows& rows, RowWriter& writer, ConnectBlock& block
) {
    const ListLayout& layout = task.args.lists;
    const std::uint64_t room = layout.near_capacity;
    RowLists<3> lists{
        {layout.near(task.lists), layout.p2l(task.lists), layout.m2p(task.lists)},
        {room, room, room}};
    ListCounts pairs{};
    block.clear_pairs();
    for (int i = 0; i < 3 && thread_index() == 0; ++i) {
        lists.list[i].offsets[0] = 0;
    }
    writer.write(lists, 0, rows.tree().leaves(), [&](std::size_t leaf, auto& pass, auto& team) {
        rows.visit_leaf(leaf, pass, team, pairs);
    });
    block.add_pairs(pairs);
    __syncthreads();
    if (threadIdx.x == 0) {
        block.put_pairs(*task.counts);
    }
    if (thread_index() == 0) {
        task.counts->p2l = lists.size[1];
        task.counts->m2p = lists.size[2];
        task.counts->near = lists.size[0] + lists.size[1] + lists.size[2];
    }
}

/// Finds the leaf that each box is, by all threads of the grid.
template <int D>
__device__ void find_leaves(const Orthtree<D>& tree, std::uint32_t* leaf_of) {
    for (std::size_t leaf = thread_index(); leaf < tree.leaves();
         leaf += std::size_t(gridDim.x) * blockDim.x) {
        leaf_of[tree.leaf_box(leaf)] = static_cast<std::uint32_t>(leaf);
    }
}

/// Finds ShareSeparation::reach of all boxes, by all threads of the grid.
template <int D>
__device__ void find_reaches(
    const ConnectTask<D>& task,
    const Orthtree<D>& tree,
    const std::uint32_t* leaf_of,
    double n_points,
    float* reach
) {
    for (std::size_t box = thread_index(); box < tree.total_boxes();
         box += std::size_t(gridDim.x) * blockDim.x) {
        reach[box] = task.reach_of(tree, leaf_of, box, n_points);
    }
}

/// Writes the far (0) and open (1) entries of the root of a single group, which is only near
/// itself.
template <int D>
__device__ void write_only_root(const ConnectTask<D>& task, RowLists<2>& lists) {
    const bool meets = task.targets.radius[0] >= 0 && task.sources[0].radius[0] >= 0;
    lists.size[1] = meets ? 1 : 0;
    if (thread_index() == 0) {
        lists.list[0].offsets[1] = 0;
        lists.list[1].offsets[1] = meets ? 1 : 0;
        lists.list[1].boxes[0] = 0;
    }
}

/// Returns the kept rows, in what the scratch has between open rows and sums. No level has more
/// rows than there are leaves.
template <int D>
__device__ KeptRows kept_rows(const ConnectTask<D>& task) {
    const ListLayout& layout = task.args.lists;
    std::uint32_t* begin = task.orthtree_open().boxes + layout.near_capacity;
    const auto* end = reinterpret_cast<const std::uint32_t*>(task.orthtree_sums());
    return {begin, static_cast<std::uint64_t>(end - begin), layout.n_leaves};
}

/// The blocks of a multiprocessor: rows wait for memory, and a few spilled registers cost less than
/// half of the warps do (1e7 bodies take 5.0 ms with two blocks and no spill, 3.9 with three, 3.5
/// with four).
inline constexpr int orthtree_connect_blocks = 4;

template <int D, template <int> class Slots, bool by_bodies>
__global__ void __launch_bounds__(connect_threads, orthtree_connect_blocks)
    orthtree_connect_kernel(const __grid_constant__ ConnectTask<D> task) {
    __shared__ typename RowWriter::Shared shared;
    __shared__ PendingRoom pending;
    const OrthtreeRows<D, Slots, by_bodies> rows(task, pending);
    const Orthtree<D>& tree = rows.tree();
    RowWriter writer(shared, task.orthtree_sums(), kept_rows(task));
    find_leaves(tree, task.orthtree_leaf_of());
    RowLists<2> lists{
        {task.args.lists.far(task.lists), task.orthtree_open()},
        {task.args.lists.far_capacity, task.args.lists.near_capacity}};
    if (thread_index() == 0) {
        writer.clear();
        *task.counts = ListCounts{};
        lists.list[0].offsets[0] = 0;
        lists.list[1].offsets[0] = 0;
    }
    if constexpr (Slots<D>::is_group) {
        for (std::uint32_t slot = 0; slot < task.args.n_slots; ++slot) {
            find_leaves(task.sources[slot].orthtree(), task.leaf_of[slot]);
        }
    } else {
        write_only_root(task, lists);
    }
    cooperative_groups::this_grid().sync();
    const ShareSeparation& by_share = task.args.by_share;
    if (by_share.varies()) {
        const Orthtree<D> targets = task.targets.orthtree(); // else the tree is the sources'
        find_reaches(task, targets, task.orthtree_leaf_of(), by_share.n_targets, task.target_reach);
        for (std::uint32_t slot = 0; Slots<D>::is_group && slot < task.args.n_slots; ++slot) {
            find_reaches(
                task,
                task.sources[slot].orthtree(),
                task.leaf_of[slot],
                by_share.n_sources,
                task.source_reach(slot)
            );
        }
        cooperative_groups::this_grid().sync();
    }
    if constexpr (Slots<D>::is_group) {
        writer.write(lists, 0, 1, [&](std::size_t /*box*/, auto& pass, auto& team) {
            rows.visit_root(pass, team);
        });
    }
    for (int level = 1; level <= tree.last_level() && !lists.overflown(); ++level) {
        const auto visit = [&](std::size_t box, auto& pass, auto& team) {
            rows.visit_box(box, pass, team);
        };
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

template <int D, template <int> class Slots, bool by_bodies>
void launch_orthtree_connect(const ConnectTask<D>& task) {
    const auto kernel = orthtree_connect_kernel<D, Slots, by_bodies>;
    const unsigned resident = resident_blocks(kernel, connect_threads, 0);
    launch_cooperative(
        kernel,
        "launch of orthtree_connect_kernel",
        {std::min(resident, most_connect_blocks), connect_threads, 0},
        task
    );
}

template <int D, bool by_bodies>
void connect_orthtree_cuda_by(const ConnectTask<D>& task) {
    if (task.args.is_group) {
        launch_orthtree_connect<D, GroupSlots, by_bodies>(task);
    } else {
        launch_orthtree_connect<D, OneSlot, by_bodies>(task);
    }
}

/// Runs connect on an orthtree. Separations by what boxes hold have kernels of their own, so that
/// the registers of others are few.
template <int D>
void connect_orthtree_cuda(const ConnectTask<D>& task) {
    if (task.has_reaches()) {
        connect_orthtree_cuda_by<D, true>(task);
    } else {
        connect_orthtree_cuda_by<D, false>(task);
    }
}

} // namespace starfmm

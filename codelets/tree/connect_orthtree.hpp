// SPDX-License-Identifier: BSD-3-Clause
// Connect on an orthtree, whose leaves lie at any level, by the multipole acceptance criterion
// between boxes of any two sizes [GE12 Eq 2.1]. In space the gap between cubes counts, too, and the
// lengths of the points, if they have any; where that is asked for, so does what boxes hold, or what
// they leave out of their targets' own fields. O(boxes).
//
// If two boxes are not well separated, their children meet, or the children of the one that has
// any. Rows of the far list name boxes of any level. Groups begin from the roots of their slots,
// which lie at several levels, too: boxes then wait for others until these are of their size. A
// leaf of a few targets gets what is far from it by M2P, and a leaf gets what is far and has a few
// sources by P2L: both cost less than M2L there. In space a leaf gets a box with very many points
// that it is too near to, or too large, for M2L by M2P.
#pragma once

#include "codelets/tree/connect.hpp"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace starfmm {

template <int D, class Isa>
class OrthtreeConnect {
public:
    explicit OrthtreeConnect(const ConnectTask<D>& task)
        : task_(task), tree_(task.targets.orthtree()), named_(task.args.orthtree_references()),
          open_list_(task.orthtree_open()),
          far_(task.args.lists.far(task.lists), task.args.lists.far_capacity),
          open_(open_list_, task.args.lists.near_capacity) {
        find_leaves(tree_, task_.orthtree_leaf_of());
        for (std::uint32_t slot = 0; slot < task_.args.n_slots; ++slot) {
            sources_[slot] = task_.sources[slot].orthtree();
            find_leaves(sources_[slot], task_.leaf_of[slot]);
        }
        if (task_.args.by_share.varies()) {
            find_reaches();
        }
    }

    [[nodiscard]] ListCounts run() {
        ListCounts counts{};
        connect_root();
        for (std::size_t parent = 0; parent < tree_.total_boxes(); ++parent) {
            connect_children(parent);
        }
        far_.end(tree_.total_boxes());
        open_.end(tree_.total_boxes());
        counts.far = far_.size();
        counts.overflow = far_.overflown() || open_.overflown() ? 1 : 0;
        if (counts.overflow == 0) {
            connect_leaves(counts);
        }
        return counts;
    }

private:
    /// A list that takes what is near, in any order.
    class Pending {
    public:
        static void reserve(std::size_t /*n*/) {}

        void add_if(bool wanted, BoxReference box) {
            if (wanted) {
                boxes_.push_back(box);
            }
        }

        template <class B>
        void add_marked(unsigned bits, const BoxReference* boxes) {
            const std::size_t n = boxes_.size();
            boxes_.resize(n + B::size);
            boxes_.resize(n + store_marked<B>(bits, boxes, boxes_.data() + n));
        }

        [[nodiscard]] bool empty() const { return boxes_.empty(); }

        BoxReference take() {
            const BoxReference box = boxes_.back();
            boxes_.pop_back();
            return box;
        }

    private:
        std::vector<BoxReference> boxes_;
    };

    /// A list that takes what is far from a leaf.
    class FarFromLeaf {
    public:
        FarFromLeaf(OrthtreeConnect& connect, std::uint64_t n_targets)
            : connect_(connect), by_m2p_(connect.task_.are_few(n_targets)) {}

        void reserve(std::size_t n) {
            connect_.far_.reserve(n);
            connect_.open_.reserve(n);
        }

        template <class B>
        void add_marked(unsigned bits, const BoxReference* boxes) {
            if constexpr (D == 3) {
                connect_.far_.template add_marked<B>(bits, boxes); // points of leaves are never few
            } else {
                for (; bits != 0; bits &= bits - 1) {
                    add(boxes[std::countr_zero(bits)]);
                }
            }
        }

    private:
        void add(BoxReference box) {
            const bool by_p2l =
                !by_m2p_ && connect_.task_.is_small_leaf(connect_.tree_of(box), box);
            connect_.far_.add_if(!by_m2p_ && !by_p2l, box);
            connect_.open_.add_if(
                by_m2p_ || by_p2l,
                box | (by_m2p_ ? ConnectTask<D>::m2p_kind : ConnectTask<D>::p2l_kind)
            );
        }

        OrthtreeConnect& connect_;
        bool by_m2p_;
    };

    static void find_leaves(const Orthtree<D>& tree, std::uint32_t* leaf_of) {
        for (std::size_t leaf = 0; leaf < tree.leaves(); ++leaf) {
            const std::size_t box = tree.leaf_box(leaf);
            leaf_of[box] = static_cast<std::uint32_t>(leaf);
        }
    }

    void find_reaches() {
        const ShareSeparation& by_share = task_.args.by_share;
        find_reaches(tree_, task_.orthtree_leaf_of(), by_share.n_targets, task_.target_reach);
        for (std::uint32_t slot = 0; task_.args.is_group && slot < task_.args.n_slots; ++slot) {
            const double n_sources = by_share.n_sources;
            find_reaches(sources_[slot], task_.leaf_of[slot], n_sources, task_.source_reach(slot));
        }
    }

    /// Finds the factors of radii, parents first: below a box whose factor is 1 all factors are 1.
    void find_reaches(
        const Orthtree<D>& tree, const std::uint32_t* leaf_of, double n_points, float* reach
    ) const {
        for (std::size_t box = 0; box < tree.total_boxes(); ++box) {
            const bool may_vary = box == 0 || reach[tree.parent(box)] > 1;
            reach[box] = may_vary ? task_.reach_of(tree, leaf_of, box, n_points) : 1;
        }
    }

    [[nodiscard]] SlotReaches reaches_of_slot(std::uint32_t slot) const {
        return {task_.args.by_share.varies() ? task_.source_reach(slot) : nullptr, task_.own[slot]};
    }

    /// Lets a target meet all candidates.
    template <class Far, class Near>
    void distribute(std::size_t target, Far& far, Near& near) {
        const TargetReach reach{
            task_.args.by_share.varies() ? task_.target_reach[target] : 0,
            task_.args.own_error.varies() ? task_.own[0] + target : nullptr,
            task_.args.kernel.has_lengths ? task_.target_length(target) : -1};
        candidates_.distribute(task_.targets.disc(target), task_.separation(), far, near, reach);
    }

    [[nodiscard]] static bool is_leaf(const Orthtree<D>& tree, std::size_t box) {
        const BoxRange children = tree.children(box);
        return children.begin == children.end;
    }

    [[nodiscard]] const Orthtree<D>& tree_of(BoxReference source) const {
        return sources_[named_.slot(source)];
    }

    [[nodiscard]] bool is_leaf(BoxReference source) const {
        return is_leaf(tree_of(source), named_.number(source));
    }

    /// Connects the root, which is near the slots' roots, or their children where these are nearer
    /// in size.
    void connect_root() {
        begin_rows(0);
        if (task_.targets.radius[0] < 0) {
            return;
        }
        for (std::uint32_t slot = 0; slot < task_.args.n_slots; ++slot) {
            pending_.add_if(task_.sources[slot].radius[0] >= 0, named_.name(slot, 0));
        }
        if (is_leaf(tree_, 0)) {
            FarFromLeaf far(*this, task_.n_targets(0));
            resolve(0, far);
        } else {
            open_roots();
        }
    }

    void open_roots() {
        const double largest = ConnectTask<D>::same_level * task_.targets.radius[0];
        const bool differs = task_.args.top_box > 0; // groups' roots do, else all have one
        while (!pending_.empty()) {
            const BoxReference box = pending_.take();
            const double radius = task_.sources[named_.slot(box)].radius[named_.number(box)];
            if (!differs || is_leaf(box) || radius <= largest) {
                open_.reserve(1);
                open_.add_if(true, box);
            } else {
                meet_below(0, box, far_);
            }
        }
    }

    void begin_rows(std::size_t box) {
        far_.begin_row(box);
        open_.begin_row(box);
    }

    /// Connects the children of `parent` to the boxes that they may be near to: the boxes that it
    /// is near to, or their children.
    void connect_children(std::size_t parent) {
        const BoxRange children = tree_.children(parent);
        const std::uint32_t begin = open_list_.offsets[parent];
        // its row ends where the next one begins, or will begin
        const std::uint32_t end =
            parent + 1 < children.begin ? open_list_.offsets[parent + 1] : open_.stored();
        for (std::size_t child = children.begin; child < children.end; ++child) {
            begin_rows(child);
            if (task_.targets.radius[child] < 0) {
                continue;
            }
            const double least = task_.least_opened(parent);
            if (is_leaf(tree_, child)) {
                const std::uint32_t leaf = task_.orthtree_leaf_of()[child];
                FarFromLeaf far(*this, task_.n_targets(leaf));
                meet(child, {begin, end, least}, far, pending_);
                resolve(child, far);
            } else {
                meet(child, {begin, end, least}, far_, open_);
            }
        }
    }

    /// The open entries of a box, and the radius below which they are not opened.
    struct OpenRange {
        std::uint32_t begin;
        std::uint32_t end;
        double least;
    };

    /// Lets `target` meet the children of open entries, or those entries that are leaves or too
    /// small.
    template <class Far, class Near>
    void meet(std::size_t target, const OpenRange& open, Far& far, Near& near) {
        for (std::uint32_t i = open.begin; i < open.end;) {
            candidates_.clear();
            for (; i < open.end && !candidates_.full(); ++i) {
                const BoxReference box = open_list_.boxes[i];
                const std::uint32_t slot = named_.slot(box);
                if (task_.sources[slot].radius[named_.number(box)] < open.least) {
                    add_alone(box);
                } else {
                    add_below(box);
                }
            }
            distribute(target, far, near);
        }
    }

    void add_alone(BoxReference source) {
        const std::uint32_t slot = named_.slot(source);
        candidates_.add(
            task_.sources[slot], named_.number(source), source, 1, reaches_of_slot(slot)
        );
    }

    void add_below(BoxReference source) {
        const std::uint32_t slot = named_.slot(source);
        const std::size_t box = named_.number(source);
        const BoxRange children = sources_[slot].children(box);
        if (children.begin == children.end) {
            add_alone(source);
        } else {
            candidates_.add(
                task_.sources[slot],
                children.begin,
                named_.name(slot, children.begin),
                children.end - children.begin,
                reaches_of_slot(slot)
            );
        }
    }

    /// Lets a target meet the children of a source box, where what is near is pending.
    template <class Far>
    void meet_below(std::size_t target, BoxReference box, Far& far) {
        candidates_.clear();
        add_below(box);
        distribute(target, far, pending_);
    }

    /// Lets a leaf meet ever smaller boxes.
    void resolve(std::size_t target, FarFromLeaf& far) {
        while (!pending_.empty()) {
            const BoxReference box = pending_.take();
            if (is_leaf(box)) {
                open_.reserve(1);
                open_.add_if(true, box);
            } else if (is_by_m2p(target, box)) {
                open_.reserve(1);
                open_.add_if(true, box | ConnectTask<D>::m2p_kind);
            } else {
                meet_below(target, box, far);
            }
        }
    }

    [[nodiscard]] bool is_by_m2p(std::size_t target, BoxReference box) const {
        const std::uint32_t slot = named_.slot(box);
        Frame<double, D> source = task_.sources[slot].disc(named_.number(box));
        if (task_.args.by_share.varies()) {
            source.radius *= static_cast<double>(task_.source_reach(slot)[named_.number(box)]);
        }
        return task_.are_apart_by_bodies(box, target, true) &&
               task_.is_by_m2p(sources_[slot], box, source, task_.targets.disc(target));
    }

    void connect_leaves(ListCounts& counts) {
        LeafLists lists(task_);
        for (std::size_t leaf = 0; leaf < tree_.leaves(); ++leaf) {
            const std::size_t box = tree_.leaf_box(leaf);
            lists.begin_row(leaf);
            for (std::uint32_t i = open_list_.offsets[box]; i < open_list_.offsets[box + 1]; ++i) {
                const LeafEntry entry = task_.leaf_entry(tree_, leaf, open_list_.boxes[i]);
                lists.add(
                    entry.how, entry.reference, entry.n_sources, task_.n_targets(leaf), counts
                );
            }
        }
        lists.end(tree_.leaves(), counts);
    }

    const ConnectTask<D>& task_;
    Orthtree<D> tree_; ///< tree of the targets
    OrthtreeReferences named_;
    Orthtree<D> sources_[max_slots];
    ListView open_list_; ///< boxes that each box is not well separated from, a row a box
    ListWriter far_;
    ListWriter open_;
    Candidates<D, Isa> candidates_;
    Pending pending_; ///< pending boxes of the leaf at hand
};

} // namespace starfmm

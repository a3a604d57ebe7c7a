// SPDX-License-Identifier: BSD-3-Clause
// Lists of an orthtree are visited here: what the targets of its leaves meet, by any list.
#pragma once

#include "tests/support/orthtree_run.hpp"

/// A source box that a target box meets.
struct MetBox {
    starfmm::Coupling how;
    std::uint32_t slot;
    std::size_t source;
    std::size_t target; ///< box of the leaf, or of one of its ancestors
};

/// Calls visit(MetBox) for each source box that the targets of `leaf` meet.
/// \param slots groups that the run was connected to
template <int D, class Visit>
void visit_met(
    OrthtreeRun<Buffers, D>& run,
    const std::vector<OrthtreeRun<Buffers, D>*>& slots,
    std::size_t leaf,
    const Visit& visit
) {
    using starfmm::Coupling;
    const starfmm::ListLayout& layout = run.args.lists;
    const starfmm::OrthtreeReferences named = run.args.orthtree_references();
    const auto tree = run.tree();
    const std::size_t leaf_box = tree.leaf_box(leaf);
    const auto add = [&](Coupling how, const starfmm::ListView& list, std::size_t row) {
        for (std::uint32_t i = list.offsets[row]; i < list.offsets[row + 1]; ++i) {
            const std::uint32_t slot = named.slot(list.boxes[i]);
            const std::size_t number = named.number(list.boxes[i]);
            const bool is_leaf = how == Coupling::near || how == Coupling::p2l;
            const std::size_t source = is_leaf ? slots.at(slot)->tree().leaf_box(number) : number;
            visit(MetBox{how, slot, source, how == Coupling::far ? row : leaf_box});
        }
    };
    add(Coupling::near, layout.near(run.lists.data()), leaf);
    add(Coupling::p2l, layout.p2l(run.lists.data()), leaf);
    add(Coupling::m2p, layout.m2p(run.lists.data()), leaf);
    for (std::size_t box = leaf_box;; box = tree.parent(box)) {
        add(Coupling::far, layout.far(run.lists.data()), box);
        if (box == 0) {
            break;
        }
    }
}

/// Counts how often a target meets each source of a group.
class MetSources {
public:
    template <int D>
    explicit MetSources(OrthtreeRun<Buffers, D>& group)
        : ranges_(group.point_ranges(0)), met_(group.points[0].codes.size(), 0) {}

    /// Counts the sources of a box as met.
    /// \returns number of sources in the box
    std::size_t add(std::size_t box) {
        const auto [begin, end] = ranges_[box];
        for (std::size_t i = begin; i < end; ++i) {
            ++met_[i];
        }
        return end - begin;
    }

    /// Returns whether each source was met once, and forgets all.
    [[nodiscard]] bool take_all_once() {
        const bool once = std::count(met_.begin(), met_.end(), 1U) == std::ssize(met_);
        std::fill(met_.begin(), met_.end(), 0U);
        return once;
    }

private:
    std::vector<starfmm::BoxRange> ranges_;
    Words met_;
};

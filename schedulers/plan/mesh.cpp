// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/plan/mesh.hpp"

#include "codelets/task/task_views.hpp"

#include <algorithm>
#include <limits>
#include <span>

namespace starfmm {

namespace {

void append_leaves(TreeData& data, Group& group, std::vector<MeshLeaf>& leaves) {
    std::vector<double> positions(2 * group.sources.n);
    group.sources.positions.read(std::span(positions));
    const Pyramid<2>& tree = group.tree;
    const auto bounds = [&](std::size_t first, std::size_t last) {
        return std::minmax_element(positions.data() + first, positions.data() + last);
    };
    for (std::size_t leaf = 0; leaf < tree.leaves(); ++leaf) {
        const std::size_t begin = tree.begin(data.n_sources, tree.last, leaf);
        const std::size_t end = tree.begin(data.n_sources, tree.last, leaf + 1);
        const auto [x_min, x_max] = bounds(begin, end);
        const auto [y_min, y_max] = bounds(group.sources.n + begin, group.sources.n + end);
        leaves.push_back({*x_min, *x_max, *y_min, *y_max, MeshLeaf::Relation::none});
    }
}

/// Marks the leaves below box `box` of `level`.
void mark(
    const TreeData& data,
    int level,
    std::uint64_t box,
    MeshLeaf::Relation relation,
    std::vector<MeshLeaf>& leaves
) {
    const std::size_t width = n_boxes<2>(data.levels - level);
    for (std::size_t leaf = box * width; leaf < (box + 1) * width; ++leaf) {
        leaves[leaf].relation = relation;
    }
}

/// Far lists of a subtree, whose references name groups by these slots.
struct FarLists {
    const Pyramid<2>& tree;
    ListView far;
    const std::vector<std::uint32_t>& slots;
};

/// Marks the far boxes of the ancestor of `leaf` at `level`, which lies in the lists' subtree.
void mark_far(
    const TreeData& data,
    const FarLists& lists,
    int level,
    std::size_t leaf,
    std::vector<MeshLeaf>& leaves
) {
    // As in [GE12 Fig 2.1]: boxes that an ancestor has dealt with are left white.
    const MeshLeaf::Relation relation =
        level == data.levels ? MeshLeaf::Relation::far : MeshLeaf::Relation::none;
    const Pyramid<2>& tree = lists.tree;
    const ListView& far = lists.far;
    const std::uint64_t ancestor = leaf >> (2 * (data.levels - level));
    const std::uint64_t first_box = tree.root << (2 * (level - tree.first));
    const std::size_t row = tree.offset(level) + (ancestor - first_box);
    const int shift = 2 * (level - tree.first);
    for (std::uint32_t i = far.offsets[row]; i < far.offsets[row + 1]; ++i) {
        const std::uint64_t slot = lists.slots[far.boxes[i] >> shift];
        const std::uint64_t box = far.boxes[i] & ((std::uint32_t(1) << shift) - 1);
        mark(data, level, (slot << shift) + box, relation, leaves);
    }
}

/// An orthtree's arrays, its points and lists, in host memory.
class OrthtreeMesh {
public:
    explicit OrthtreeMesh(Group& group)
        : n_(group.sources.n), positions_(2 * n_),
          boxes_(BoxView::orthtree_doubles(group.total_boxes())), lists_(group.list_layout.words()),
          layout_(group.list_layout) {
        group.sources.positions.read(std::span(positions_));
        group.sources.boxes.read(std::span(boxes_));
        group.lists.read(std::span(lists_));
        auto* nodes = reinterpret_cast<std::uint32_t*>(
            boxes_.data() + BoxView::frame_doubles(group.total_boxes())
        );
        tree_ = Orthtree<2>::of(nodes, group.total_boxes());
    }

    [[nodiscard]] std::vector<MeshLeaf> leaves(std::size_t own) {
        std::vector<MeshLeaf> leaves;
        for (std::size_t leaf = 0; leaf < tree_.leaves(); ++leaf) {
            leaves.push_back(bounds(tree_.leaf_begin[leaf], tree_.leaf_begin[leaf + 1]));
        }
        const std::size_t box = tree_.leaf_box(own);
        mark(layout_.far(lists_.data()), box, MeshLeaf::Relation::far, leaves);
        mark(layout_.m2p(lists_.data()), own, MeshLeaf::Relation::far, leaves);
        for (std::size_t ancestor = box; ancestor != 0;) {
            ancestor = tree_.parent(ancestor);
            mark(layout_.far(lists_.data()), ancestor, MeshLeaf::Relation::none, leaves);
        }
        leaves[own].relation = MeshLeaf::Relation::self;
        return leaves;
    }

private:
    /// Near, whatever no list takes out; nowhere without points.
    [[nodiscard]] MeshLeaf bounds(std::size_t begin, std::size_t end) const {
        if (begin == end) {
            return {0, 0, 0, 0, MeshLeaf::Relation::none};
        }
        const double* x = positions_.data();
        const double* y = x + n_;
        const auto [x_min, x_max] = std::minmax_element(x + begin, x + end);
        const auto [y_min, y_max] = std::minmax_element(y + begin, y + end);
        return {*x_min, *x_max, *y_min, *y_max, MeshLeaf::Relation::near};
    }

    /// The leaves below the boxes of a row.
    void mark(
        const ListView& list,
        std::size_t row,
        MeshLeaf::Relation relation,
        std::vector<MeshLeaf>& leaves
    ) const {
        for (std::uint32_t i = list.offsets[row]; i < list.offsets[row + 1]; ++i) {
            const std::size_t box = list.boxes[i];
            for (std::size_t leaf = 0; leaf < tree_.leaves(); ++leaf) {
                if (is_below(tree_.leaf_box(leaf), box)) {
                    leaves[leaf].relation = relation;
                }
            }
        }
    }

    /// Children have larger numbers than their parents.
    [[nodiscard]] bool is_below(std::size_t box, std::size_t ancestor) const {
        while (box > ancestor) {
            box = tree_.parent(box);
        }
        return box == ancestor;
    }

    std::size_t n_;
    std::vector<double> positions_;
    std::vector<double> boxes_;
    std::vector<std::uint32_t> lists_;
    ListLayout layout_;
    Orthtree<2> tree_;
};

} // namespace

std::vector<MeshLeaf> mesh_of(TreeData& data, std::size_t leaf) {
    if (data.has_orthtree()) {
        return OrthtreeMesh(data.groups.front()).leaves(leaf);
    }
    using Relation = MeshLeaf::Relation;
    std::vector<MeshLeaf> leaves;
    for (Group& group : data.groups) {
        append_leaves(data, group, leaves);
    }
    Group& group = data.groups[leaf / data.groups[0].tree.leaves()];
    std::vector<std::uint32_t> lists(group.list_layout.words());
    group.lists.read(std::span(lists));
    for (MeshLeaf& other : leaves) {
        other.relation = Relation::near; // whatever no far list takes out
    }
    if (data.has_top()) {
        const std::vector<std::uint32_t> only{0};
        const FarLists far{data.top.tree, data.top.list_layout.far(data.top_lists.data()), only};
        for (int level = 1; level <= data.group_level; ++level) {
            mark_far(data, far, level, leaf, leaves);
        }
    }
    const FarLists far{group.tree, group.list_layout.far(lists.data()), group.neighbours};
    for (int level = data.group_level + 1; level <= data.levels; ++level) {
        mark_far(data, far, level, leaf, leaves);
    }
    leaves[leaf].relation = Relation::self;
    return leaves;
}

} // namespace starfmm

// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/plan/mesh.hpp"

#include "codelets/task/task_views.hpp"
#include "core/position.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

namespace starfmm {

namespace {

using Relation = MeshLeaf::Relation;

/// Makes the leaf of points `begin` to `end` - 1; a leaf without points has no place.
/// \param positions [D * n], direction by direction
template <int D>
MeshLeaf
leaf_of(std::span<const double> positions, std::size_t begin, std::size_t end, Relation relation) {
    MeshLeaf leaf{0, 0, 0, 0, 0, 0, relation};
    const std::array<std::pair<double*, double*>, 3> bounds{
        {{&leaf.x_min, &leaf.x_max}, {&leaf.y_min, &leaf.y_max}, {&leaf.z_min, &leaf.z_max}}};
    const std::size_t n = positions.size() / D;
    for (int d = 0; d < D && begin < end; ++d) {
        const double* const x = positions.data() + d * n;
        const auto [low, high] = std::minmax_element(x + begin, x + end);
        *bounds[d].first = *low;
        *bounds[d].second = *high;
    }
    return leaf;
}

void append_leaves(TreeData& data, Group& group, std::vector<MeshLeaf>& leaves) {
    std::vector<double> positions(2 * group.sources.n);
    group.sources.positions.read(std::span(positions));
    const Pyramid<2> tree{group.tree.subtree()};
    for (std::size_t leaf = 0; leaf < tree.leaves(); ++leaf) {
        const std::size_t begin = tree.begin(data.n_sources, tree.last, leaf);
        const std::size_t end = tree.begin(data.n_sources, tree.last, leaf + 1);
        leaves.push_back(leaf_of<2>(positions, begin, end, Relation::none));
    }
}

/// Marks the leaves below box `box` of `level`.
void mark(
    const TreeData& data,
    int level,
    std::uint64_t box,
    Relation relation,
    std::vector<MeshLeaf>& leaves
) {
    const std::size_t width = n_boxes<2>(data.levels - level);
    for (std::size_t leaf = box * width; leaf < (box + 1) * width; ++leaf) {
        leaves[leaf].relation = relation;
    }
}

/// Far lists of a subtree, whose references name groups by these slots.
struct FarLists {
    Pyramid<2> tree;
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
    // Boxes in the far list of an ancestor are left white, as in [GE12 Fig 2.1].
    const Relation relation = level == data.levels ? Relation::far : Relation::none;
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

/// Whether a box is in the subtree of `ancestor`: children of an orthtree have larger numbers than
/// their parents.
template <int D>
bool is_below(const Orthtree<D>& tree, std::size_t box, std::size_t ancestor) {
    while (box > ancestor) {
        box = tree.parent(box);
    }
    return box == ancestor;
}

/// A group's orthtree and its points, in host memory.
template <int D>
class OrthtreePart {
public:
    OrthtreePart(Group& group, std::size_t first_leaf)
        : first_leaf_(first_leaf), n_(group.sources.n), n_boxes_(group.total_boxes()),
          positions_(D * n_), boxes_(orthtree_doubles(D, n_boxes_)) {
        if (n_ > 0) {
            group.sources.positions.read(std::span(positions_));
            group.sources.boxes.read(std::span(boxes_));
        } else {
            group.own_targets.boxes.read(std::span(boxes_));
        }
    }

    [[nodiscard]] Orthtree<D> tree() {
        auto* nodes = reinterpret_cast<std::uint32_t*>(boxes_.data() + frame_doubles(D, n_boxes_));
        return Orthtree<D>::of(nodes, n_boxes_);
    }

    [[nodiscard]] bool has(std::size_t leaf) {
        return leaf >= first_leaf_ && leaf < first_leaf_ + tree().leaves();
    }

    [[nodiscard]] std::size_t first_leaf() const { return first_leaf_; }

    /// Appends the group's leaves, as near until a list says otherwise; a leaf without points has
    /// no place.
    void append_leaves(std::vector<MeshLeaf>& leaves) {
        for (std::size_t leaf = 0; leaf < tree().leaves(); ++leaf) {
            const std::size_t begin = n_ == 0 ? 0 : tree().leaf_begin[leaf];
            const std::size_t end = n_ == 0 ? 0 : tree().leaf_begin[leaf + 1];
            const Relation relation = begin < end ? Relation::near : Relation::none;
            leaves.push_back(leaf_of<D>(positions_, begin, end, relation));
        }
    }

    /// Marks the leaves below a box.
    void mark(std::size_t box, Relation relation, std::vector<MeshLeaf>& leaves) {
        for (std::size_t leaf = 0; leaf < tree().leaves(); ++leaf) {
            if (is_below(tree(), tree().leaf_box(leaf), box)) {
                leaves[first_leaf_ + leaf].relation = relation;
            }
        }
    }

private:
    std::size_t first_leaf_;
    std::size_t n_;
    std::size_t n_boxes_;
    std::vector<double> positions_;
    std::vector<double> boxes_;
};

/// An orthtree's groups, and the lists of one of them.
template <int D>
class OrthtreeMesh {
public:
    explicit OrthtreeMesh(TreeData& data) : data_(data) {
        std::size_t n_leaves = 0;
        for (Group& group : data_.groups) {
            parts_.emplace_back(group, n_leaves);
            n_leaves += group.leaves();
        }
    }

    [[nodiscard]] std::vector<MeshLeaf> leaves(std::size_t own) {
        std::vector<MeshLeaf> leaves;
        for (OrthtreePart<D>& part : parts_) {
            part.append_leaves(leaves);
        }
        const auto holds = [own](OrthtreePart<D>& part) { return part.has(own); };
        const auto part = std::ranges::find_if(parts_, holds);
        const auto g = static_cast<std::size_t>(part - parts_.begin());
        if (data_.groups[g].lists) { // the group has targets
            if (data_.has_top()) {
                mark_top(data_.groups[g].top_box, leaves);
            }
            mark_group(g, own - part->first_leaf(), leaves);
        }
        leaves[own].relation = Relation::self;
        return leaves;
    }

private:
    /// Says how a far box is drawn: boxes in the far list of an ancestor are left white, as in
    /// [GE12 Fig 2.1].
    static Relation relation_of(std::size_t box, std::size_t own) {
        return box == own ? Relation::far : Relation::none;
    }

    void mark_group(std::size_t g, std::size_t leaf, std::vector<MeshLeaf>& leaves) {
        Group& group = data_.groups[g];
        std::vector<std::uint32_t> lists(group.list_layout.words());
        group.lists.read(std::span(lists));
        const auto named = data_.args(group).orthtree_references();
        const auto mark = [&](const ListView& list, std::size_t row, Relation relation) {
            for (std::uint32_t i = list.offsets[row]; i < list.offsets[row + 1]; ++i) {
                const BoxReference box = list.boxes[i];
                parts_[group.neighbours[named.slot(box)]].mark(named.number(box), relation, leaves);
            }
        };
        const ListLayout& layout = group.list_layout;
        mark(layout.m2p(lists.data()), leaf, Relation::far);
        const Orthtree<D> tree = parts_[g].tree();
        const std::size_t own = tree.leaf_box(leaf);
        for (std::size_t box = own;; box = tree.parent(box)) {
            mark(layout.far(lists.data()), box, relation_of(box, own));
            if (box == 0) {
                break;
            }
        }
    }

    /// Marks groups that are far from an ancestor of `own`, a root among the boxes of the top, or
    /// 0.
    void mark_top(std::size_t own, std::vector<MeshLeaf>& leaves) {
        Top& top = data_.top;
        const auto tree = Orthtree<D>::of(top.nodes.data(), top.total_boxes());
        const ListView far = top.list_layout.far(data_.top_lists.data());
        for (std::size_t box = own; box != 0; box = tree.parent(box)) {
            for (std::uint32_t i = far.offsets[box]; i < far.offsets[box + 1]; ++i) {
                for (std::size_t g = 0; g < parts_.size(); ++g) {
                    if (is_below(tree, data_.groups[g].top_box, far.boxes[i])) {
                        parts_[g].mark(0, Relation::none, leaves);
                    }
                }
            }
        }
    }

    TreeData& data_;
    std::vector<OrthtreePart<D>> parts_;
};

std::vector<MeshLeaf> pyramid_mesh(TreeData& data, std::size_t leaf) {
    std::vector<MeshLeaf> leaves;
    for (Group& group : data.groups) {
        append_leaves(data, group, leaves);
    }
    Group& group = data.groups[leaf / data.groups[0].tree.leaves()];
    std::vector<std::uint32_t> lists(group.list_layout.words());
    group.lists.read(std::span(lists));
    for (MeshLeaf& other : leaves) {
        other.relation = Relation::near; // unless a far list says otherwise
    }
    if (data.has_top()) {
        const std::vector<std::uint32_t> only{0};
        const FarLists far{
            {data.top.tree.subtree()}, data.top.list_layout.far(data.top_lists.data()), only};
        for (int level = 1; level <= data.group_level; ++level) {
            mark_far(data, far, level, leaf, leaves);
        }
    }
    const FarLists far{
        {group.tree.subtree()}, group.list_layout.far(lists.data()), group.neighbours};
    for (int level = data.group_level + 1; level <= data.levels; ++level) {
        mark_far(data, far, level, leaf, leaves);
    }
    leaves[leaf].relation = Relation::self;
    return leaves;
}

} // namespace

std::vector<MeshLeaf> mesh_of(TreeData& data, std::size_t leaf) {
    if (!data.has_orthtree()) {
        return pyramid_mesh(data, leaf);
    }
    return with_dimension(data.dimension, [&](auto d) {
        return OrthtreeMesh<d()>(data).leaves(leaf);
    });
}

} // namespace starfmm

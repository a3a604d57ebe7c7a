// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/graphs/topology/quadtree_cut.hpp"

#include "codelets/tree/cells.hpp"
#include "core/tree/pyramid.hpp"
#include "schedulers/graphs/topology/cell_runs.hpp"

#include <algorithm>

namespace starfmm {

namespace {

/// A box of the top, by its place on the curve of its level.
struct CutBox {
    static constexpr int D = 2;

    int level = 0;
    std::size_t place = 0;
    bool is_cut = false;

    /// Returns the first of the box's cells.
    [[nodiscard]] std::size_t first_cell(std::size_t next = 0) const {
        return (place + next) << (D * (cell_level<D> - level));
    }
};

class QuadtreeCutter {
public:
    using Box = CutBox;
    static constexpr int D = Box::D;

    QuadtreeCutter(const std::span<const std::uint32_t> (&cells)[2], const CutRule& rule)
        : cells_{cells[0], cells[1]}, rule_(rule) {}

    [[nodiscard]] QuadtreeCut run() {
        boxes_ = {Box{}};
        while (cut_largest()) {
        }
        number();
        return write();
    }

private:
    /// Counts the points of each set in a box.
    [[nodiscard]] CutGroup points_of(const Box& box) const {
        CutGroup group;
        group.level = box.level;
        group.place = box.place;
        for (std::size_t set = 0; set < 2; ++set) {
            if (!cells_[set].empty()) {
                group.n[set] = cells_[set][box.first_cell(1)] - cells_[set][box.first_cell()];
            }
        }
        return group;
    }

    [[nodiscard]] std::size_t weight(const Box& box) const {
        const CutGroup points = points_of(box);
        return points.n[0] + points.n[1];
    }

    [[nodiscard]] bool may_be_cut(const Box& box) const {
        const CutGroup points = points_of(box);
        const bool is_full = points.n[0] > rule_.leaf_size || points.n[1] > rule_.leaf_size;
        return !box.is_cut && is_full && box.level < rule_.deepest &&
               (rule_.wanted * weight(box) > 2 * weight(Box{}) || is_shared(box));
    }

    /// Whether the border of two equal shares lies so far within the box that a share would be off
    /// by more than a 32nd. For smaller errors, more groups would cost more than they save.
    [[nodiscard]] bool is_shared(const Box& box) const {
        const std::size_t total = weight(Box{});
        const std::size_t begin = n_before(box);
        const std::size_t end = begin + weight(box);
        const std::size_t border = (begin * rule_.shares / total + 1) * total / rule_.shares;
        return border < end && 32 * rule_.shares * std::min(border - begin, end - border) > total;
    }

    /// Number of points before a box on the curve.
    [[nodiscard]] std::size_t n_before(const Box& box) const {
        std::size_t n = 0;
        for (const auto& cells : cells_) {
            n += cells.empty() ? 0 : cells[box.first_cell()];
        }
        return n;
    }

    /// Cuts the largest box that may be cut; returns whether there was one.
    bool cut_largest() {
        const auto weight_if = [&](const Box& box) { return may_be_cut(box) ? weight(box) : 0; };
        const auto largest = std::ranges::max_element(boxes_, {}, weight_if);
        if (weight_if(*largest) == 0) {
            return false;
        }
        std::vector<Box> children;
        for (std::size_t c = 0; c < n_children<D>; ++c) {
            const Box child{largest->level + 1, n_children<D> * largest->place + c};
            if (weight(child) > 0) {
                children.push_back(child);
            }
        }
        if (n_leaves_ + children.size() - 1 > rule_.most) {
            return false;
        }
        largest->is_cut = true;
        n_leaves_ += children.size() - 1;
        boxes_.insert(boxes_.end(), children.begin(), children.end());
        return true;
    }

    /// Numbers the boxes level by level, along the curve, so that children follow the order of
    /// their parents.
    void number() {
        std::ranges::sort(boxes_, [](const Box& a, const Box& b) {
            return a.level < b.level || (a.level == b.level && a.place < b.place);
        });
    }

    [[nodiscard]] QuadtreeCut write() const {
        QuadtreeCut cut;
        const auto n = static_cast<std::uint32_t>(boxes_.size());
        cut.size = {
            n,
            static_cast<std::uint32_t>(n_leaves_),
            static_cast<std::uint32_t>(boxes_.back().level),
            0};
        cut.nodes.resize(Orthtree<D>::words(n));
        const auto tree = Orthtree<D>::of(cut.nodes.data(), n);
        *tree.size = cut.size;
        write_families(tree);
        cut.groups = groups();
        for (std::size_t g = 0; g < cut.groups.size(); ++g) {
            tree.leaf_boxes[g] = static_cast<std::uint32_t>(cut.groups[g].top_box);
            tree.leaf_begin[g + 1] =
                tree.leaf_begin[g] + static_cast<std::uint32_t>(cut.groups[g].n[0]);
        }
        return cut;
    }

    void write_families(const Orthtree<D>& tree) const {
        std::uint32_t next = 1;
        for (std::uint32_t box = 0; box < boxes_.size(); ++box) {
            const Box& own = boxes_[box];
            tree.child_begin[box] = next;
            if (box == 0 || own.level > boxes_[box - 1].level) {
                tree.level_begin[own.level] = box;
            }
            const auto is_child = [&](const Box& other) {
                return other.level == own.level + 1 && other.place / n_children<D> == own.place;
            };
            for (; next < boxes_.size() && is_child(boxes_[next]); ++next) {
                tree.parents[next] = box;
            }
        }
        tree.child_begin[boxes_.size()] = next;
        tree.level_begin[boxes_.back().level + 1] = next;
    }

    [[nodiscard]] std::vector<CutGroup> groups() const {
        std::vector<CutGroup> groups;
        std::vector<std::size_t> leaves;
        for (std::size_t box = 0; box < boxes_.size(); ++box) {
            if (!boxes_[box].is_cut) {
                leaves.push_back(box);
            }
        }
        std::ranges::sort(leaves, {}, [&](std::size_t box) { return boxes_[box].first_cell(); });
        for (const std::size_t box : leaves) {
            groups.push_back(points_of(boxes_[box]));
            groups.back().cells = {boxes_[box].first_cell(), boxes_[box].first_cell(1)};
            groups.back().top_box = box;
            // the part is that of the box's middle, so that GPUs get equal shares of the points
            groups.back().part =
                part_about(2 * n_before(boxes_[box]) + weight(boxes_[box]), 2 * weight(Box{}));
        }
        return groups;
    }

    std::span<const std::uint32_t> cells_[2];
    CutRule rule_;
    std::vector<Box> boxes_;
    std::size_t n_leaves_ = 1;
};

} // namespace

QuadtreeCut cut_quadtree(const std::span<const std::uint32_t> (&cells)[2], const CutRule& rule) {
    return QuadtreeCutter(cells, rule).run();
}

} // namespace starfmm

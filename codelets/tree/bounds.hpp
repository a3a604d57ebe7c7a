// SPDX-License-Identifier: BSD-3-Clause
// Bounds finds the disc, or ball, of each box of a group. O(points + boxes).
//
// The disc is shrunk to the box's points, except in octrees: there it is the ball of the whole
// cube, so that cubes two apart are far from each other, and translations between boxes of one
// level are few.
#pragma once

#include "codelets/task/task_views.hpp"
#include "core/tree/geometry.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace starfmm {

template <int D>
struct BoundsTask {
    static constexpr std::string_view name = "bounds";
    static constexpr Color color = Color::sand;
    TaskArgs args;
    BoxView<D> boxes;             ///< W   [total_boxes]
    Bounds<double, D>* bounds;    ///< W   [total_boxes]
    PointView<D> points;          ///< R   tree order
    const std::uint32_t* offsets; ///< R   [leaves + 1]
    std::uint32_t* nodes;         ///< R   arrays of an orthtree as they have grown; else null
    std::size_t nodes_capacity;   ///< boxes that the arrays have room for
    const Domain<D>* domain;      ///< R   [1] in an octree; else null

    template <class Buffers>
    static BoundsTask of(Buffers& buffers) {
        BoundsTask task{
            buffers.args(),
            buffers.template write<BoxView<D>>(),
            buffers.template write<Bounds<double, D>>(),
            buffers.template read<PointView<D>>(),
            buffers.template read<std::uint32_t>(),
            nullptr,
            0,
            nullptr};
        void** grown = buffers.read_rest();
        if (grown != nullptr && task.args.has_orthtree()) {
            task.nodes = buffer_data<std::uint32_t>(grown[0]);
            task.nodes_capacity = Orthtree<D>::capacity(buffer_size(grown[0]));
            task.domain =
                has_cells<D>(task.args) ? buffer_data<const Domain<D>>(grown[1]) : nullptr;
        }
        return task;
    }

    template <class Isa>
    static void cpu(const BoundsTask& task);
    static void cuda(const BoundsTask& task);

    /// Returns the ball of an octree's box without children.
    [[nodiscard]] STARFMM_HOST_DEVICE Frame<double, D>
    leaf_cell(std::size_t box, std::size_t begin, std::size_t end) const {
        return begin < end ? cell(box, points[begin]) : no_cell();
    }

    /// Returns the ball of an octree's box whose children are done.
    [[nodiscard]] STARFMM_HOST_DEVICE Frame<double, D>
    parent_cell(std::size_t box, const BoxRange& children) const {
        for (std::size_t child = children.begin; child < children.end; ++child) {
            if (boxes.radius[child] >= 0) {
                return cell(box, boxes.disc(child).centre);
            }
        }
        return no_cell();
    }

private:
    STARFMM_HOST_DEVICE static Frame<double, D> no_cell() { return {Position<D, double>{}, -1}; }

    [[nodiscard]] STARFMM_HOST_DEVICE Frame<double, D>
    cell(std::size_t box, const Position<D, double>& inside) const {
        return cell_ball(*domain, args.tree.first + boxes.orthtree().level_of(box), inside);
    }
};

/// Returns the square of the distance of the farthest of some points from `centre`.
template <int D>
STARFMM_HOST_DEVICE double farthest2(
    const Position<D, double>& centre,
    const PointView<D>& points,
    std::size_t begin,
    std::size_t end,
    std::size_t step = 1
) {
    double farthest = 0.0;
    for (std::size_t i = begin; i < end; i += step) {
        const double d = square(points[i] - centre);
        farthest = d > farthest ? d : farthest;
    }
    return farthest;
}

/// Returns the disc about the centre of `bounds` that holds the points: up to the farthest of them,
/// where they are few enough to look at.
template <int D>
STARFMM_HOST_DEVICE Frame<double, D> leaf_disc(
    const Bounds<double, D>& bounds, const PointView<D>& points, std::size_t begin, std::size_t end
) {
    Frame<double, D> disc = enclosing_frame(bounds);
    if (begin < end) {
        disc.radius = std::sqrt(farthest2(disc.centre, points, begin, end));
    }
    return disc;
}

template <int D>
STARFMM_HOST_DEVICE Bounds<double, D>
point_bounds(const PointView<D>& points, std::size_t begin, std::size_t end, std::size_t step = 1) {
    Bounds<double, D> bounds = Bounds<double, D>::nothing();
    for (std::size_t i = begin; i < end; i += step) {
        visit_directions<D>([&](int d) { bounds.add(d, points.x[d][i]); });
    }
    return bounds;
}

/// Returns the disc of a box, and its bounds, from its children's: the radius is half the diagonal,
/// or less if the children's discs end sooner.
template <int D>
STARFMM_HOST_DEVICE Frame<double, D> parent_disc(
    const BoxView<D>& boxes,
    const Bounds<double, D>* bounds,
    const BoxRange& children,
    Bounds<double, D>& out
) {
    out = Bounds<double, D>::nothing();
    for (std::size_t c = children.begin; c < children.end; ++c) {
        if (!bounds[c].empty()) {
            for (int d = 0; d < D; ++d) {
                out.add(d, bounds[c].min[d]);
                out.add(d, bounds[c].max[d]);
            }
        }
    }
    Frame<double, D> disc = enclosing_frame(out);
    double reach = 0.0;
    for (std::size_t c = children.begin; c < children.end; ++c) {
        if (boxes.radius[c] >= 0.0) {
            const double r = length(boxes.disc(c).centre - disc.centre) + boxes.radius[c];
            reach = r > reach ? r : reach;
        }
    }
    disc.radius = reach < disc.radius ? reach : disc.radius;
    return disc;
}

/// Copies an orthtree's arrays to their place behind the boxes, with the first point of each leaf.
template <int D>
void copy_orthtree(const BoundsTask<D>& task) {
    const auto from = Orthtree<D>::of(task.nodes, task.nodes_capacity);
    const Orthtree<D> to = task.boxes.orthtree();
    const std::size_t n = from.total_boxes();
    *to.size = *from.size;
    *to.shared = task.args.shared[0];
    std::copy_n(from.level_begin, from.last_level() + 2, to.level_begin);
    std::copy_n(from.child_begin, n + 1, to.child_begin);
    std::copy_n(from.parents, n, to.parents);
    std::copy_n(from.leaf_boxes, from.leaves(), to.leaf_boxes);
    std::copy_n(task.offsets, from.leaves() + 1, to.leaf_begin);
}

template <int D>
void set_leaf(const BoundsTask<D>& task, std::size_t box, std::size_t begin, std::size_t end) {
    if (task.domain != nullptr) {
        task.boxes.set(box, task.leaf_cell(box, begin, end));
        return;
    }
    task.bounds[box] = point_bounds(task.points, begin, end);
    task.boxes.set(box, leaf_disc(task.bounds[box], task.points, begin, end));
}

template <int D>
STARFMM_HOST_DEVICE void
set_parent(const BoundsTask<D>& task, std::size_t box, const BoxRange& children) {
    task.boxes.set(
        box,
        task.domain != nullptr ? task.parent_cell(box, children)
                               : parent_disc(task.boxes, task.bounds, children, task.bounds[box])
    );
}

template <int D>
template <class Isa>
void BoundsTask<D>::cpu(const BoundsTask& task) {
    if (task.nodes != nullptr) {
        copy_orthtree(task);
    }
    const TaskTree<D> tree = task.boxes.tree(task.args);
    for (std::size_t leaf = 0; leaf < tree.leaves(); ++leaf) {
        set_leaf(task, tree.leaf_box(leaf), task.offsets[leaf], task.offsets[leaf + 1]);
    }
    for (std::size_t box = tree.offset(tree.last_level()); box-- > 0;) {
        const BoxRange children = tree.children(box);
        if (children.begin < children.end) {
            set_parent(task, box, children);
        }
    }
}

} // namespace starfmm

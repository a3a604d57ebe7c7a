// SPDX-License-Identifier: BSD-3-Clause
// Views of the arrays that tasks exchange: the one place that knows their layout.
#pragma once

#include "codelets/task/operator.hpp"
#include "core/expansions/columns.hpp"
#include "core/expansions/expansion.hpp"
#include "core/host_device.hpp"
#include "core/position.hpp"
#include "core/tree/geometry.hpp"
#include "core/tree/orthtree.hpp"
#include "core/tree/pyramid.hpp"

#include <cstddef>
#include <cstdint>

namespace starfmm {

template <class T>
T* buffer_data(void* buffer) {
    return reinterpret_cast<T*>(static_cast<starpu_vector_interface*>(buffer)->ptr);
}

inline std::size_t buffer_size(void* buffer) {
    return static_cast<starpu_vector_interface*>(buffer)->nx;
}

/// The positions of a group's points in tree order: all x, then all y, then all z. Unit: the
/// user's. They are double in any precision: operators compute with differences of points near each
/// other.
template <int D>
struct PointView {
    double* x[D] = {};

    static PointView of(void* buffer) {
        const std::size_t n = buffer_size(buffer) / D;
        PointView view;
        for (int d = 0; d < D; ++d) {
            view.x[d] = buffer_data<double>(buffer) + d * n;
        }
        return view;
    }

    STARFMM_HOST_DEVICE Position<D, double> operator[](std::size_t i) const {
        return make_position<D>([&](int d) { return x[d][i]; });
    }
};

/// The tree of a task, which models Tree: a branch a call costs less than operators compiled for
/// each tree.
template <int D>
class TaskTree {
public:
    STARFMM_HOST_DEVICE explicit TaskTree(const Pyramid<D>& pyramid) : pyramid_(pyramid) {}

    STARFMM_HOST_DEVICE explicit TaskTree(const Orthtree<D>& orthtree)
        : is_stored_(true), orthtree_(orthtree) {}

    [[nodiscard]] STARFMM_HOST_DEVICE int first_level() const {
        return is_stored_ ? 0 : pyramid_.first;
    }

    [[nodiscard]] STARFMM_HOST_DEVICE int last_level() const {
        return is_stored_ ? orthtree_.last_level() : pyramid_.last;
    }

    [[nodiscard]] STARFMM_HOST_DEVICE std::size_t offset(int level) const {
        return is_stored_ ? orthtree_.offset(level) : pyramid_.offset(level);
    }

    [[nodiscard]] STARFMM_HOST_DEVICE std::size_t total_boxes() const {
        return is_stored_ ? orthtree_.total_boxes() : pyramid_.total_boxes();
    }

    [[nodiscard]] STARFMM_HOST_DEVICE BoxRange children(std::size_t box) const {
        return is_stored_ ? orthtree_.children(box) : pyramid_.children(box);
    }

    [[nodiscard]] STARFMM_HOST_DEVICE std::size_t parent(std::size_t box) const {
        return is_stored_ ? orthtree_.parent(box) : pyramid_.parent(box);
    }

    [[nodiscard]] STARFMM_HOST_DEVICE std::size_t leaves() const {
        return is_stored_ ? orthtree_.leaves() : pyramid_.leaves();
    }

    [[nodiscard]] STARFMM_HOST_DEVICE std::size_t leaf_box(std::size_t leaf) const {
        return is_stored_ ? orthtree_.leaf_box(leaf) : pyramid_.leaf_box(leaf);
    }

    /// Returns the first point of a leaf, which may be one past the last.
    /// \param n_total  points of the whole problem, if the tree is a pyramid, whose offsets are
    /// functions of that number
    [[nodiscard]] STARFMM_HOST_DEVICE std::uint64_t
    begin(std::uint64_t n_total, std::size_t leaf) const {
        return is_stored_ ? orthtree_.leaf_begin[leaf]
                          : pyramid_.begin(n_total, pyramid_.last, leaf);
    }

private:
    bool is_stored_ = false;
    Pyramid<D> pyramid_;
    Orthtree<D> orthtree_;
};

static_assert(Tree<TaskTree<2>> && Tree<TaskTree<3>>);

/// Returns the number of doubles that the frames of `n` boxes take.
constexpr std::size_t frame_doubles(int dimension, std::size_t n) {
    return static_cast<std::size_t>(dimension + 1) * n;
}

/// Returns the number of doubles that the frames of `n` boxes take with an orthtree's arrays.
constexpr std::size_t orthtree_doubles(int dimension, std::size_t n) {
    return frame_doubles(dimension, n) +
           Orthtree<2>::words(n) * sizeof(std::uint32_t) / sizeof(double);
}

/// Returns the number of boxes that an array of so many doubles has room for.
template <int D>
std::size_t box_capacity(std::size_t n_doubles, const TaskArgs& args) {
    return args.has_orthtree() ? (n_doubles - orthtree_doubles(D, 0)) / (D + 3)
                               : n_doubles / (D + 1);
}

/// The frames of a tree's boxes: all centre x, all centre y, all centre z, all radii; radius -1
/// marks a box without points. They are double in any precision, as positions are. An orthtree's
/// arrays lie behind its frames.
template <int D>
struct BoxView {
    double* x[D] = {};
    double* radius = nullptr;

    static BoxView of(void* buffer, const TaskArgs& args) {
        auto* data = buffer_data<double>(buffer);
        const std::size_t n = box_capacity<D>(buffer_size(buffer), args);
        BoxView view;
        for (int d = 0; d < D; ++d) {
            view.x[d] = data + d * n;
        }
        view.radius = data + D * n;
        return view;
    }

    /// Returns the number of boxes that there is room for.
    [[nodiscard]] STARFMM_HOST_DEVICE std::size_t capacity() const {
        return static_cast<std::size_t>(x[1] - x[0]);
    }

    /// Returns the orthtree's arrays. \pre the boxes are an orthtree's
    [[nodiscard]] STARFMM_HOST_DEVICE Orthtree<D> orthtree() const {
        const std::size_t n = capacity();
        return Orthtree<D>::of(reinterpret_cast<std::uint32_t*>(radius + n), n);
    }

    [[nodiscard]] STARFMM_HOST_DEVICE TaskTree<D> tree(const TaskArgs& args) const {
        return args.has_orthtree() ? TaskTree<D>(orthtree()) : TaskTree<D>(pyramid_of<D>(args));
    }

    /// Returns the disc or ball of a box as the multipole acceptance criterion sees it.
    STARFMM_HOST_DEVICE Frame<double, D> disc(std::size_t box) const {
        return {make_position<D>([&](int d) { return x[d][box]; }), radius[box]};
    }

    STARFMM_HOST_DEVICE void set(std::size_t box, const Frame<double, D>& disc) const {
        for (int d = 0; d < D; ++d) {
            x[d][box] = coordinate(disc.centre, d);
        }
        radius[box] = disc.radius;
    }
};

/// Returns the frame in which a box's expansions are written.
/// \tparam Real  type of the expansions, which bounds how small a radius may scale them
template <class Real, int D>
STARFMM_HOST_DEVICE Frame<double, D> expansion_frame(const BoxView<D>& boxes, std::size_t box) {
    constexpr auto smallest = smallest_radius<Real>();
    const Frame<double, D> disc = boxes.disc(box);
    return {disc.centre, disc.radius < smallest ? smallest : disc.radius};
}

/// The meaning of far entries: they name boxes of one level of a pyramid, or any boxes of an
/// orthtree.
struct FarReferences {
    int bits;          ///< bits that name the box; those above name the slot
    std::size_t begin; ///< box that others are counted from

    [[nodiscard]] STARFMM_HOST_DEVICE std::uint32_t slot(BoxReference reference) const {
        return reference >> bits;
    }

    /// Returns the index of a box within its slot's arrays.
    [[nodiscard]] STARFMM_HOST_DEVICE std::size_t box(BoxReference reference) const {
        return begin + (reference & ((std::uint32_t(1) << bits) - 1));
    }
};

/// Returns how the far entries of a row of `level` name boxes.
template <int D>
STARFMM_HOST_DEVICE FarReferences far_references(const TaskArgs& args, int level) {
    if (args.has_orthtree()) {
        return {args.orthtree_references().bits, 0};
    }
    return {D * (level - args.tree.first), pyramid_of<D>(args).offset(level)};
}

/// The part of a task's right-hand side in an array of all of them, right-hand side by right-hand
/// side.
template <class Real>
struct ColumnArray {
    static Real* of(void* buffer, const TaskArgs& args) {
        return buffer_data<Real>(buffer) + buffer_size(buffer) / args.columns * args.column;
    }
};

/// The strengths of a group's sources in tree order: real parts, then, if complex, imaginary parts.
template <class K>
struct StrengthView {
    using Real = typename K::Real;
    using Strength = typename K::template Strength<Real>;
    static constexpr int n = n_strength_components<K>;
    Real* of_component[n] = {};

    static StrengthView of(void* buffer) { return of_columns(&buffer, 1); }

    /// Returns the strengths of several right-hand sides, a buffer each; missing ones repeat the
    /// first.
    static StrengthView of_columns(void** buffers, std::uint32_t columns) {
        constexpr std::uint32_t n_of_one = n / columns_at_once<K>;
        StrengthView view;
        for (std::uint32_t c = 0; c < n; ++c) {
            const std::uint32_t column = c / n_of_one;
            void* buffer = buffers[column < columns ? column : 0];
            const std::size_t stride = buffer_size(buffer) / n_of_one;
            view.of_component[c] = buffer_data<Real>(buffer) + c % n_of_one * stride;
        }
        return view;
    }

    STARFMM_HOST_DEVICE Strength operator[](std::size_t i) const {
        Strength strength;
        visit_components(strength, [&](int c, Real& part) { part = of_component[c][i]; });
        return strength;
    }
};

/// The near or far results of a group's targets in tree order, component by component: real parts,
/// then imaginary parts, if complex; potentials, then the components of gradients, if there are
/// any.
template <class K>
struct ValueView {
    using Real = typename K::Real;
    using Value = typename K::template Value<Real>;
    static constexpr int n = n_value_components<K>;
    Real* of_component[n] = {};

    /// Returns the results of several right-hand sides one after the other; missing ones repeat the
    /// first.
    static ValueView of(void* buffer, const TaskArgs& args) {
        constexpr std::uint32_t n_of_one = n / columns_at_once<K>;
        const std::size_t n_parts = std::size_t(args.columns) * n_of_one;
        const std::size_t stride = buffer_size(buffer) / n_parts;
        ValueView view;
        for (std::uint32_t c = 0; c < n; ++c) {
            const std::uint32_t part = c < n_parts ? c : c % n_of_one;
            view.of_component[c] = buffer_data<Real>(buffer) + part * stride;
        }
        return view;
    }

    STARFMM_HOST_DEVICE Value operator[](std::size_t i) const {
        Value value{};
        visit_components(value, [&](int c, Real& part) { part = of_component[c][i]; });
        return value;
    }

    STARFMM_HOST_DEVICE void set(std::size_t i, const Value& value) const {
        visit_components(value, [&](int c, const Real& part) { of_component[c][i] = part; });
    }

    STARFMM_HOST_DEVICE void add(std::size_t i, const Value& value) const {
        visit_components(value, [&](int c, const Real& part) { of_component[c][i] += part; });
    }
};

/// The first target of each leaf of a group, counted from the group's first target, and one past
/// the last.
using TargetOffsets = const std::uint32_t*;

/// One median split: points with (coordinate[direction], index) below the plane's go to the lower
/// half.
struct SplitPlane {
    double value;
    std::uint32_t direction;
};

/// Returns the place of a node in the array of planes of a task that splits `depth` deep: root
/// first.
STARFMM_HOST_DEVICE constexpr std::size_t plane_index(int depth, std::size_t node) {
    return (std::size_t(1) << depth) - 1 + node;
}

} // namespace starfmm

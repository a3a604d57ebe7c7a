// SPDX-License-Identifier: BSD-3-Clause
// Powers finds what separations need to know of the bodies in each box of an orthtree: by own error
// the box's moments, from their masses, and the least field that the last sums had there [D14]; of
// kernels whose points have lengths the largest one. O(points + boxes).
#pragma once

#include "codelets/exchange/pieces.hpp"
#include "codelets/task/task_views.hpp"
#include "core/tree/own_error.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace starfmm {

/// The number of arrays of a body's mass, potential and acceleration.
template <int D>
inline constexpr std::size_t n_field_parts = D + 2;

template <int D>
struct PowersTask {
    static constexpr std::string_view name = "powers";
    static constexpr Color color = Color::sand;
    TaskArgs args;
    OwnReach* reaches;                ///< W   [total_boxes]
    BoxPowers* powers;                ///< scratch [total_boxes]
    BoxView<D> boxes;                 ///< R   an orthtree's
    PointView<D> points;              ///< R   tree order
    const std::uint32_t* permutation; ///< R   tree order to the order of the parts
    /// R   the user's arrays, or the group's pieces of them: the field's, then the lengths
    Pieces parts[n_field_parts<D> + 1];

    template <class Buffers>
    static PowersTask of(Buffers& buffers) {
        PowersTask task{
            buffers.args(),
            buffers.template write<OwnReach>(),
            buffers.template scratch<BoxPowers>(),
            buffers.template read<BoxView<D>>(),
            buffers.template read<PointView<D>>(),
            buffers.template read<std::uint32_t>(),
            {}};
        void** rest = buffers.read_rest();
        const std::uint32_t n_pieces = std::max(1U, task.args.n_slots);
        const std::size_t n_parts =
            task.first_of_lengths() + (task.args.kernel.has_lengths ? 1 : 0);
        for (std::size_t part = 0; rest != nullptr && part < n_parts; ++part) {
            task.parts[part] = Pieces::of(rest + part * n_pieces, n_pieces);
        }
        return task;
    }

    template <class Isa>
    static void cpu(const PowersTask& task);
    static void cuda(const PowersTask& task);

    /// Returns the place of the lengths among the parts.
    [[nodiscard]] STARFMM_HOST_DEVICE std::size_t first_of_lengths() const {
        return args.own_error.varies() ? n_field_parts<D> : 0;
    }

    [[nodiscard]] STARFMM_HOST_DEVICE PowerSums
    body(std::size_t point, const Position<D, double>& centre) const {
        const std::uint64_t place = permutation[point];
        PowerSums sums;
        if (args.own_error.varies()) {
            sums = in_field(place, length(points[point] - centre));
        }
        if (args.kernel.has_lengths) {
            sums.length = parts[first_of_lengths()].at(place);
        }
        return sums;
    }

    /// Returns what own errors need of a body.
    /// \param distance  its distance from the centre of the box
    [[nodiscard]] STARFMM_HOST_DEVICE PowerSums
    in_field(std::uint64_t place, double distance) const {
        const OwnErrorSeparation& rule = args.own_error;
        const double mass = rule.per_mass * std::abs(parts[0].at(place));
        const double potential = rule.per_potential * parts[1].at(place);
        double square_sum = 0;
        for (int d = 0; d < D; ++d) {
            const double component = rule.per_acceleration * parts[2 + d].at(place);
            square_sum += component * component;
        }
        return {
            mass,
            mass * integer_power(distance, rule.order),
            distance,
            least_field(potential, std::sqrt(square_sum))};
    }

    /// Returns the sums of every `step`-th body of a leaf.
    [[nodiscard]] STARFMM_HOST_DEVICE PowerSums
    bodies(std::size_t leaf, std::size_t first = 0, std::size_t step = 1) const {
        const Orthtree<D> tree = boxes.orthtree();
        const Position<D, double> centre = boxes.disc(tree.leaf_box(leaf)).centre;
        PowerSums sums;
        for (std::size_t i = tree.leaf_begin[leaf] + first; i < tree.leaf_begin[leaf + 1];
             i += step) {
            sums.add(body(i, centre));
        }
        return sums;
    }

    STARFMM_HOST_DEVICE void set_leaf(std::size_t leaf, const PowerSums& sums) const {
        powers[boxes.orthtree().leaf_box(leaf)] = {sums, args.own_error.order};
    }

    /// Sets the powers of a box whose children are done.
    STARFMM_HOST_DEVICE void set_parent(std::size_t box, const BoxRange& children) const {
        const Position<D, double> centre = boxes.disc(box).centre;
        PowerSums sums;
        for (std::size_t child = children.begin; child < children.end; ++child) {
            if (boxes.radius[child] >= 0) {
                const double distance = length(boxes.disc(child).centre - centre);
                sums.add(powers[child].from(distance, args.own_error.order));
            }
        }
        powers[box] = {sums, args.own_error.order};
    }

    STARFMM_HOST_DEVICE void set_reach(std::size_t box) const {
        reaches[box] = {powers[box], args.own_error};
    }
};

/// Finds the powers of boxes with children, and OwnReach of all boxes.
template <int D>
void finish_powers(const PowersTask<D>& task) {
    const Orthtree<D> tree = task.boxes.orthtree();
    for (std::size_t box = tree.total_boxes(); box-- > 0;) {
        const BoxRange children = tree.children(box);
        if (children.begin < children.end) {
            task.set_parent(box, children);
        }
        task.set_reach(box);
    }
}

template <int D>
template <class Isa>
void PowersTask<D>::cpu(const PowersTask& task) {
    const std::size_t n_leaves = task.boxes.orthtree().leaves();
    for (std::size_t leaf = 0; leaf < n_leaves; ++leaf) {
        task.set_leaf(leaf, task.bodies(leaf));
    }
    finish_powers(task);
}

} // namespace starfmm

// SPDX-License-Identifier: BSD-3-Clause
// Cut turns a pyramid that was built whole into the pyramids of its groups. O(points + boxes).
#pragma once

#include "codelets/task/for_each_index.hpp"
#include "codelets/task/task_views.hpp"
#include "codelets/tree/root.hpp"
#include "core/tree/geometry.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace starfmm {

/// The arrays that sort, bounds and root would have made of each group. They are plain, as kernels
/// take them by value.
struct GroupArrays {
    double* positions[max_slots];          ///< [2 n_g], tree order
    std::uint32_t* permutation[max_slots]; ///< [n_g], tree order to user order
    std::uint32_t* offsets[max_slots];     ///< [leaves + 1], first point of each leaf
    double* boxes[max_slots];              ///< [3 total_boxes]
    Root* root[max_slots];                 ///< [1]

    /// The number of a group's arrays, which come group after group in the order above.
    static constexpr std::size_t n = 5;

    static GroupArrays of(void* buffers[], std::size_t n_groups) {
        GroupArrays arrays{};
        for (std::size_t g = 0; g < n_groups; ++g, buffers += n) {
            arrays.positions[g] = buffer_data<double>(buffers[0]);
            arrays.permutation[g] = buffer_data<std::uint32_t>(buffers[1]);
            arrays.offsets[g] = buffer_data<std::uint32_t>(buffers[2]);
            arrays.boxes[g] = buffer_data<double>(buffers[3]);
            arrays.root[g] = buffer_data<Root>(buffers[4]);
        }
        return arrays;
    }
};

/// A whole pyramid's arrays, group by group. They are plain, as kernels take them by value.
struct WholePyramid {
    Subtree tree;
    std::uint64_t n_points;
    int group_level;
    PointView<2> points;
    const std::uint32_t* permutation;
    BoxView<2> boxes;
    const Bounds<double, 2>* bounds;

    [[nodiscard]] STARFMM_HOST_DEVICE Pyramid<2> of_group(std::size_t group) const {
        return {{group_level, tree.last, group}};
    }

    [[nodiscard]] STARFMM_HOST_DEVICE std::uint64_t begin(std::size_t group) const {
        return point_begin<2>(n_points, group_level, group);
    }

    /// Copies the `i`-th point of a group, if it has so many.
    STARFMM_HOST_DEVICE void
    copy_point(const GroupArrays& to, std::size_t group, std::size_t i) const {
        const std::size_t n = begin(group + 1) - begin(group);
        if (i >= n) {
            return;
        }
        const std::size_t from = begin(group) + i;
        for (int d = 0; d < 2; ++d) {
            to.positions[group][d * n + i] = points.x[d][from];
        }
        to.permutation[group][i] = permutation[from];
    }

    /// Copies the `i`-th box of a level of a group.
    STARFMM_HOST_DEVICE void
    copy_box(const GroupArrays& to, std::size_t group, int level, std::size_t i) const {
        const Pyramid<2> whole{tree};
        const Pyramid<2> own = of_group(group);
        const std::size_t n = own.total_boxes();
        const std::size_t box = own.offset(level) + i;
        const std::size_t from = whole.offset(level) + group * own.boxes(level) + i;
        for (int d = 0; d < 2; ++d) {
            to.boxes[group][d * n + box] = boxes.x[d][from];
        }
        to.boxes[group][2 * n + box] = boxes.radius[from];
        if (level == tree.last) {
            set_offset(to, group, i);
        }
        if (box == 0) {
            set_offset(to, group, own.leaves());
            *to.root[group] = {bounds[from], boxes.disc(from)};
        }
    }

private:
    /// Sets the first point of a leaf; `leaf` may be one past the last.
    STARFMM_HOST_DEVICE void
    set_offset(const GroupArrays& to, std::size_t group, std::size_t leaf) const {
        to.offsets[group][leaf] =
            static_cast<std::uint32_t>(of_group(group).begin(n_points, tree.last, leaf));
    }
};

struct CutPoints {
    WholePyramid whole;
    GroupArrays groups;

    STARFMM_HOST_DEVICE void operator()(std::size_t group, std::size_t i) const {
        whole.copy_point(groups, group, i);
    }
};

struct CutBoxes {
    WholePyramid whole;
    GroupArrays groups;
    int level;

    STARFMM_HOST_DEVICE void operator()(std::size_t group, std::size_t i) const {
        whole.copy_box(groups, group, level, i);
    }
};

struct CutTask {
    static constexpr std::string_view name = "cut";
    static constexpr Color color = Color::sand;
    WholePyramid whole; ///< R
    GroupArrays groups; ///< W
    std::size_t n_groups;

    template <class Buffers>
    static CutTask of(Buffers& buffers) {
        const TaskArgs& args = buffers.args();
        CutTask task{};
        task.n_groups = args.n_slots;
        task.whole = {
            args.tree,
            args.n_sources,
            args.split_levels,
            buffers.template read<PointView<2>>(),
            buffers.template read<std::uint32_t>(),
            buffers.template read<BoxView<2>>(),
            buffers.template read<Bounds<double, 2>>()};
        task.groups = GroupArrays::of(buffers.write_rest(), task.n_groups);
        return task;
    }

    template <class Backend>
    static void run(const CutTask& task) {
        const WholePyramid& whole = task.whole;
        const std::size_t most_points = whole.n_points / task.n_groups + 1;
        for_each_in_rows<Backend>(task.n_groups, most_points, CutPoints{whole, task.groups});
        for (int level = whole.group_level; level <= whole.tree.last; ++level) {
            const std::size_t n = whole.of_group(0).boxes(level);
            for_each_in_rows<Backend>(task.n_groups, n, CutBoxes{whole, task.groups, level});
        }
    }
};

} // namespace starfmm

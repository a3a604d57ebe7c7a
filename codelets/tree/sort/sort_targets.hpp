// SPDX-License-Identifier: BSD-3-Clause
// Sort_targets sorts targets that are not the sources: each descends the sources' split planes to
// its leaf. O(M levels).
//
// Results are laid out group by group, as the groups' own arrays will be. Within a leaf targets
// keep the user's order.
#pragma once

#include "codelets/task/task_views.hpp"
#include "core/tree/pyramid.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace starfmm {

/// The bytes of scratch that `sort_targets` needs a target, on any worker.
inline constexpr std::size_t sort_targets_scratch_bytes = 24;

struct SortTargetsTask {
    static constexpr std::string_view name = "sort_targets";
    static constexpr Color color = Color::brown;
    TaskArgs args;              ///< tree: the whole pyramid; split_levels: level of the groups
    double* positions;          ///< W   [2 m], group by group: all x, then all y
    std::uint32_t* permutation; ///< W   [m], tree order to user order
    std::uint32_t* offsets;     ///< W   [leaves of the pyramid + 1]
    std::uint32_t* scratch;     ///< scratch [sort_targets_scratch_bytes * m]
    const double* x[2];         ///< R   [m], user order
    const SplitPlane* planes[max_slots + 1]; ///< R  planes of the top, then of each group
    std::size_t m;

    template <class Buffers>
    static SortTargetsTask of(Buffers& buffers) {
        SortTargetsTask task{};
        task.args = buffers.args();
        task.positions = buffers.template write<double>();
        task.permutation = buffers.template write<std::uint32_t>();
        task.offsets = buffers.template write<std::uint32_t>();
        task.scratch = buffers.template scratch<std::uint32_t>();
        for (const double*& x : task.x) {
            x = buffers.template read<double>();
        }
        task.m = buffers.size();
        void** planes = buffers.read_rest();
        for (std::uint32_t i = 0; planes != nullptr && i < task.args.n_slots + 1; ++i) {
            task.planes[i] = buffer_data<const SplitPlane>(planes[i]);
        }
        return task;
    }

    template <class Isa>
    static void cpu(const SortTargetsTask& task);
    static void cuda(const SortTargetsTask& task);

    STARFMM_HOST_DEVICE Position<2, double> position(std::size_t i) const {
        return make_position<2>([&](int d) { return x[d][i] + 0.0; });
    }

    /// Returns the leaf whose half-planes hold a point; points on a plane belong to its upper half.
    STARFMM_HOST_DEVICE std::uint32_t leaf_of(const Position<2, double>& z) const {
        const int top_depth = 2 * args.split_levels;
        const std::uint32_t group = descend(planes[0], top_depth, z);
        const int depth = 2 * args.tree.last - top_depth;
        return (group << depth) + descend(planes[1 + group], depth, z);
    }

    /// Sets the position of target `at` of tree order: where its group has its x, then, as much
    /// further as the group has targets, its y.
    STARFMM_HOST_DEVICE void
    set_position(std::size_t at, std::uint32_t leaf, const Position<2, double>& z) const {
        const int shift = 2 * (args.tree.last - args.split_levels);
        const std::size_t group = leaf >> shift;
        const std::size_t begin = offsets[group << shift];
        const std::size_t size = offsets[(group + 1) << shift] - begin;
        double* place = positions + begin + at;
        for (int d = 0; d < 2; ++d) {
            place[d * size] = coordinate(z, d);
        }
    }

private:
    STARFMM_HOST_DEVICE static std::uint32_t
    descend(const SplitPlane* tree, int depth, const Position<2, double>& z) {
        std::uint32_t node = 0;
        for (int level = 0; level < depth; ++level) {
            const SplitPlane plane = tree[plane_index(level, node)];
            const double x = coordinate(z, static_cast<int>(plane.direction));
            node = 2 * node + (x < plane.value ? 0 : 1);
        }
        return node;
    }
};

template <class Isa>
void SortTargetsTask::cpu(const SortTargetsTask& task) {
    const std::size_t n_leaves = n_boxes<2>(task.args.tree.last);
    std::uint32_t* leaf = task.scratch;
    for (std::size_t b = 0; b <= n_leaves; ++b) {
        task.offsets[b] = 0;
    }
    for (std::size_t i = 0; i < task.m; ++i) {
        leaf[i] = task.leaf_of(task.position(i));
        ++task.offsets[leaf[i] + 1];
    }
    for (std::size_t b = 0; b < n_leaves; ++b) {
        task.offsets[b + 1] += task.offsets[b];
    }
    std::uint32_t* next =
        task.scratch + task.m; // counting sort's cursor, one a leaf that has targets
    for (std::size_t i = 0; i < task.m; ++i) {
        next[i] = 0;
    }
    for (std::size_t i = 0; i < task.m; ++i) {
        const std::size_t begin = task.offsets[leaf[i]];
        const std::size_t at = begin + next[begin]++;
        task.set_position(at, leaf[i], task.position(i));
        task.permutation[at] = static_cast<std::uint32_t>(i);
    }
}

} // namespace starfmm

// SPDX-License-Identifier: BSD-3-Clause
// A run calls sort_targets on a set of targets.
#pragma once

#include "codelets/tree/sort/sort_targets.hpp"
#include "tests/support/geometry_variants.hpp"
#include "tests/support/sort_reference.hpp"

/// Targets, and the planes of a whole pyramid: those of the top, and of each group.
/// \tparam BufferSet Buffers, or a GPU's
template <class BufferSet>
struct Targets {
    starfmm::TaskArgs args;
    std::vector<std::vector<starfmm::SplitPlane>> planes;
    starfmm::Points<2> points;
    std::vector<double> positions;
    Words permutation;
    Words offsets;

    /// Makes random planes.
    Targets(int levels, int group_level, starfmm::Points<2> targets) : points(std::move(targets)) {
        args.tree = {0, levels, 0};
        args.split_levels = group_level;
        args.n_slots = 1U << (2 * group_level);
        Random random(5);
        add_planes(2 * group_level, random);
        for (std::uint32_t group = 0; group < args.n_slots; ++group) {
            add_planes(2 * (levels - group_level), random);
        }
    }

    void add_planes(int depth, Random& random) {
        planes.emplace_back(std::max<std::size_t>(1, starfmm::plane_index(depth, 0)));
        for (starfmm::SplitPlane& plane : planes.back()) {
            plane = {random(0, 1), static_cast<std::uint32_t>(random(0, 2))};
        }
    }

    void sort(starfmm::BodyFunction body) {
        positions.assign(2 * points.size(), -7);
        permutation.assign(points.size(), 0);
        offsets.assign(starfmm::n_boxes<2>(args.tree.last) + 1, 0);
        std::vector<std::byte> scratch(starfmm::sort_targets_scratch_bytes * points.size());
        BufferSet buffers;
        buffers.add(positions).add(permutation).add(offsets).add(scratch);
        for (auto& x : points.x) {
            buffers.add(x);
        }
        for (auto& tree : planes) {
            buffers.add(tree);
        }
        buffers.call(body, args);
    }

    /// Whether target `i` is on the right side of every plane above `leaf`.
    [[nodiscard]] bool is_in(std::size_t i, std::size_t leaf) const {
        const int top = 2 * args.split_levels;
        const int depth = 2 * args.tree.last;
        bool inside = true;
        for (int level = 0; level < depth; ++level) {
            const std::size_t node = leaf >> (depth - level);
            const std::size_t group = level < top ? 0 : leaf >> (depth - top);
            const starfmm::SplitPlane& plane =
                level < top
                    ? planes[0][starfmm::plane_index(level, node)]
                    : planes[1 + group]
                            [starfmm::plane_index(level - top, node - (group << (level - top)))];
            const bool upper = (leaf >> (depth - level - 1) & 1U) != 0;
            inside = inside && upper == (points.x[plane.direction][i] >= plane.value);
        }
        return inside;
    }

    /// Number of targets that are not in their leaf.
    [[nodiscard]] std::size_t n_wrong() const {
        std::size_t n = 0;
        for (std::size_t leaf = 0; leaf + 1 < offsets.size(); ++leaf) {
            for (std::size_t at = offsets[leaf]; at < offsets[leaf + 1]; ++at) {
                n += is_in(permutation.at(at), leaf) ? 0 : 1;
            }
        }
        return n;
    }
};

inline starfmm::Points<2> first_points(std::size_t n) {
    return point_sets(n).front().points;
}

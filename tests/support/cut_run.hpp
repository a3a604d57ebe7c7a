// SPDX-License-Identifier: BSD-3-Clause
// Cuts a pyramid, and compares its groups with pyramids of their own.
#pragma once

#include "codelets/tree/cut.hpp"
#include "tests/support/geometry_variants.hpp"

#include <numeric>

/// What a group has.
template <int D>
struct CutGroup {
    std::vector<double> positions;
    Words permutation;
    Words offsets;
    std::vector<double> boxes;
    std::vector<starfmm::Root<D>> root;
};

/// \tparam BufferSet Buffers, or a GPU's
/// \param bodies of the same kind of worker
/// \param cpu that make what is expected
template <class BufferSet, int D>
void check_cut(
    const starfmm::GeometryBodies& bodies,
    const starfmm::GeometryBodies& cpu,
    Shape shape,
    std::size_t n,
    int levels,
    int group_level
) {
    starfmm::TaskArgs args;
    args.tree = {0, levels, 0};
    args.n_sources = n;
    args.split_levels = group_level;
    args.n_slots = static_cast<std::uint32_t>(starfmm::n_boxes<D>(group_level));
    std::vector<double> positions = positions_of<D>(shape, n);
    Words permutation(n);
    std::iota(permutation.begin(), permutation.end(), 7U);
    Words offsets = source_offsets<D>({{0, levels, 0}}, n);
    const std::size_t n_boxes = starfmm::pyramid_of<D>(args).total_boxes();
    std::vector<double> boxes(starfmm::frame_doubles(D, n_boxes));
    std::vector<starfmm::Bounds<double, D>> bounds(n_boxes);
    call(body<starfmm::BoundsTask>(cpu), args, boxes, bounds, positions, offsets);

    std::vector<CutGroup<D>> groups;
    for (std::size_t g = 0; g < args.n_slots; ++g) {
        const starfmm::Pyramid<D> own{{group_level, levels, g}};
        const std::size_t n_points = own.n_points(n);
        groups.push_back(
            {std::vector<double>(D * n_points, 5),
             Words(n_points, 5),
             Words(own.leaves() + 1, 5),
             std::vector<double>(starfmm::frame_doubles(D, own.total_boxes()), 5),
             std::vector<starfmm::Root<D>>(1)}
        );
    }
    BufferSet buffers;
    buffers.add(positions).add(permutation).add(boxes).add(bounds);
    for (CutGroup<D>& group : groups) {
        buffers.add(group.positions).add(group.permutation).add(group.offsets);
        buffers.add(group.boxes).add(group.root);
    }
    buffers.call(body<starfmm::CutTask>(bodies), args);

    for (std::size_t g = 0; g < groups.size(); ++g) {
        CAPTURE(g);
        CutGroup<D>& group = groups[g];
        args.tree = {group_level, levels, g};
        const std::size_t begin = starfmm::point_begin<D>(n, group_level, g);
        const std::size_t n_points = group.permutation.size();
        std::size_t n_wrong = 0;
        for (std::size_t i = 0; i < n_points; ++i) {
            n_wrong += group.permutation[i] == permutation[begin + i] ? 0 : 1;
            for (int d = 0; d < D; ++d) {
                n_wrong +=
                    group.positions[d * n_points + i] == positions[d * n + begin + i] ? 0 : 1;
            }
        }
        CHECK(n_wrong == 0);
        CHECK(group.offsets == source_offsets(starfmm::pyramid_of<D>(args), n));
        std::vector<double> own_boxes(group.boxes.size());
        std::vector<starfmm::Bounds<double, D>> own_bounds(own_boxes.size() / (D + 1));
        call(
            body<starfmm::BoundsTask>(cpu),
            args,
            own_boxes,
            own_bounds,
            group.positions,
            group.offsets
        );
        CHECK(group.boxes == own_boxes);
        const starfmm::Frame<double, D> disc = frame_of<D>(own_boxes, 0);
        CHECK(group.root[0].disc.radius == disc.radius);
        for (int d = 0; d < D; ++d) {
            CHECK(coordinate(group.root[0].disc.centre, d) == coordinate(disc.centre, d));
            CHECK(group.root[0].bounds.min[d] == own_bounds[0].min[d]);
            CHECK(group.root[0].bounds.max[d] == own_bounds[0].max[d]);
        }
    }
}

/// Of all shapes, of as many points as groups and more.
template <class BufferSet, int D>
void check_cuts(const starfmm::GeometryBodies& bodies, const starfmm::GeometryBodies& cpu) {
    CAPTURE(D);
    for (const Shape shape : shapes) {
        for (const std::size_t n : {64, 500, 5003}) {
            CAPTURE(n);
            for (const int levels : {2, 3, 4}) {
                CAPTURE(levels);
                for (int group_level = 1; group_level <= 6 / D && group_level <= levels;
                     ++group_level) {
                    CAPTURE(group_level);
                    check_cut<BufferSet, D>(bodies, cpu, shape, n, levels, group_level);
                }
            }
        }
    }
}

// SPDX-License-Identifier: BSD-3-Clause
// Bodies of sort, bounds and connect, and small sets of points for their tests.
#pragma once

#include "codelets/task_views.hpp"
#include "tests/bodies.hpp"

#include <cmath>

struct GeometryVariant {
    std::string name;
    starfmm::GeometryBodies bodies;
};

/// Every set of bodies over `Real` that this processor can run; first the one that the library
/// chooses.
template <class Real>
std::vector<GeometryVariant> geometry_variants() {
    starfmm::GeometrySet& set = starfmm::geometry_set<Real>();
    std::vector<GeometryVariant> all{
        {"chosen",
         {set.split_begin.cpu(),
          set.split_tally.cpu(),
          set.split_candidates.cpu(),
          set.split_label.cpu(),
          set.deal_places.cpu(),
          set.deal.cpu(),
          set.deal_join.cpu(),
          set.deal_collect.cpu(),
          set.rank.cpu(),
          set.sort.cpu(),
          set.sort_group.cpu(),
          set.sort_targets.cpu(),
          set.bounds.cpu(),
          set.root.cpu(),
          set.connect.cpu(),
          set.strengths.cpu(),
          set.gather.cpu(),
          set.gather_begin.cpu()}}};
    all.push_back({"baseline", starfmm::geometry_bodies<Real, starfmm::Baseline>()});
#ifdef __x86_64__
    if (starfmm::best_isa() != starfmm::Isa::baseline) {
        all.push_back({"AVX2", starfmm::geometry_bodies<Real, starfmm::Avx2>()});
    }
#endif
    return all;
}

/// Kinds of points: what sort and connect must cope with.
enum class Shape { uniform, clustered, collinear, coincident };

inline constexpr Shape shapes[] = {
    Shape::uniform, Shape::clustered, Shape::collinear, Shape::coincident};

/// [2 n]: all x, then all y.
template <class Real>
std::vector<Real> positions_of(Shape shape, std::size_t n, std::uint64_t seed = 1) {
    std::vector<Real> positions = Random(seed).numbers<Real>(2 * n, 0, 1);
    for (std::size_t i = 0; i < n; ++i) {
        Real& x = positions[i];
        Real& y = positions[n + i];
        if (shape == Shape::clustered) {
            x = Real(i % 3) + Real(1e-4) * x;
            y = Real(i % 2) + Real(1e-4) * y;
        } else if (shape == Shape::collinear) {
            y = Real(0.25);
        } else if (shape == Shape::coincident) {
            x = y = Real(0.5);
        }
    }
    return positions;
}

/// First point of each leaf, as sort leaves the sources.
inline Words source_offsets(const starfmm::Subtree<2>& tree, std::size_t n) {
    Words offsets;
    for (std::size_t leaf = 0; leaf <= tree.leaves(); ++leaf) {
        offsets.push_back(static_cast<std::uint32_t>(tree.begin(n, tree.last, leaf)));
    }
    return offsets;
}

/// Frames of a subtree's boxes as bounds leaves them.
template <class Real>
std::vector<Real> boxes_of(
    starfmm::BodyFunction bounds,
    const starfmm::TaskArgs& args,
    std::vector<Real>& positions,
    Words& offsets
) {
    std::vector<Real> boxes(3 * args.tree.total_boxes());
    std::vector<Real> scratch(4 * args.tree.total_boxes());
    call(bounds, args, boxes, scratch, positions, offsets);
    return boxes;
}

template <class Real>
starfmm::Frame<Real> frame_of(const std::vector<Real>& boxes, std::size_t box) {
    const std::size_t n = boxes.size() / 3;
    return {{boxes[box], boxes[n + box]}, boxes[2 * n + box]};
}

// SPDX-License-Identifier: BSD-3-Clause
// Bodies of sort, bounds and connect, and small sets of points for their tests.
#pragma once

#include "codelets/task/task_views.hpp"
#include "tests/support/bodies.hpp"

#include <cmath>

/// The body of a geometry operator.
template <class Op>
starfmm::BodyFunction body(const starfmm::GeometryBodies& bodies) {
    return body_in<starfmm::GeometryOperators<2>, Op>(bodies);
}

/// The body of a geometry operator over dimensions, whose place in the lists is the same for all.
template <template <int> class Op>
starfmm::BodyFunction body(const starfmm::GeometryBodies& bodies) {
    return body<Op<2>>(bodies);
}

struct GeometryVariant {
    std::string name;
    starfmm::GeometryBodies bodies;
};

/// Every set of bodies that this processor can run; first the one that the library chooses, of the
/// widest instruction set.
template <int D = 2>
std::vector<GeometryVariant> geometry_variants() {
    std::vector<GeometryVariant> all;
    starfmm::for_each_isa([&all](auto isa) {
        const std::string name = "instruction set " + std::to_string(all.size());
        all.push_back({name, starfmm::geometry_bodies<D, typename decltype(isa)::type>()});
    });
    std::reverse(all.begin(), all.end());
    return all;
}

/// Kinds of points: what sort and connect must cope with.
enum class Shape { uniform, clustered, collinear, coincident };

inline constexpr Shape shapes[] = {
    Shape::uniform, Shape::clustered, Shape::collinear, Shape::coincident};

/// [D n]: all x, then all y, then all z.
template <int D = 2>
std::vector<double> positions_of(Shape shape, std::size_t n, std::uint64_t seed = 1) {
    constexpr std::size_t sites[] = {3, 2, 5}; // of clusters, along each direction
    std::vector<double> positions = Random(seed).numbers<double>(D * n, 0, 1);
    for (std::size_t i = 0; i < D * n; ++i) {
        const std::size_t d = i / n;
        double& x = positions[i];
        if (shape == Shape::clustered) {
            x = double(i % n % sites[d]) + 1e-4 * x;
        } else if (shape == Shape::collinear && d > 0) {
            x = 0.25;
        } else if (shape == Shape::coincident) {
            x = 0.5;
        }
    }
    return positions;
}

/// First point of each leaf, as sort leaves the sources.
template <int D = 2>
Words source_offsets(const starfmm::Pyramid<D>& tree, std::size_t n) {
    Words offsets;
    for (std::size_t leaf = 0; leaf <= tree.leaves(); ++leaf) {
        offsets.push_back(static_cast<std::uint32_t>(tree.begin(n, tree.last, leaf)));
    }
    return offsets;
}

/// Frames of a subtree's boxes as bounds leaves them.
template <int D = 2>
std::vector<double> boxes_of(
    starfmm::BodyFunction bounds,
    const starfmm::TaskArgs& args,
    std::vector<double>& positions,
    Words& offsets
) {
    const std::size_t n = starfmm::pyramid_of<D>(args).total_boxes();
    std::vector<double> boxes(starfmm::frame_doubles(D, n));
    std::vector<starfmm::Bounds<double, D>> scratch(n);
    call(bounds, args, boxes, scratch, positions, offsets);
    return boxes;
}

template <int D = 2>
starfmm::Frame<double, D> frame_of(const std::vector<double>& boxes, std::size_t box) {
    const std::size_t n = boxes.size() / (D + 1);
    const auto centre = starfmm::make_position<D>([&](int d) {
        return boxes[static_cast<std::size_t>(d) * n + box];
    });
    return {centre, boxes[D * n + box]};
}

// SPDX-License-Identifier: BSD-3-Clause
// Points for the tests of sort are made here, and put into the order that they are to get, from the
// definition.
#pragma once

#include "codelets/task/task_views.hpp"
#include "core/particles/points.hpp"
#include "core/tree/geometry.hpp"
#include "core/tree/pyramid.hpp"
#include "tests/support/bodies.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numbers>
#include <numeric>
#include <utility>

struct NamedPoints {
    const char* name;
    starfmm::Points<2> points;
};

/// Makes `n` points: the coordinates of point i are `point(i)`.
template <class Point>
NamedPoints named_points(const char* name, std::size_t n, const Point& point) {
    NamedPoints set{name, {}};
    for (std::size_t i = 0; i < n; ++i) {
        const auto [x, y] = point(i);
        set.points.x[0].push_back(x);
        set.points.x[1].push_back(y);
    }
    return set;
}

/// Makes sets that are round, thin, of several scales, or full of ties.
inline std::vector<NamedPoints> point_sets(std::size_t n) {
    Random random(3);
    const auto make = [n](const char* name, const auto& point) {
        return named_points(name, n, point);
    };
    using Pair = std::pair<double, double>;
    const auto uniform = [&random](double scale) { return scale * random(0, 1); };
    return {
        make("uniform", [&](auto) { return Pair(uniform(1), uniform(1)); }),
        make(
            "circle",
            [&](auto) {
                const double t = uniform(2 * std::numbers::pi);
                return Pair(std::cos(t), std::sin(t));
            }
        ),
        make(
            "clusters", [&](auto i) { return Pair(double(i % 2) + uniform(1e-8), uniform(1e-8)); }
        ),
        make("horizontal", [&](auto) { return Pair(uniform(1), 0.1); }),
        make("vertical", [&](auto) { return Pair(0.1, uniform(1)); }),
        make("diagonal", [](auto i) { return Pair(double(i), double(i)); }),
        make("coincident", [](auto) { return Pair(0.5, -0.5); }),
        make(
            "twice", [](auto i) { return Pair(std::sin(double(i | 1U)), std::cos(3. * (i | 1U))); }
        ),
        make(
            "zeros of both signs",
            [](auto i) { return Pair(i % 3 == 0 ? -0. : 0., i % 2 == 0 ? -0. : 0.); }
        ),
        make("powers", [](auto i) {
            return Pair(std::ldexp(1, -int(i % 90)), std::ldexp(1, -int(i % 7)));
        })};
}

/// The result of sort, with planes of the whole tree by plane_index.
struct Sorted {
    std::array<std::vector<double>, 2> x;
    Words permutation;
    std::vector<double> plane_values;
    Words plane_directions;

    bool operator==(const Sorted&) const = default;

    void set_plane(int depth, std::size_t node, starfmm::SplitPlane plane) {
        const std::size_t i = starfmm::plane_index(depth, node);
        plane_values.resize(std::max(plane_values.size(), i + 1));
        plane_directions.resize(plane_values.size());
        plane_values[i] = plane.value;
        plane_directions[i] = plane.direction;
    }
};

/// Sorts by the definition: each node's points are sorted by (coordinate, index) and cut in the
/// middle.
class SortReference {
public:
    SortReference(const starfmm::Points<2>& points, int levels)
        : n_(points.size()), depths_(2 * levels) {
        for (int d = 0; d < 2; ++d) {
            for (const double x : points.x[d]) {
                x_[d].push_back(x + 0.0);
            }
        }
        sorted_.permutation.resize(n_);
        std::iota(sorted_.permutation.begin(), sorted_.permutation.end(), 0U);
    }

    Sorted run() {
        split(0, 0, Box::nothing());
        for (const std::uint32_t i : sorted_.permutation) {
            for (int d = 0; d < 2; ++d) {
                sorted_.x[d].push_back(x_[d][i]);
            }
        }
        return sorted_;
    }

private:
    using Box = starfmm::Bounds<double, 2>;

    auto begin(int depth, std::size_t node) {
        const auto offset = static_cast<std::ptrdiff_t>(starfmm::node_begin(n_, depth, node));
        return sorted_.permutation.begin() + offset;
    }

    void sort_node(int depth, std::size_t node, std::size_t d) {
        std::sort(begin(depth, node), begin(depth, node + 1), [&](auto a, auto b) {
            return std::pair(x_[d][a], a) < std::pair(x_[d][b], b);
        });
    }

    static std::size_t longest_side(const Box& box) {
        std::array<double, 2> lengths;
        std::transform(box.max, box.max + 2, box.min, lengths.begin(), std::minus<>());
        return std::size_t(std::max_element(lengths.begin(), lengths.end()) - lengths.begin());
    }

    void split(int depth, std::size_t node, Box bounds) {
        if (depth == depths_) {
            sort_node(depth, node, 0);
            return;
        }
        if (depth % 2 == 0) {
            bounds = Box::nothing();
            for (auto i = begin(depth, node); i != begin(depth, node + 1); ++i) {
                for (int d = 0; d < 2; ++d) {
                    bounds.add(d, x_[d][*i]);
                }
            }
        }
        const std::size_t d = longest_side(bounds);
        sort_node(depth, node, d);
        const auto middle = begin(depth + 1, 2 * node + 1);
        const double plane = middle == begin(depth, node + 1) ? bounds.max[d] : x_[d][*middle];
        sorted_.set_plane(depth, node, {plane, static_cast<std::uint32_t>(d)});
        Box upper = bounds;
        bounds.max[d] = upper.min[d] = plane;
        split(depth + 1, 2 * node, bounds);
        split(depth + 1, 2 * node + 1, upper);
    }

    std::size_t n_;
    int depths_;
    std::vector<double> x_[2];
    Sorted sorted_;
};

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
#include <iterator>
#include <numbers>
#include <numeric>
#include <tuple>
#include <type_traits>
#include <utility>

/// Numbers of dimensions, for tests of any of them.
using Plane = std::integral_constant<int, 2>;
using Space = std::integral_constant<int, 3>;

template <int D>
struct NamedPoints {
    const char* name;
    starfmm::Points<D> points;
};

/// Makes `n` points: the coordinates of point i are `point(i)`, a pair or an array of three.
template <class Point>
auto named_points(const char* name, std::size_t n, const Point& point) {
    constexpr int dimension = std::tuple_size_v<decltype(point(n))>;
    NamedPoints<dimension> set{name, {}};
    for (std::size_t i = 0; i < n; ++i) {
        std::apply(
            [&set](auto... x) {
                int d = 0;
                (set.points.x[d++].push_back(x), ...);
            },
            point(i)
        );
    }
    return set;
}

/// Makes sets that are round, thin, of several scales, or full of ties.
inline std::vector<NamedPoints<2>> plane_sets(std::size_t n) {
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

/// Makes sets of space that are spread, or on lines along each axis.
inline std::vector<NamedPoints<3>> spread_sets(std::size_t n) {
    Random random(4);
    const auto make = [n](const char* name, const auto& point) {
        return named_points(name, n, point);
    };
    using Triple = std::array<double, 3>;
    const auto uniform = [&random](double scale) { return scale * random(0, 1); };
    const auto normal = [&random] {
        return std::sqrt(-2 * std::log1p(-random(0, 1))) *
               std::cos(2 * std::numbers::pi * random(0, 1));
    };
    const auto axis = [&](std::size_t d) {
        return [&, d](auto) {
            Triple point{0.1, -0.2, 0.3};
            point[d] = uniform(1);
            return point;
        };
    };
    return {
        make(
            "uniform",
            [&](auto) {
                return Triple{uniform(1), uniform(1), uniform(1)};
            }
        ),
        make(
            "slab",
            [&](auto) {
                return Triple{uniform(1), uniform(3), uniform(1e-9)};
            }
        ),
        make(
            "normal",
            [&](auto) {
                return Triple{normal(), normal(), normal()};
            }
        ),
        make("x axis", axis(0)),
        make("y axis", axis(1)),
        make("z axis", axis(2))};
}

/// Makes sets of space on lattices and lines that split all directions at once, and at few places.
inline std::vector<NamedPoints<3>> regular_sets(std::size_t n) {
    Random random(4);
    const auto make = [n](const char* name, const auto& point) {
        return named_points(name, n, point);
    };
    using Triple = std::array<double, 3>;
    const auto diagonal = [](auto i) { return Triple{double(i), double(i), double(i)}; };
    const auto place = [](auto /*i*/) { return Triple{0.5, -0.5, 0}; };
    const auto tiny = [&random] { return 1e-8 * random(0, 1); };
    return {
        make("diagonal", diagonal),
        make(
            "clusters",
            [&](auto i) {
                return Triple{double(i % 2) + tiny(), tiny(), double(i % 3)};
            }
        ),
        make("coincident", place),
        make(
            "twice",
            [](auto i) {
                const auto pair = double(i | 1U);
                return Triple{std::sin(pair), std::cos(3 * pair), std::sin(5 * pair)};
            }
        ),
        make(
            "zeros of both signs",
            [](auto i) {
                return Triple{i % 3 == 0 ? -0. : 0., i % 2 == 0 ? -0. : 0., i % 5 == 0 ? -0. : 0.};
            }
        ),
        make("lattice", [](auto i) {
            return Triple{double(i % 11), double((i / 11) % 11), std::floor(double(i) / 121)};
        })};
}

inline std::vector<NamedPoints<3>> space_sets(std::size_t n) {
    std::vector<NamedPoints<3>> all = spread_sets(n);
    std::ranges::move(regular_sets(n), std::back_inserter(all));
    return all;
}

template <int D>
std::vector<NamedPoints<D>> point_sets(std::size_t n) {
    if constexpr (D == 2) {
        return plane_sets(n);
    } else {
        return space_sets(n);
    }
}

/// The result of sort, with planes of the whole tree by plane_index.
template <int D>
struct Sorted {
    std::array<std::vector<double>, D> x;
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
template <int D>
class SortReference {
public:
    SortReference(const starfmm::Points<D>& points, int levels)
        : n_(points.size()), depths_(D * levels) {
        for (int d = 0; d < D; ++d) {
            for (const double x : points.x[d]) {
                x_[d].push_back(x + 0.0);
            }
        }
        sorted_.permutation.resize(n_);
        std::iota(sorted_.permutation.begin(), sorted_.permutation.end(), 0U);
    }

    Sorted<D> run() {
        split(0, 0, Box::nothing());
        for (const std::uint32_t i : sorted_.permutation) {
            for (int d = 0; d < D; ++d) {
                sorted_.x[d].push_back(x_[d][i]);
            }
        }
        return sorted_;
    }

private:
    using Box = starfmm::Bounds<double, D>;

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
        std::array<double, D> lengths;
        std::transform(box.max, box.max + D, box.min, lengths.begin(), std::minus<>());
        return std::size_t(std::max_element(lengths.begin(), lengths.end()) - lengths.begin());
    }

    void split(int depth, std::size_t node, Box bounds) {
        if (depth == depths_) {
            sort_node(depth, node, 0);
            return;
        }
        if (depth % D == 0) {
            bounds = Box::nothing();
            for (auto i = begin(depth, node); i != begin(depth, node + 1); ++i) {
                for (int d = 0; d < D; ++d) {
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
    std::vector<double> x_[D];
    Sorted<D> sorted_;
};

// SPDX-License-Identifier: BSD-3-Clause
// Scenes of space are made here on both kinds of tree, with sums over their points in extended
// precision.
#pragma once

#include "tests/kernels/counting.hpp"
#include "tests/kernels/square_distance.hpp"
#include "tests/support/scene.hpp"

#include <algorithm>
#include <array>
#include <cmath>

using SquareDouble = SquareDistance<double>;
using SquareSingle = SquareDistance<float>;

#define DOCTEST_TEST_SPACE_KERNELS SquareDouble, SquareSingle, Counting3

/// Value of a pair whose points differ by `d` = source - target, for a unit strength.
template <class K>
auto exact_pair(const starfmm::Vector3<long double>& d) {
    if constexpr (starfmm::has_gradient<K>) {
        return std::array{d.x * d.x + d.y * d.y + d.z * d.z, -2 * d.x, -2 * d.y, -2 * d.z};
    } else {
        return std::array{1.0L};
    }
}

inline starfmm::Vector3<long double> extended(const starfmm::Vector3<double>& v) {
    return {v.x, v.y, v.z};
}

/// Components of the sum at `target` of the scene's points.
template <class K>
auto exact_sum(const Scene<K>& scene, const starfmm::Vector3<double>& target) {
    std::array<long double, starfmm::n_value_components<K>> sum{};
    for (std::size_t j = 0; j < scene.n(); ++j) {
        const auto pair = exact_pair<K>(extended(scene.position(j)) - extended(target));
        for (std::size_t c = 0; c < sum.size(); ++c) {
            sum[c] += static_cast<long double>(scene.strengths[j]) * pair[c];
        }
    }
    return sum;
}

/// Checks that values at the scene's points are sums over the points of all `sources`. No term
/// exceeds 16 strengths in the unit cube. Each suffers fewer than 64 roundings on its way, and one
/// for each other term that it is added to.
/// \param extent extent of the points, if it is not that of the unit cube: kernels with a gradient
/// scale with it
template <class K, class Value>
void check_sums(
    const Scene<K>& targets,
    const std::vector<const Scene<K>*>& sources,
    const std::vector<Value>& values,
    double extent = 1
) {
    std::size_t n = 0;
    double strength = 0;
    for (const Scene<K>* scene : sources) {
        n += scene->n();
        strength += scene->total_strength();
    }
    const double bound = 16 * (64 + static_cast<double>(n)) * roundoff<typename K::Real> * strength;
    for (std::size_t i = 0; i < targets.n(); ++i) {
        for (std::size_t c = 0; c < starfmm::n_value_components<K>; ++c) {
            long double expected = 0;
            for (const Scene<K>* scene : sources) {
                expected += exact_sum(*scene, targets.position(i))[c];
            }
            const long double error = std::abs(values[c * targets.n() + i] - expected);
            CHECK(static_cast<double>(error) <= bound * (c == 0 ? extent * extent : extent));
        }
    }
}

/// A scene on an octree: five of the root's octants are boxes, and so are three octants of the
/// third of them, the second of which has no points.
template <class K>
struct OctreeScene : Scene<K> {
    explicit OctreeScene(int order, std::uint64_t seed = 1) : Scene<K>(0, n_points, order, seed) {
        auto& args = this->args;
        args.orthtree = {n_boxes, n_leaves, 2, 0};
        this->boxes.assign(starfmm::orthtree_doubles(3, n_boxes), 0);
        place_boxes();
        place_points(seed);
        auto* words = reinterpret_cast<std::uint32_t*>(
            this->boxes.data() + starfmm::frame_doubles(3, n_boxes)
        );
        auto tree = starfmm::Orthtree<3>::of(words, n_boxes);
        *tree.size = args.orthtree;
        std::copy(child_begin.begin(), child_begin.end(), tree.child_begin);
        std::copy(parents.begin(), parents.end(), tree.parents);
        std::copy(leaves.begin(), leaves.end(), tree.leaf_boxes);
        std::copy(this->offsets.begin(), this->offsets.end(), tree.leaf_begin);
        std::copy(level_begin.begin(), level_begin.end(), tree.level_begin);
    }

private:
    static constexpr std::uint32_t n_boxes = 9;
    static constexpr std::uint32_t n_leaves = 7;
    static constexpr std::array<std::uint32_t, n_boxes + 1> child_begin{
        1, 6, 6, 6, 9, 9, 9, 9, 9, 9};
    static constexpr std::array<std::uint32_t, n_boxes> parents{0, 0, 0, 0, 0, 0, 3, 3, 3};
    static constexpr std::array<std::uint32_t, n_boxes> octants{0, 0, 2, 3, 6, 7, 1, 4, 6};
    static constexpr std::array<std::uint32_t, n_leaves> leaves{1, 2, 6, 7, 8, 4, 5};
    static constexpr std::array<std::uint32_t, n_leaves> sizes{5, 17, 1, 0, 24, 9, 13};
    static constexpr std::array<std::uint32_t, 4> level_begin{0, 1, 6, n_boxes};
    static constexpr std::size_t n_points = 69;

    /// Sets a box's frame; set_frame does not know an orthtree's arrays.
    void set(std::size_t box, const starfmm::Vector3<double>& centre, double radius) {
        for (int d = 0; d < 3; ++d) {
            this->boxes[std::size_t(d) * n_boxes + box] = coordinate(centre, d);
        }
        this->boxes[std::size_t(3) * n_boxes + box] = radius;
    }

    [[nodiscard]] starfmm::Vector3<double> centre(std::size_t box) const {
        return starfmm::make_position<3>([&](int d) {
            return this->boxes[std::size_t(d) * n_boxes + box];
        });
    }

    [[nodiscard]] static double half_side(std::size_t box) {
        return box == 0 ? 0.5 : 0.5 * half_side(parents[box]);
    }

    void place_boxes() {
        set(0, {0.5, 0.5, 0.5}, std::sqrt(0.75));
        for (std::size_t box = 1; box < n_boxes; ++box) {
            const double half = half_side(box);
            const auto from = centre(parents[box]);
            const auto own = starfmm::make_position<3>([&](int d) {
                return coordinate(from, d) + ((octants[box] >> d & 1U) != 0 ? half : -half);
            });
            set(box, own, half * std::sqrt(3.0));
        }
    }

    void place_points(std::uint64_t seed) {
        Random random(seed);
        this->offsets = {0};
        for (std::size_t leaf = 0; leaf < n_leaves; ++leaf) {
            const double half = half_side(leaves[leaf]);
            const auto middle = centre(leaves[leaf]);
            const std::size_t begin = this->offsets[leaf];
            this->offsets.push_back(this->offsets[leaf] + sizes[leaf]);
            for (std::size_t i = begin; i < this->offsets[leaf + 1]; ++i) {
                for (int d = 0; d < 3; ++d) {
                    this->positions[d * n_points + i] = coordinate(middle, d) + random(-half, half);
                }
            }
            if (sizes[leaf] == 0) {
                set(leaves[leaf], {0, 0, 0}, -1);
            }
        }
    }
};

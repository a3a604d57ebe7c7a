// SPDX-License-Identifier: BSD-3-Clause
// A scene is a small pyramid of known shape for tests of operators.
#pragma once

#include "codelets/task/task_views.hpp"
#include "core/expansions/pascal.hpp"
#include "core/tree/pyramid.hpp"
#include "tests/support/bodies.hpp"

#include <cmath>

/// Random points in the unit square, or cube, in tree order: each leaf is a cell of a regular grid,
/// and has as many points as the pyramid wants. Discs circumscribe the squares, so that a child's
/// disc touches its parent's from within.
template <class K>
struct Scene {
    static constexpr int D = starfmm::dimension_of<K>;
    using Real = typename K::Real;
    using Coefficient = starfmm::CoefficientOf<K, Real>;

    starfmm::TaskArgs args;
    std::vector<double> positions; ///< [D n]
    std::vector<Real> strengths;   ///< [n] or [2 n]
    Words offsets;                 ///< [leaves + 1]
    std::vector<double> boxes;     ///< [(D + 1) total_boxes]

    Scene(int levels, std::size_t n, int order, std::uint64_t seed = 1)
        : positions(D * n), boxes(starfmm::frame_doubles(D, total(levels))) {
        Random random(seed);
        args.tree = {0, levels, 0};
        args.order = order;
        args.theta = 0.5;
        args.n_sources = n;
        args.n_targets = n;
        args.n_slots = 1;
        strengths = random.numbers<Real>((starfmm::has_complex_strength<K> ? 2 : 1) * n);
        for (int level = 0; level <= levels; ++level) {
            for (std::size_t box = 0; box < starfmm::pyramid_of<D>(args).boxes(level); ++box) {
                set_square(level, box);
            }
        }
        for (std::size_t leaf = 0; leaf < starfmm::pyramid_of<D>(args).leaves(); ++leaf) {
            offsets.push_back(begin(leaf));
            scatter(random, leaf);
        }
        offsets.push_back(begin(starfmm::pyramid_of<D>(args).leaves()));
    }

    [[nodiscard]] std::size_t n() const { return positions.size() / D; }

    [[nodiscard]] std::size_t n_boxes() const { return boxes.size() / (D + 1); }

    [[nodiscard]] int n_coefficients() const { return K::n_coefficients(args.order); }

    [[nodiscard]] std::size_t total_coefficients() const { return n_boxes() * n_coefficients(); }

    /// Returns zeros, and the room behind them that bodies may read.
    [[nodiscard]] std::vector<Coefficient> no_coefficients() const {
        return std::vector<Coefficient>(total_coefficients() + starfmm::coefficient_slack);
    }

    [[nodiscard]] std::vector<Real> no_values() const {
        return std::vector<Real>(starfmm::n_value_components<K> * n());
    }

    [[nodiscard]] starfmm::Position<D, double> position(std::size_t i) const {
        return starfmm::make_position<D>([&](int d) { return positions[d * n() + i]; });
    }

    /// Returns a point of the plane.
    [[nodiscard]] Exact point(std::size_t i) const { return exact(position(i)); }

    [[nodiscard]] Exact strength(std::size_t i) const { return element(strengths, i, n()); }

    [[nodiscard]] starfmm::Frame<double, D> frame(std::size_t box) const {
        return {
            starfmm::make_position<D>([&](int d) { return boxes[d * n_boxes() + box]; }),
            boxes[D * n_boxes() + box]};
    }

    void set_frame(std::size_t box, const starfmm::Frame<double, D>& frame) {
        for (int d = 0; d < D; ++d) {
            boxes[d * n_boxes() + box] = coordinate(frame.centre, d);
        }
        boxes[D * n_boxes() + box] = frame.radius;
    }

    [[nodiscard]] std::size_t leaf_box(std::size_t leaf) const {
        return starfmm::pyramid_of<D>(args).offset(args.tree.last) + leaf;
    }

    /// Returns the potential at `z` of the points [first, last) of the plane, and in `magnitude`
    /// its scale.
    Exact potential(Exact z, std::size_t first, std::size_t last, long double* magnitude = nullptr)
        const {
        Exact sum = 0;
        for (std::size_t j = first; j < last; ++j) {
            const Exact value = pair_value<K>(z, point(j), strength(j));
            sum += value;
            if (magnitude != nullptr) {
                *magnitude += std::abs(value);
            }
        }
        return sum;
    }

    /// Sum of the magnitudes of strengths.
    [[nodiscard]] double total_strength() const {
        double sum = 0;
        for (std::size_t i = 0; i < n(); ++i) {
            sum += static_cast<double>(std::abs(strength(i)));
        }
        return sum;
    }

private:
    static std::size_t total(int levels) { return starfmm::Pyramid<D>{0, levels, 0}.total_boxes(); }

    [[nodiscard]] std::uint32_t begin(std::size_t leaf) const {
        return static_cast<std::uint32_t>(
            starfmm::pyramid_of<D>(args).begin(n(), args.tree.last, leaf)
        );
    }

    void set_square(int level, std::size_t box) {
        const double side = std::ldexp(1, -level);
        const auto centre = starfmm::make_position<D>([&](int d) {
            double x = side / 2;
            for (int bit = 0; bit < level; ++bit) {
                x += std::ldexp(side, bit) * static_cast<double>(box >> (D * bit + d) & 1U);
            }
            return x;
        });
        const std::size_t at = starfmm::pyramid_of<D>(args).offset(level) + box;
        set_frame(at, {centre, side * std::sqrt(0.25 * D)});
    }

    void scatter(Random& random, std::size_t leaf) {
        const auto frame = this->frame(leaf_box(leaf));
        const double half = frame.radius * std::sqrt(1.0 / D);
        for (std::size_t i = begin(leaf); i < begin(leaf + 1); ++i) {
            for (int d = 0; d < D; ++d) {
                positions[d * n() + i] = coordinate(frame.centre, d) + random(-half, half);
            }
        }
    }
};

/// Makes the scene the third of the groups of level 1, which are equally large; the first group is
/// its slot 1.
/// \returns lists with that slot's only leaf as the only near one
template <class K>
Words near_to_first_group(Scene<K>& scene) {
    scene.args.tree = {1, 1, 2};
    scene.args.n_sources = starfmm::n_children<Scene<K>::D> * scene.n();
    scene.args.slots[0] = 2;
    scene.args.slots[1] = 0;
    scene.args.n_slots = 2;
    scene.args.lists = {1, 1, 1, 2};
    Words lists(scene.args.lists.words());
    fill_list(scene.args.lists.near(lists.data()), {{1, 0}});
    return lists;
}

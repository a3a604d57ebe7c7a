// SPDX-License-Identifier: BSD-3-Clause
// A small pyramid of known shape for tests of operators.
#pragma once

#include "core/expansions/pascal.hpp"
#include "core/tree/pyramid.hpp"
#include "tests/support/bodies.hpp"

#include <cmath>

/// Random points in the unit square, cut into the squares of a regular grid: in tree order, as many
/// in a leaf as the pyramid wants. Discs circumscribe the squares, so a child's disc touches its
/// parent's from within.
template <class K>
struct Scene {
    using Real = typename K::Real;

    starfmm::TaskArgs args;
    std::vector<double> positions; ///< [2 n]
    std::vector<Real> strengths;   ///< [n] or [2 n]
    Words offsets;                 ///< [leaves + 1]
    std::vector<double> boxes;     ///< [3 total_boxes]

    Scene(int levels, std::size_t n, int order, std::uint64_t seed = 1)
        : positions(2 * n), boxes(3 * total(levels)) {
        Random random(seed);
        args.tree = {0, levels, 0};
        args.order = order;
        args.theta = 0.5;
        args.n_sources = n;
        args.n_targets = n;
        args.n_slots = 1;
        strengths = random.numbers<Real>((starfmm::has_complex_strength<K> ? 2 : 1) * n);
        for (int level = 0; level <= levels; ++level) {
            for (std::size_t box = 0; box < pyramid_of<2>(args).boxes(level); ++box) {
                set_square(level, box);
            }
        }
        for (std::size_t leaf = 0; leaf < pyramid_of<2>(args).leaves(); ++leaf) {
            offsets.push_back(begin(leaf));
            scatter(random, leaf);
        }
        offsets.push_back(begin(pyramid_of<2>(args).leaves()));
    }

    [[nodiscard]] std::size_t n() const { return positions.size() / 2; }

    [[nodiscard]] std::size_t n_boxes() const { return boxes.size() / 3; }

    [[nodiscard]] int n_coefficients() const { return K::n_coefficients(args.order); }

    [[nodiscard]] std::size_t total_coefficients() const { return n_boxes() * n_coefficients(); }

    /// Zeros, and the room behind them that bodies may read.
    [[nodiscard]] std::vector<starfmm::Complex<Real>> no_coefficients() const {
        constexpr std::size_t room = starfmm::coefficient_room - starfmm::max_order;
        return std::vector<starfmm::Complex<Real>>(total_coefficients() + room, {0, 0});
    }

    [[nodiscard]] std::vector<Real> no_values() const {
        return std::vector<Real>(starfmm::n_value_components<K> * n());
    }

    [[nodiscard]] Exact point(std::size_t i) const { return {positions[i], positions[n() + i]}; }

    [[nodiscard]] Exact strength(std::size_t i) const { return element(strengths, i, n()); }

    [[nodiscard]] starfmm::Frame<double> frame(std::size_t box) const {
        return {{boxes[box], boxes[n_boxes() + box]}, boxes[2 * n_boxes() + box]};
    }

    void set_frame(std::size_t box, const starfmm::Frame<double>& frame) {
        boxes[box] = frame.centre.re;
        boxes[n_boxes() + box] = frame.centre.im;
        boxes[2 * n_boxes() + box] = frame.radius;
    }

    [[nodiscard]] std::size_t leaf_box(std::size_t leaf) const {
        return pyramid_of<2>(args).offset(args.tree.last) + leaf;
    }

    /// Potential at `z` of the points [first, last), and in `magnitude` its scale.
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
    static std::size_t total(int levels) { return starfmm::Pyramid<2>{0, levels, 0}.total_boxes(); }

    [[nodiscard]] std::uint32_t begin(std::size_t leaf) const {
        return static_cast<std::uint32_t>(pyramid_of<2>(args).begin(n(), args.tree.last, leaf));
    }

    void set_square(int level, std::size_t box) {
        const double side = std::ldexp(1, -level);
        double x = side / 2;
        double y = side / 2;
        for (int bit = 0; bit < level; ++bit) {
            x += std::ldexp(side, bit) * static_cast<double>(box >> (2 * bit) & 1U);
            y += std::ldexp(side, bit) * static_cast<double>(box >> (2 * bit + 1) & 1U);
        }
        set_frame(pyramid_of<2>(args).offset(level) + box, {{x, y}, side * std::sqrt(0.5)});
    }

    void scatter(Random& random, std::size_t leaf) {
        const starfmm::Frame<double> frame = this->frame(leaf_box(leaf));
        const double half = frame.radius * std::sqrt(0.5);
        for (std::size_t i = begin(leaf); i < begin(leaf + 1); ++i) {
            positions[i] = frame.centre.re + random(-half, half);
            positions[n() + i] = frame.centre.im + random(-half, half);
        }
    }
};

/// Makes the scene the third of four groups that are as large, whose slot 1 is the first of them.
/// \returns lists with that slot's only leaf as the only near one
template <class K>
Words near_to_first_group(Scene<K>& scene) {
    scene.args.tree = {1, 1, 2};
    scene.args.n_sources = 2 * scene.positions.size();
    scene.args.slots[0] = 2;
    scene.args.slots[1] = 0;
    scene.args.n_slots = 2;
    scene.args.lists = {1, 1, 1, 2};
    Words lists(scene.args.lists.words());
    fill_list(scene.args.lists.near(lists.data()), {{1, 0}});
    return lists;
}

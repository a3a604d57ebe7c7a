// SPDX-License-Identifier: BSD-3-Clause
// Sums of gravity by a tree with random options, a function of a seed and a number.
#pragma once

#include "schedulers/plan/gravity_tree.hpp"
#include "tests/support/draws.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

/// Bodies in a cube of side one or so, turned, moved and scaled.
struct RandomBodies {
    std::string shape;
    std::string masses;
    std::size_t n = 0;
    std::uint64_t seed = 0;
    std::array<std::array<double, 3>, 3> axes{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    double offset = 0; ///< what is added to all coordinates, before they are scaled
    double scale = 1;
    double mass_scale = 1;

    [[nodiscard]] starfmm::Bodies make() const {
        const starfmm::Points<3> unit = make_unit();
        starfmm::Bodies bodies;
        for (int d = 0; d < 3; ++d) {
            for (std::size_t i = 0; i < n; ++i) {
                double x = offset;
                for (int c = 0; c < 3; ++c) {
                    x += axes[c][d] * unit.x[c][i];
                }
                bodies.x[d].push_back(scale * x);
            }
        }
        Draws draws(seed + 1);
        const std::size_t heavy = draws.below(n);
        for (std::size_t i = 0; i < n; ++i) {
            bodies.mass.push_back(mass_scale * mass(draws, i == heavy));
        }
        return bodies;
    }

private:
    [[nodiscard]] starfmm::Points<3> make_unit() const {
        for (const char* name : {"uniform", "normal", "layer", "circle", "plummer", "lattice"}) {
            if (shape == name) {
                const double width = shape == "layer" ? 1e-3 : 0.1;
                return starfmm::make_points<3>(starfmm::parse_distribution(name), n, width, seed);
            }
        }
        Draws draws(seed);
        const auto places = starfmm::make_points<3>(
            starfmm::Distribution::uniform, 2 + draws.below(10), 0.1, draws.seed()
        );
        starfmm::Points<3> points;
        for (std::size_t i = 0; i < n; ++i) {
            const auto place = place_of(draws, i, places);
            for (int d = 0; d < 3; ++d) {
                points.x[d].push_back(place[d]);
            }
        }
        return points;
    }

    [[nodiscard]] std::array<double, 3>
    place_of(Draws& draws, std::size_t i, const starfmm::Points<3>& places) const {
        const double t = draws(0, 1);
        const double turn = 6.283185307179586 * t;
        const double even = static_cast<double>(i) / static_cast<double>(n);
        if (shape == "line") {
            return {t, 0, 0};
        }
        if (shape == "even line") {
            return {even, 0, 0};
        }
        if (shape == "ring") {
            return {0.5 * std::cos(turn), 0.5 * std::sin(turn), 0};
        }
        if (shape == "thread") { // 1e-7 wide
            return {t, 1e-7 * draws(0, 1), 1e-7 * draws(0, 1)};
        }
        if (shape == "disc") {
            const double r = 0.5 * std::sqrt(draws(0, 1));
            return {r * std::cos(turn), r * std::sin(turn), 1e-3 * draws(-1, 1)};
        }
        if (shape == "plate") { // a lattice of two dimensions
            const auto side = static_cast<std::size_t>(std::ceil(std::sqrt(n)));
            const double step = 1.0 / static_cast<double>(side);
            const std::size_t row = i / side;
            return {static_cast<double>(i % side) * step, static_cast<double>(row) * step, 0};
        }
        const std::size_t which = draws.below(places.size());
        const double spread = shape == "sites" ? 0 : 1e-2; // else "clusters"
        std::array<double, 3> place{};
        for (int d = 0; d < 3; ++d) {
            place[d] = places.x[d][which] + spread * draws(-1, 1);
        }
        return place;
    }

    [[nodiscard]] double mass(Draws& draws, bool is_heavy) const {
        const double m = 1 - draws(0, 1);
        const bool is_chosen = draws.chance(0.02);
        const double decades = draws.power_of_ten(-20, 0);
        if (masses == "random") {
            return m;
        }
        if (masses == "decades") {
            return decades;
        }
        if (masses == "one heavy") { // and the others massless
            return is_heavy ? 1 : 0;
        }
        if (masses == "one of half") {
            return is_heavy ? 1 : m / static_cast<double>(n);
        }
        if (masses == "few heavy") {
            return is_chosen || is_heavy ? m : 1e-9 * m;
        }
        return 1;
    }
};

/// What is summed, how, and what is done before.
struct RandomGravity {
    RandomBodies bodies;
    starfmm::GravityTreeOptions options;
    bool moves = false; ///< sums bodies elsewhere before
    bool has_targets = false;
    RandomBodies targets; ///< places of sums, in the unit of the bodies; their masses mean nothing

    RandomGravity(std::uint64_t seed, std::size_t number) {
        // numbers one apart, and seeds, must be far from each other
        Draws draws(seed * 0x9E3779B97F4A7C15 ^ (number + 1) * 0xD1B54A32D192ED03);
        draw_bodies(draws);
        draw_law(draws);
        draw_tolerances(draws);
        draw_plan(draws);
        moves = draws.chance(0.2);
        has_targets = draws.chance(0.25) && options.own_error == 0;
        draw_targets(draws);
    }

    /// The case as options of the command line, where it has them.
    [[nodiscard]] std::string describe() const;

private:
    static std::string draw_shape(Draws& draws) {
        return draws.among<std::string>(
            {"uniform",
             "normal",
             "layer",
             "circle",
             "plummer",
             "plummer",
             "lattice",
             "line",
             "even line",
             "ring",
             "thread",
             "disc",
             "plate",
             "sites",
             "clusters"}
        );
    }

    /// Draws targets, which are among the bodies in half of the cases.
    void draw_targets(Draws& draws) {
        targets = bodies;
        if (draws.chance(0.5)) {
            targets.shape = draw_shape(draws);
            targets.offset += draws.among({0, 0, 1, 100});
        }
        targets.n = draw_count(draws);
    }

    void draw_bodies(Draws& draws) {
        bodies.shape = draw_shape(draws);
        bodies.masses = draws.among<std::string>(
            {"equal", "equal", "random", "decades", "one heavy", "one of half", "few heavy"}
        );
        bodies.n = draw_count(draws);
        bodies.seed = draws.seed() % 1'000'000'000;
        turn(draws);
        bodies.offset = draws.chance(0.25) ? draws(-2, 2) : 0;
        bodies.scale = draws.chance(0.35) ? draws.power_of_ten(-20, 20) : 1;
        bodies.mass_scale = draws.chance(0.35) ? draws.power_of_ten(-30, 30) : 1;
    }

    /// Mostly more than direct sums take over.
    static std::size_t draw_count(Draws& draws) {
        if (draws.chance(0.2)) {
            return draws.among<std::size_t>({1, 2, 3, 4, 5, 16, 17, 31, 64, 97, 512, 513, 1009});
        }
        return static_cast<std::size_t>(draws.power_of_ten(draws.chance(0.25) ? 0.5 : 2.7, 3.7));
    }

    /// About any axis, or so that the first axis is the diagonal.
    void turn(Draws& draws) {
        const auto kind = draws.below(3);
        double q[4] = {draws(-1, 1), draws(-1, 1), draws(-1, 1), draws(-1, 1)};
        if (kind == 0) {
            return;
        }
        if (kind == 1) { // (1, 1, 1), (-1, 1, 0), (-1, -1, 2), not to length
            bodies.axes = {{{1, 1, 1}, {-1, 1, 0}, {-0.5, -0.5, 1}}};
            return;
        }
        double square = 0;
        for (const double x : q) {
            square += x * x;
        }
        for (double& x : q) {
            x /= std::sqrt(square);
        }
        const auto [w, x, y, z] = std::array{q[0], q[1], q[2], q[3]};
        bodies.axes = {
            {{1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)},
             {2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)},
             {2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)}}};
    }

    void draw_law(Draws& draws) {
        using starfmm::Precision;
        options.precision = draws.among(
            {Precision::single_precision, Precision::mixed_precision, Precision::double_precision}
        );
        if (draws.chance(0.75)) {
            options.epsilon = bodies.scale * (draws.chance(0.7) ? draws.power_of_ten(-6, 1)
                                                                : draws.power_of_ten(-40, -6));
        }
        if (draws.chance(0.3)) {
            options.softening = starfmm::Softening::spline;
        }
    }

    void draw_tolerances(Draws& draws) {
        using starfmm::Precision;
        const bool is_double = options.precision == Precision::double_precision;
        options.plan.tolerance = is_double && draws.chance(0.3) ? draws.power_of_ten(-9, -4)
                                                                : draws.power_of_ten(-4.5, -0.5);
        if (draws.chance(0.5)) {
            options.tolerance99 = std::min(1.0, options.plan.tolerance * draws.power_of_ten(0, 2));
        }
    }

    void draw_plan(Draws& draws) {
        starfmm::PlanOptions& plan = options.plan;
        plan.tuning = starfmm::Tuning::builtin;
        if (draws.chance(0.6)) {
            plan.leaf_size = std::floor(draws.power_of_ten(0, 2));
        }
        plan.groups = draws.among({0, 0, 1, 2, 7, 64});
        if (draws.chance(0.3)) {
            plan.roots = static_cast<int>(4 + draws.below(4));
        }
        if (draws.chance(0.15)) {
            plan.theta = draws(0.25, 0.8);
        }
        if (draws.chance(0.1)) {
            options.own_error = std::min(draws.power_of_ten(-5, -2), options.plan.tolerance);
        } else if (draws.chance(0.1)) {
            plan.heavy_theta = draws(0.15, 0.4);
        }
    }
};

inline std::string RandomGravity::describe() const {
    std::ostringstream text;
    text.precision(17);
    constexpr const char* precisions[]{"double", "single", "mixed"}; // in the order of the type
    const starfmm::PlanOptions& plan = options.plan;
    text << "--n " << bodies.n << " (" << bodies.shape << ", seed " << bodies.seed << ", x axis ("
         << bodies.axes[0][0] << ", " << bodies.axes[0][1] << ", " << bodies.axes[0][2] << "), + "
         << bodies.offset << ", * " << bodies.scale << ") --masses (" << bodies.masses << ", * "
         << bodies.mass_scale << ") --epsilon " << options.epsilon << " --softening "
         << (options.softening == starfmm::Softening::spline ? "spline" : "plummer")
         << " --precision " << precisions[static_cast<int>(options.precision)] << " --tol "
         << plan.tolerance << " --tol99 " << options.tolerance99 << " --leaf-size "
         << plan.leaf_size << " --groups " << plan.groups << " --theta " << plan.theta
         << " --heavy-theta " << plan.heavy_theta << " --own-error " << options.own_error
         << "; roots " << plan.roots << (moves ? ", other bodies before" : "");
    if (has_targets) {
        text << ", " << targets.n << " targets (" << targets.shape << ", + " << targets.offset
             << ")";
    }
    return text.str();
}

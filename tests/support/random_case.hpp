// SPDX-License-Identifier: BSD-3-Clause
// Whole runs with random options, a function of a seed and a number: what is asked for, of which
// points and strengths.
#pragma once

#include "core/options.hpp"
#include "core/particles/points.hpp"
#include "tests/support/draws.hpp"
#include "tests/support/shapes.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

/// A set of points: a shape, moved and scaled.
struct RandomPoints {
    std::string shape;
    std::size_t n = 0;
    std::uint64_t seed = 0;
    std::uint64_t sites = 0; ///< seed of what sets share: the places of "sites"
    double offset[2] = {0, 0};
    double scale = 1;

    [[nodiscard]] starfmm::Points<2> make() const {
        starfmm::Points<2> points = make_unit();
        for (int d = 0; d < 2; ++d) {
            for (double& x : points.x[d]) {
                x = (x + offset[d]) * scale;
            }
        }
        return points;
    }

private:
    [[nodiscard]] starfmm::Points<2> make_unit() const {
        if (std::find(shape_names.begin(), shape_names.end(), shape) != shape_names.end()) {
            return make_shape(shape, n, seed);
        }
        Draws draws(seed);
        Draws places(sites);
        const auto side = 1 + places.below(30);
        const auto few = make_shape("uniform", 1 + places.below(12), places.seed());
        starfmm::Points<2> points;
        for (std::size_t i = 0; i < n; ++i) {
            double x = draws(0, 1);
            double y = draws(0, 1);
            if (shape == "grid") { // of integers, many of them met several times
                x = static_cast<double>(draws.below(side));
                y = static_cast<double>(draws.below(side));
            } else if (shape == "sites") {
                const std::size_t site = draws.below(few.size());
                x = few.x[0][site];
                y = few.x[1][site];
            } else if (shape == "ulps") { // as near each other as doubles are
                x = 0.75 + 0x1p-53 * static_cast<double>(draws.below(side));
                y = 0.75 + 0x1p-53 * static_cast<double>(draws.below(side));
            } else if (shape == "axis") {
                y = 0.5;
            } else { // "corner": any distance from it alike
                const double distance = draws.power_of_ten(-10, 0);
                x *= distance;
                y *= distance;
            }
            points.x[0].push_back(x);
            points.x[1].push_back(y);
        }
        return points;
    }
};

/// What is summed, how, and what is done before.
struct RandomCase {
    std::string kernel = "harmonic2d";
    bool single = false;
    bool complex_kernel = false;
    bool complex_strengths = false;
    RandomPoints sources;
    RandomPoints targets; ///< n = 0: the sources
    bool targets_on_sources = false;
    std::string strengths;
    double strength_scale = 1;
    std::uint64_t strength_seed = 0;
    starfmm::PlanOptions plan;
    int evaluations = 1;              ///< evaluations, the last of which is judged
    std::size_t right_hand_sides = 1; ///< right-hand sides of that one: number `judged` is
    std::size_t judged = 0;
    bool rebuilt = false; ///< whether the plan was one of other points before

    RandomCase(std::uint64_t seed, std::size_t number) {
        // numbers one apart, and seeds, must be far from each other
        Draws draws(seed * 0x9E3779B97F4A7C15 ^ (number + 1) * 0xD1B54A32D192ED03);
        draw_kernel(draws);
        draw_points(draws);
        draw_strengths(draws);
        draw_plan(draws);
        evaluations = draws.chance(0.3) ? 2 : 1;
        rebuilt = draws.chance(0.15);
        if (draws.chance(0.4)) {
            plan.tree = starfmm::TreeKind::orthtree;
            plan.levels = -1;
        }
        right_hand_sides = draws.chance(0.3) ? 2 + draws.below(5) : 1;
        judged = draws.below(right_hand_sides);
    }

    [[nodiscard]] starfmm::Points<2> make_targets(const starfmm::Points<2>& all) const {
        if (!targets_on_sources) {
            return targets.make();
        }
        Draws draws(targets.seed);
        starfmm::Points<2> some;
        for (std::size_t i = 0; i < targets.n; ++i) {
            const std::size_t source = draws.below(all.size());
            some.x[0].push_back(all.x[0][source]);
            some.x[1].push_back(all.x[1][source]);
        }
        return some;
    }

    [[nodiscard]] starfmm::Strengths make_strengths(std::size_t right_hand_side) const {
        starfmm::Strengths q;
        Draws draws(strength_seed + right_hand_side);
        for (std::size_t i = 0; i < sources.n; ++i) {
            q.re.push_back(strength(draws));
            if (complex_strengths) {
                q.im.push_back(strength(draws));
            }
        }
        return q;
    }

    /// The case as options of the command line, where it has them.
    [[nodiscard]] std::string describe() const;

private:
    void draw_kernel(Draws& draws) {
        kernel = draws.chance(0.35) ? "log2d" : "harmonic2d";
        single = draws.chance(0.3);
        complex_strengths = draws.chance(0.3);
        complex_kernel = kernel == "harmonic2d" && draws.chance(0.4);
    }

    static std::size_t draw_count(Draws& draws) {
        if (draws.chance(0.25)) {
            return draws.among<std::size_t>({1, 2, 3, 4, 5, 16, 17, 31, 64, 97, 1009, 2048});
        }
        return static_cast<std::size_t>(draws.power_of_ten(0.5, 3.5));
    }

    void draw_points(Draws& draws) {
        const auto shape = [&] {
            return draws.chance(0.3)
                       ? draws.among<std::string>({"grid", "sites", "axis", "corner", "ulps"})
                       : shape_names[draws.below(shape_names.size())];
        };
        sources = {shape(), draw_count(draws), draws.seed(), draws.seed()};
        if (draws.chance(0.25)) {
            const double distance = draws.power_of_ten(0, 6);
            sources.offset[0] = draws(-1, 1) * distance;
            sources.offset[1] = draws(-1, 1) * distance;
        }
        if (draws.chance(0.35)) {
            sources.scale = single ? draws.power_of_ten(-30, 10) : draws.power_of_ten(-140, 140);
        }
        if (draws.chance(0.5)) {
            return;
        }
        targets = sources;
        targets.n = draw_count(draws);
        targets.seed = draws.seed();
        targets_on_sources = draws.chance(0.15);
        if (draws.chance(0.3)) {
            targets.shape = shape();
        }
        if (draws.chance(0.1)) { // far outside
            targets.offset[0] += draws(-1, 1) * draws.power_of_ten(0, 3);
        }
    }

    void draw_strengths(Draws& draws) {
        strengths = draws.among<std::string>(
            {"random", "random", "random", "positive", "ones", "mixed", "sparse", "one giant"}
        );
        if (draws.chance(0.15)) {
            strength_scale = single ? draws.power_of_ten(-20, 8) : draws.power_of_ten(-100, 100);
        }
        strength_seed = draws.seed();
    }

    double strength(Draws& draws) const {
        const double q = draws(-1, 1);
        const bool chosen = draws.chance(0.02);
        const double magnitude = draws.power_of_ten(-8, 8);
        if (strengths == "positive") {
            return std::abs(q) * strength_scale;
        }
        if (strengths == "ones") {
            return strength_scale;
        }
        if (strengths == "mixed") {
            return q * magnitude * strength_scale;
        }
        if (strengths == "sparse") {
            return chosen ? q * strength_scale : 0;
        }
        return (strengths == "one giant" && chosen ? 1e6 * q : q) * strength_scale;
    }

    void draw_plan(Draws& draws) {
        using starfmm::Method;
        plan.tuning = starfmm::Tuning::builtin;
        plan.method = draws.chance(0.75) ? Method::fmm
                                         : draws.among<Method>({Method::direct, Method::automatic});
        plan.tolerance = single ? draws.power_of_ten(-5, -1) : draws.power_of_ten(-13, -1);
        if (draws.chance(0.5)) {
            plan.theta = draws(0.3, 0.9);
        }
        if (draws.chance(0.15)) {
            plan.order = static_cast<int>(1 + draws.below(40));
        }
        const int deepest = static_cast<int>(std::log2(static_cast<double>(sources.n)) / 2);
        if (draws.chance(0.45)) {
            plan.levels = static_cast<int>(draws.below(static_cast<std::size_t>(deepest) + 1));
        } else if (draws.chance(0.7)) {
            plan.leaf_size = std::floor(draws.power_of_ten(0, 2));
        }
        plan.groups = draws.among({0, 1, 4, 16, 64});
        plan.chunks = draws.among({0, 0, 1, 2, 3, 7, 64});
    }
};

inline std::string RandomCase::describe() const {
    std::ostringstream text;
    text.precision(17);
    const auto points = [&text](const char* what, const RandomPoints& set) {
        text << what << set.n << " (" << set.shape << ", seed " << set.seed << ", sites "
             << set.sites << ", + (" << set.offset[0] << ", " << set.offset[1] << "), * "
             << set.scale << ")";
    };
    points("--n ", sources);
    if (targets.n > 0) {
        points(" --targets ", targets);
        text << (targets_on_sources ? " on sources" : "");
    }
    text << " --kernel " << kernel << " --precision " << (single ? "single" : "double")
         << " --strengths " << (complex_strengths ? "complex" : "real")
         << (complex_kernel ? " by a complex kernel" : "") << " (" << strengths << ", seed "
         << strength_seed << ", * " << strength_scale << ")"
         << " --method "
         << (plan.method == starfmm::Method::fmm      ? "fmm"
             : plan.method == starfmm::Method::direct ? "direct"
                                                      : "auto")
         << " --tree " << (plan.tree == starfmm::TreeKind::pyramid ? "pyramid" : "quadtree")
         << " --tol " << plan.tolerance << " --theta " << plan.theta << " --order " << plan.order
         << " --levels " << plan.levels << " --leaf-size " << plan.leaf_size << " --groups "
         << plan.groups << " --chunks " << plan.chunks << " --tune off; evaluated " << evaluations
         << " times" << (rebuilt ? ", rebuilt" : "") << "; right-hand side " << judged + 1 << " of "
         << right_hand_sides;
    return text.str();
}

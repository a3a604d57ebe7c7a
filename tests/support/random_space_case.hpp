// SPDX-License-Identifier: BSD-3-Clause
// Sums of Laplace's kernel in space with random options, a function of a seed and a number: of
// which points and strengths, and how.
#pragma once

#include "core/options.hpp"
#include "core/particles/points.hpp"
#include "tests/support/random_case.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <sstream>
#include <string>
#include <vector>

using Direction = std::array<double, 3>;

/// Uniform on the unit sphere.
inline Direction random_direction(Draws& draws) {
    const double z = draws(-1, 1);
    const double angle = draws(0, 2 * std::numbers::pi);
    const double r = std::sqrt(1 - z * z);
    return {r * std::cos(angle), r * std::sin(angle), z};
}

/// A set of points of space: a shape, moved and scaled.
struct RandomSpacePoints {
    std::string shape;
    std::size_t n = 0;
    std::uint64_t seed = 0;
    std::uint64_t sites = 0; ///< seed of what sets share: places, directions
    Direction offset{};
    double scale = 1;

    [[nodiscard]] starfmm::Points<3> make() const {
        starfmm::Points<3> points = make_unit();
        for (std::size_t d = 0; d < 3; ++d) {
            for (double& x : points.x[d]) {
                x = (x + offset[d]) * scale;
            }
        }
        return points;
    }

private:
    [[nodiscard]] starfmm::Points<3> make_unit() const {
        if (std::find(shape_names.begin(), shape_names.end(), shape) != shape_names.end()) {
            return make_shape<3>(shape, n, seed);
        }
        Draws draws(seed);
        Draws places(sites);
        const auto side = 1 + places.below(9);
        const Direction line = random_direction(places);
        const auto few = make_shape<3>("uniform", 1 + places.below(12), places.seed());
        starfmm::Points<3> points;
        for (std::size_t i = 0; i < n; ++i) {
            const Direction x = point(draws, side, line, few);
            for (std::size_t d = 0; d < 3; ++d) {
                points.x[d].push_back(x[d]);
            }
        }
        return points;
    }

    [[nodiscard]] Direction point(
        Draws& draws, std::size_t side, const Direction& line, const starfmm::Points<3>& few
    ) const {
        Direction x{draws(0, 1), draws(0, 1), draws(0, 1)};
        if (shape == "heaps") { // a lattice's places, many points at each
            std::ranges::generate(x, [&] { return static_cast<double>(draws.below(side)); });
        } else if (shape == "sites") {
            const std::size_t site = draws.below(few.size());
            x = {few.x[0][site], few.x[1][site], few.x[2][site]};
        } else if (shape == "one place") {
            x = {0.3, 0.6, 0.1};
        } else if (shape == "any line") {
            const double t = draws(0, 1);
            std::ranges::transform(line, x.begin(), [t](double step) { return t * step; });
        } else if (shape == "diagonal") {
            x.fill(draws(0, 1));
        } else { // "corner": any distance from it alike
            const double distance = draws.power_of_ten(-8, 0);
            std::ranges::transform(x, x.begin(), [&](double each) { return distance * each; });
        }
        return x;
    }
};

/// What is summed, and how.
struct RandomSpaceCase {
    starfmm::Precision precision = starfmm::Precision::automatic;
    bool gradient = false;
    RandomSpacePoints sources;
    RandomSpacePoints targets; ///< n = 0: the sources are the targets
    std::string strengths;
    std::uint64_t strength_seed = 0;
    double partner_distance = 0; ///< distance of points in the shape "partners"
    double strength_scale = 1;
    starfmm::PlanOptions plan;

    RandomSpaceCase(std::size_t seed, std::size_t number) {
        Draws draws(1'000'003 * seed + number + 77);
        draw_precision(draws);
        draw_points(draws);
        draw_strengths(draws);
        draw_plan(draws);
    }

    [[nodiscard]] starfmm::Points<3> make_sources() const {
        starfmm::Points<3> points = sources.make();
        if (strengths != "partners") {
            return points;
        }
        Draws draws(strength_seed);
        for (std::size_t i = 1; i < points.size(); i += 2) {
            const Direction step = random_direction(draws);
            for (std::size_t d = 0; d < 3; ++d) {
                points.x[d][i] = points.x[d][i - 1] + sources.scale * partner_distance * step[d];
            }
        }
        return points;
    }

    [[nodiscard]] starfmm::Strengths make_strengths(const starfmm::Points<3>& points) const {
        Draws draws(strength_seed);
        std::vector<double> q(points.size());
        std::ranges::generate(q, [&] { return strength(draws); });
        if (strengths == "neutral") {
            double sum = 0;
            for (const double each : q) {
                sum += each;
            }
            q.back() -= sum;
        }
        const std::vector<double> distance = distances(points);
        std::vector<double> sorted = distance;
        std::ranges::sort(sorted);
        for (std::size_t i = 0; i < q.size(); ++i) {
            if (strengths == "partners" || strengths == "alternating") {
                q[i] = i % 2 == 0 ? 1 : -q[i - 1];
            } else if (strengths == "halves") { // two clouds
                q[i] = points.x[0][i] > points.x[0][0] ? 1 : -1;
            } else if (strengths == "shells") { // of both signs, about one centre
                q[i] = distance[i] >= sorted[q.size() / 2] ? 1 : -1;
            }
            q[i] *= strength_scale;
        }
        return {q, {}};
    }

    /// The case as options of the command line, where it has them.
    [[nodiscard]] std::string describe() const;

private:
    void draw_precision(Draws& draws) {
        using starfmm::Precision;
        precision = draws.among<Precision>(
            {Precision::automatic,
             Precision::automatic,
             Precision::double_precision,
             Precision::single_precision,
             Precision::mixed_precision}
        );
        gradient = draws.chance(0.4);
    }

    static std::size_t draw_count(Draws& draws) {
        if (draws.chance(0.2)) {
            return draws.among<std::size_t>({1, 2, 3, 4, 5, 8, 9, 17, 31, 64, 97, 512});
        }
        return static_cast<std::size_t>(draws.power_of_ten(1, 3.45));
    }

    void draw_points(Draws& draws) {
        const auto shape = [&] {
            return draws.chance(0.45)
                       ? draws.among<std::string>(
                             {"heaps", "sites", "one place", "any line", "diagonal", "corner"}
                         )
                       : shape_names[draws.below(shape_names.size())];
        };
        sources = {shape(), draw_count(draws), draws.seed(), draws.seed()};
        if (draws.chance(0.2)) {
            const double distance = draws.power_of_ten(0, 4);
            std::ranges::generate(sources.offset, [&] { return draws(-1, 1) * distance; });
        }
        if (draws.chance(0.2)) {
            sources.scale = draws.power_of_ten(-12, 12);
        }
        if (draws.chance(0.5)) {
            return;
        }
        targets = sources;
        targets.n = draw_count(draws);
        targets.seed = draws.seed();
        if (draws.chance(0.3)) {
            targets.shape = shape();
        }
        if (draws.chance(0.4)) { // outside, maybe far
            const Direction way = random_direction(draws);
            const double distance = draws.power_of_ten(0, 4);
            for (std::size_t d = 0; d < 3; ++d) {
                targets.offset[d] += distance * way[d];
            }
        }
    }

    void draw_strengths(Draws& draws) {
        strengths = draws.among<std::string>(
            {"random",
             "random",
             "positive",
             "ones",
             "neutral",
             "neutral",
             "partners",
             "alternating",
             "halves",
             "shells",
             "decades",
             "one heavy"}
        );
        partner_distance = draws.power_of_ten(-5, -1);
        if (draws.chance(0.15)) {
            strength_scale = draws.power_of_ten(-10, 10);
        }
        strength_seed = draws.seed();
    }

    /// Squares of distances from the centre of the points.
    static std::vector<double> distances(const starfmm::Points<3>& points) {
        std::vector<double> squares(points.size());
        for (const auto& x : points.x) {
            double sum = 0;
            for (const double each : x) {
                sum += each;
            }
            const double centre = sum / static_cast<double>(x.size());
            for (std::size_t i = 0; i < x.size(); ++i) {
                squares[i] += (x[i] - centre) * (x[i] - centre);
            }
        }
        return squares;
    }

    double strength(Draws& draws) const {
        const double q = draws(-1, 1);
        const double magnitude = draws.power_of_ten(-10, 10);
        const bool chosen = draws.chance(0.003);
        if (strengths == "positive") {
            return std::abs(q);
        }
        if (strengths == "ones") {
            return 1;
        }
        if (strengths == "decades") {
            return q * magnitude;
        }
        return strengths == "one heavy" && chosen ? 1e6 * q : q;
    }

    [[nodiscard]] double draw_tolerance(Draws& draws) const {
        using starfmm::Precision;
        const bool is_single = precision == Precision::single_precision;
        const bool is_mixed = precision == Precision::mixed_precision;
        return draws.power_of_ten(is_single ? -5 : is_mixed ? -6 : -12, -2);
    }

    void draw_plan(Draws& draws) {
        using starfmm::Method;
        plan.tuning = starfmm::Tuning::builtin;
        plan.method =
            draws.among<Method>({Method::fmm, Method::fmm, Method::direct, Method::automatic});
        plan.tolerance = draw_tolerance(draws);
        if (draws.chance(0.25)) {
            plan.theta = draws(0.3, 0.6);
        }
        if (draws.chance(0.7)) {
            plan.leaf_size = std::floor(draws.power_of_ten(0, 2));
        }
        plan.groups = draws.among({0, 1, 1, 3, 8, 64});
        plan.chunks = draws.among({0, 0, 1, 2, 7});
        plan.roots = draws.chance(0.2) ? draws.among({4, 5, 6, 7}) : 0;
        plan.plane_waves =
            draws.chance(0.3) ? starfmm::PlaneWaves::always : starfmm::PlaneWaves::automatic;
    }
};

inline std::string RandomSpaceCase::describe() const {
    std::ostringstream text;
    text.precision(17);
    const auto points = [&text](const char* what, const RandomSpacePoints& set) {
        text << what << set.n << " (" << set.shape << ", seed " << set.seed << ", sites "
             << set.sites << ", + (" << set.offset[0] << ", " << set.offset[1] << ", "
             << set.offset[2] << "), * " << set.scale << ")";
    };
    points("--n ", sources);
    if (targets.n > 0) {
        points(" --targets ", targets);
    }
    constexpr const char* precisions[]{"double", "single", "mixed", "auto"};
    constexpr const char* methods[]{"fmm", "direct", "auto"};
    text << " --precision " << precisions[static_cast<int>(precision)]
         << (gradient ? " --gradient" : "") << " --method "
         << methods[static_cast<int>(plan.method)] << " --tol " << plan.tolerance << " --theta "
         << plan.theta << " --leaf-size " << plan.leaf_size << " --groups " << plan.groups
         << " --chunks " << plan.chunks << " --roots " << plan.roots << " --plane-waves "
         << (plan.plane_waves == starfmm::PlaneWaves::always ? "always" : "auto")
         << " --tune off; strengths " << strengths << ", seed " << strength_seed << ", * "
         << strength_scale;
    if (strengths == "partners") {
        text << ", " << partner_distance << " apart";
    }
    return text.str();
}

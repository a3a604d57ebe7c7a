// SPDX-License-Identifier: BSD-3-Clause
#include "core/error.hpp"
#include "core/particles/initial_conditions.hpp"
#include "tests/support/plain_gravity.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <numbers>
#include <numeric>

using starfmm::Accelerations;
using starfmm::Conserved;
using starfmm::Encounter;
using starfmm::InputError;
using starfmm::make_encounter;
using starfmm::make_plummer;
using starfmm::Particles;

namespace {

Conserved conserved_of(const Particles& particles, double g) {
    PlainGravity gravity{g};
    Accelerations accelerations;
    gravity(particles.bodies, accelerations);
    return starfmm::conserved(particles, accelerations.potential);
}

/// Distances from the origin, ascending.
std::vector<double> radii(const Particles& particles) {
    std::vector<double> r(particles.size());
    for (std::size_t i = 0; i < r.size(); ++i) {
        r[i] = std::hypot(
            particles.bodies.x[0][i], particles.bodies.x[1][i], particles.bodies.x[2][i]
        );
    }
    std::sort(r.begin(), r.end());
    return r;
}

double total(const std::vector<double>& values) {
    return std::accumulate(values.begin(), values.end(), 0.0);
}

/// Mean over bodies [begin, end).
double mean(const std::vector<double>& values, std::size_t begin, std::size_t end) {
    double sum = 0;
    for (std::size_t i = begin; i < end; ++i) {
        sum += values[i];
    }
    return sum / static_cast<double>(end - begin);
}

double moment(const std::vector<double>& mass, const std::vector<double>& values) {
    return std::inner_product(mass.begin(), mass.end(), values.begin(), 0.0);
}

} // namespace

TEST_CASE("initial_conditions: Plummer's model has its energies") {
    constexpr std::size_t n = 4000;
    for (const double g : {1.0, 4.5}) {
        const Conserved sum = conserved_of(make_plummer(n, g, 3), g);
        // Energies of n bodies scatter by less than 2 / sqrt(n) of themselves, three times which
        // is allowed; the cut at 99.9 % of the mass is far below that.
        const double scatter = 3 * 2 / std::sqrt(static_cast<double>(n));
        CHECK(sum.kinetic == doctest::Approx(0.25 * g).epsilon(scatter));
        CHECK(sum.potential == doctest::Approx(-0.5 * g).epsilon(scatter));
        CHECK(-2 * sum.kinetic / sum.potential == doctest::Approx(1).epsilon(scatter));
    }
}

TEST_CASE("initial_conditions: Plummer's model has its mass profile") {
    constexpr std::size_t n = 20'000;
    const Particles particles = make_plummer(n, 1, 8);
    const std::vector<double> r = radii(particles);
    const double a = 3 * std::numbers::pi / 16;
    for (const double fraction : {0.1, 0.25, 0.5, 0.75, 0.9}) {
        CAPTURE(fraction);
        // M(r) = (1 + (a / r)^2)^(-3/2); the fraction found at its radius scatters by
        // sqrt(f (1 - f) / n), four times which is allowed, and 0.001 for the cut
        const double radius = a / std::sqrt(std::pow(fraction, -2.0 / 3) - 1);
        const auto inside = std::lower_bound(r.begin(), r.end(), radius) - r.begin();
        const double allowed = 4 * std::sqrt(fraction * (1 - fraction) / n) + 1e-3;
        CHECK(std::abs(static_cast<double>(inside) / n - fraction) < allowed);
    }
    CHECK(r.back() < 24); // the cut, and what centring moves
}

TEST_CASE("initial_conditions: Plummer's velocities are isotropic and bound") {
    constexpr std::size_t n = 20'000;
    const Particles particles = make_plummer(n, 1, 9);
    const double a = 3 * std::numbers::pi / 16;
    double radial = 0;
    double all = 0;
    for (std::size_t i = 0; i < n; ++i) {
        double dot = 0;
        double r2 = 0;
        double v2 = 0;
        for (int d = 0; d < 3; ++d) {
            const double x = particles.bodies.x[d][i];
            const double v = particles.velocity[d][i];
            dot += x * v;
            r2 += x * x;
            v2 += v * v;
        }
        radial += dot * dot / r2;
        all += v2;
        CHECK(v2 < 2 / std::sqrt(r2 + a * a) + 0.05); // escape; centring moves by less
    }
    // one third of the square is radial; the share scatters by about 1 / sqrt(n)
    CHECK(radial / all == doctest::Approx(1.0 / 3).epsilon(0.05));
}

TEST_CASE("initial_conditions: the centre of mass rests at the origin") {
    for (const Particles& particles :
         {make_plummer(1000, 1, 2), make_encounter(1000, {.mass_ratio = 0.3}, 1, 2)}) {
        for (int d = 0; d < 3; ++d) {
            // 1000 terms of the order of the result's unit, each wrong by 1e-16
            CHECK(std::abs(moment(particles.bodies.mass, particles.bodies.x[d])) < 1e-14);
            CHECK(std::abs(moment(particles.bodies.mass, particles.velocity[d])) < 1e-14);
        }
    }
}

TEST_CASE("initial_conditions: the seed decides, and bodies are numbered from 1") {
    const Particles particles = make_plummer(50, 1, 4);
    CHECK(make_plummer(50, 1, 4).bodies.x == particles.bodies.x);
    CHECK(make_plummer(50, 1, 4).velocity == particles.velocity);
    CHECK(make_plummer(50, 1, 5).bodies.x != particles.bodies.x);
    CHECK(total(particles.bodies.mass) == doctest::Approx(1));
    for (std::size_t i = 0; i < 50; ++i) {
        CHECK(particles.id[i] == i + 1);
    }
    const Particles one = make_plummer(1, 1, 4);
    CHECK(one.bodies.x[0] == std::vector<double>{0});
    CHECK(one.velocity[2] == std::vector<double>{0});
}

TEST_CASE("initial_conditions: two galaxies start on a parabola") {
    constexpr std::size_t n = 3000;
    const Encounter encounter{.mass_ratio = 0.5, .separation = 10, .pericentre = 1.5};
    const double g = 2;
    const Particles particles = make_encounter(n, encounter, g, 11);
    constexpr std::size_t first = 2000;
    CHECK(total(particles.bodies.mass) == doctest::Approx(1.5));
    CHECK(particles.bodies.mass.front() == doctest::Approx(particles.bodies.mass.back()));
    CHECK(particles.id.back() == n);
    double d[3];
    double v[3];
    for (int c = 0; c < 3; ++c) {
        d[c] = mean(particles.bodies.x[c], first, n) - mean(particles.bodies.x[c], 0, first);
        v[c] = mean(particles.velocity[c], first, n) - mean(particles.velocity[c], 0, first);
    }
    const double r = std::hypot(d[0], d[1], d[2]);
    const double v2 = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
    const double angular = d[0] * v[1] - d[1] * v[0];
    CHECK(r == doctest::Approx(10));
    CHECK(v2 / 2 - g * 1.5 / r == doctest::Approx(0));              // of a parabola
    CHECK(angular * angular == doctest::Approx(2 * g * 1.5 * 1.5)); // 2 G M p
    CHECK(d[0] * v[0] + d[1] * v[1] < 0);                           // approaching
    CHECK(std::abs(d[2]) + std::abs(v[2]) < 1e-12);
}

TEST_CASE("initial_conditions: the second galaxy has its own scale and is in equilibrium") {
    constexpr std::size_t n = 4000;
    const Particles both = make_encounter(n, {.mass_ratio = 0.25}, 1, 12);
    constexpr std::size_t first = 3200;
    Particles second = starfmm::make_particles(n - first);
    for (std::size_t i = first; i < n; ++i) {
        for (int d = 0; d < 3; ++d) {
            second.bodies.x[d][i - first] = both.bodies.x[d][i];
            second.velocity[d][i - first] = both.velocity[d][i];
        }
        second.bodies.mass[i - first] = both.bodies.mass[i];
    }
    starfmm::set_centre(second, {}, {});
    const Conserved sum = conserved_of(second, 1);
    // potential energy scales as M^2 / a = 1/16 * 2; scatter as above, with 800 bodies
    CHECK(sum.potential == doctest::Approx(-0.5 / 8).epsilon(0.2));
    CHECK(-2 * sum.kinetic / sum.potential == doctest::Approx(1).epsilon(0.2));
}

TEST_CASE("initial_conditions: impossible encounters are refused") {
    CHECK_THROWS_WITH_AS(
        make_encounter(10, {.mass_ratio = 0}, 1, 1),
        "mass_ratio = 0: must be in [0.001, 1000]",
        InputError
    );
    CHECK_THROWS_WITH_AS(
        make_encounter(10, {.separation = 1, .pericentre = 2}, 1, 1),
        "separation = 1: must be in [2, 1e+09]",
        InputError
    );
    CHECK_THROWS_WITH_AS(
        make_encounter(10, {.pericentre = 0}, 1, 1),
        "pericentre = 0: must be in [1e-06, 1e+06]",
        InputError
    );
    CHECK_THROWS_WITH_AS(
        make_encounter(10, {.mass_ratio = 0.001}, 1, 1),
        "n = 10: too few bodies for one in each of the two galaxies",
        InputError
    );
    CHECK(make_encounter(2, {}, 1, 1).size() == 2);
}

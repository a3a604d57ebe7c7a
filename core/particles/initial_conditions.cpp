// SPDX-License-Identifier: BSD-3-Clause
#include "core/particles/initial_conditions.hpp"

#include "core/error.hpp"
#include "core/particles/distributions.hpp"

#include <cmath>
#include <numbers>
#include <random>
#include <string>

namespace starfmm {

namespace {

constexpr double plummer_radius = 3 * std::numbers::pi / 16; // in N-body units: energy -G/4
constexpr double mass_kept = 0.999; // what lies further out dwarfs pictures and changes little

/// A vector of this length in a direction uniform on the sphere.
SpaceVector random_direction(std::mt19937_64& engine, double length) {
    const double z = (1 - 2 * uniform01(engine)) * length;
    const double angle = 2 * std::numbers::pi * uniform01(engine);
    const double across = std::sqrt(length * length - z * z);
    return {across * std::cos(angle), across * std::sin(angle), z};
}

/// Distance from the centre that holds a uniform fraction of the mass, in units of the radius
/// [AHW74, appendix].
double random_distance(std::mt19937_64& engine) {
    const double fraction = mass_kept * (1 - uniform01(engine)); // not zero
    return 1 / std::sqrt(std::pow(fraction, -2.0 / 3) - 1);
}

/// Speed in units of the escape speed, from the density q^2 (1 - q^2)^(7/2) on [0, 1]
/// [AHW74, appendix].
double random_speed(std::mt19937_64& engine) {
    constexpr double above_maximum = 0.1; // the maximum is 0.0922, at q^2 = 2/9
    for (;;) {
        const double q = uniform01(engine);
        if (above_maximum * uniform01(engine) < q * q * std::pow(1 - q * q, 3.5)) {
            return q;
        }
    }
}

/// A Plummer model of this mass and radius at rest at the origin.
Particles plummer(std::size_t n, double mass, double radius, double g, std::mt19937_64& engine) {
    Particles particles = make_particles(n);
    const double speed_unit = std::sqrt(g * mass / radius);
    for (std::size_t i = 0; i < n; ++i) {
        const double r = random_distance(engine);
        const double escape = std::numbers::sqrt2 * std::pow(1 + r * r, -0.25);
        const SpaceVector x = random_direction(engine, radius * r);
        const SpaceVector v = random_direction(engine, speed_unit * escape * random_speed(engine));
        for (int d = 0; d < 3; ++d) {
            particles.bodies.x[d][i] = x[d];
            particles.velocity[d][i] = v[d];
        }
        particles.bodies.mass[i] = mass / static_cast<double>(n);
        particles.id[i] = i + 1;
    }
    set_centre(particles, {}, {});
    return particles;
}

/// Position and velocity of the second mass from the first on the way to the pericentre of a
/// parabola: r (1 + cos f) = 2 p, with the closest approach p on the positive x axis.
struct RelativeOrbit {
    SpaceVector position;
    SpaceVector velocity;
};

RelativeOrbit parabola(const Encounter& encounter, double g_mass) {
    const double r = encounter.separation;
    const double p = encounter.pericentre;
    const double cosine = 2 * p / r - 1;
    const double sine = -std::sqrt(1 - cosine * cosine); // before the pericentre
    const double speed = std::sqrt(g_mass / (2 * p));
    return {{r * cosine, r * sine, 0}, {-speed * sine, speed * (1 + cosine), 0}};
}

void append(std::vector<double>& to, const std::vector<double>& from) {
    to.insert(to.end(), from.begin(), from.end());
}

/// The bodies of both, numbered through.
Particles joined(Particles first, const Particles& second) {
    const std::size_t offset = first.size();
    for (int d = 0; d < 3; ++d) {
        append(first.bodies.x[d], second.bodies.x[d]);
        append(first.velocity[d], second.velocity[d]);
    }
    append(first.bodies.mass, second.bodies.mass);
    for (const std::uint64_t id : second.id) {
        first.id.push_back(offset + id);
    }
    return first;
}

} // namespace

Particles make_plummer(std::size_t n, double g, std::uint64_t seed) {
    std::mt19937_64 engine(seed);
    return plummer(n, 1, plummer_radius, g, engine);
}

void Encounter::validate() const {
    check_range("mass_ratio", mass_ratio, 1e-3, 1e3);
    check_range("pericentre", pericentre, 1e-6, 1e6);
    check_range("separation", separation, pericentre, 1e9);
}

Particles make_encounter(std::size_t n, const Encounter& encounter, double g, std::uint64_t seed) {
    encounter.validate();
    const double q = encounter.mass_ratio;
    const auto n_first = static_cast<std::size_t>(std::llround(static_cast<double>(n) / (1 + q)));
    if (n_first == 0 || n_first >= n) {
        throw InputError(
            "n = " + std::to_string(n) + ": too few bodies for one in each of the two galaxies"
        );
    }
    std::mt19937_64 engine(seed);
    Particles first = plummer(n_first, 1, plummer_radius, g, engine);
    Particles second = plummer(n - n_first, q, plummer_radius * std::sqrt(q), g, engine);
    const RelativeOrbit orbit = parabola(encounter, g * (1 + q));
    set_centre(second, orbit.position, orbit.velocity);
    Particles both = joined(std::move(first), second);
    set_centre(both, {}, {});
    return both;
}

} // namespace starfmm

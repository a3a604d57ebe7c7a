// SPDX-License-Identifier: BSD-3-Clause
#include "core/particles/particles.hpp"

#include "core/error.hpp"
#include "core/particles/points.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>

namespace starfmm {

namespace {

using Components = std::array<std::vector<double>, 3>;

Vector3<double> at(const Components& components, std::size_t i) {
    return {components[0][i], components[1][i], components[2][i]};
}

SpaceVector components_of(const Vector3<double>& v) {
    return {v.x, v.y, v.z};
}

double norm(const SpaceVector& v) {
    return std::sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

SpaceVector difference(const SpaceVector& a, const SpaceVector& b) {
    return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}

/// 0 where nothing differs, though there be nothing to compare with.
double relative(double difference, double scale) {
    return difference == 0 ? 0 : difference / scale;
}

void shift(Components& components, const std::vector<double>& mass, const SpaceVector& centre) {
    for (int d = 0; d < 3; ++d) {
        double total = 0;
        double moment = 0;
        for (std::size_t i = 0; i < mass.size(); ++i) {
            total += mass[i];
            moment += mass[i] * components[d][i];
        }
        const double by = centre[d] - (total > 0 ? moment / total : 0);
        for (double& x : components[d]) {
            x += by;
        }
    }
}

void check_length(const std::string& name, std::size_t length, std::size_t n) {
    if (length != n) {
        throw InputError(
            name + " has " + std::to_string(length) + " values, mass has " + std::to_string(n) +
            ": must be equal"
        );
    }
}

void check_array(const std::vector<double>& values, const std::string& name, std::size_t n) {
    check_length(name, values.size(), n);
    check_finite(values, name, max_magnitude(false));
}

} // namespace

Particles make_particles(std::size_t n) {
    Particles particles;
    for (int d = 0; d < 3; ++d) {
        particles.bodies.x[d].resize(n);
        particles.velocity[d].resize(n);
    }
    particles.bodies.mass.resize(n);
    particles.id.resize(n);
    return particles;
}

void check_motion(const Particles& particles) {
    const std::size_t n = particles.size();
    for (int d = 0; d < 3; ++d) {
        check_array(particles.bodies.x[d], std::string("position.") + "xyz"[d], n);
        check_array(particles.velocity[d], std::string("velocity.") + "xyz"[d], n);
    }
}

void check_particles(const Particles& particles) {
    check_motion(particles);
    const std::size_t n = particles.size();
    check_length("id", particles.id.size(), n);
    const std::vector<double>& mass = particles.bodies.mass;
    check_array(mass, "mass", n);
    const auto negative = std::find_if(mass.begin(), mass.end(), [](double m) { return m < 0; });
    if (negative != mass.end()) {
        std::ostringstream message;
        message << "mass[" << negative - mass.begin() << "] = " << *negative << ": must be >= 0";
        throw InputError(message.str());
    }
}

Conserved conserved(const MotionSums& sums) {
    return {
        sums.kinetic,
        sums.potential,
        components_of(sums.momentum),
        components_of(sums.angular),
        sums.momentum_scale,
        sums.angular_scale};
}

Conserved conserved(const Particles& particles, const std::vector<double>& potential) {
    MotionSums sums;
    for (std::size_t i = 0; i < particles.size(); ++i) {
        const Vector3<double> x = at(particles.bodies.x, i);
        const Vector3<double> v = at(particles.velocity, i);
        sums = sums + motion_of(particles.bodies.mass[i], x, v, potential[i]);
    }
    return conserved(sums);
}

Drift drift(const Conserved& start, const Conserved& now) {
    return {
        relative(std::abs(now.energy() - start.energy()), std::abs(start.energy())),
        relative(norm(difference(now.momentum, start.momentum)), now.momentum_scale),
        relative(norm(difference(now.angular, start.angular)), now.angular_scale)};
}

void set_centre(Particles& particles, const SpaceVector& position, const SpaceVector& velocity) {
    shift(particles.bodies.x, particles.bodies.mass, position);
    shift(particles.velocity, particles.bodies.mass, velocity);
}

} // namespace starfmm

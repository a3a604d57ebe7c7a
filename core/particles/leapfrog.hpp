// SPDX-License-Identifier: BSD-3-Clause
// The leapfrog integrator in its kick-drift-kick form: second order, symplectic, time-reversible.
#pragma once

#include "core/host_device.hpp"
#include "core/particles/particles.hpp"

#include <array>
#include <cstddef>
#include <vector>

namespace starfmm {

/// What drives a leapfrog: `field(bodies, accelerations)` sets the accelerations of all bodies.
template <class F>
concept AccelerationField = requires(F& field, const Bodies& bodies, Accelerations& accelerations) {
    field(bodies, accelerations);
};

/// A value that has changed at `rate` for `dt`.
STARFMM_HOST_DEVICE constexpr double advanced(double value, double rate, double dt) {
    return value + rate * dt;
}

/// Moves `values` by `rates` times `dt`, component by component.
inline void advance(
    std::array<std::vector<double>, 3>& values,
    const std::array<std::vector<double>, 3>& rates,
    double dt
) {
    for (std::size_t d = 0; d < values.size(); ++d) {
        for (std::size_t i = 0; i < values[d].size(); ++i) {
            values[d][i] = advanced(values[d][i], rates[d][i], dt);
        }
    }
}

/// One step of what can be kicked and drift: half a kick, a drift, half a kick. Positions and
/// velocities are at the same time before and after it, so that a run can go on from them alone.
/// One evaluation of the field, which `motion` has evaluated before the first step.
template <class Motion>
void leapfrog_step(Motion& motion, double dt) {
    motion.kick(0.5 * dt);
    motion.drift(dt);
    motion.evaluate();
    motion.kick(0.5 * dt);
}

/// Particles in the caller's memory and their field.
template <AccelerationField Field>
struct FieldMotion {
    Particles& particles;
    Accelerations& accelerations;
    Field& field;

    void kick(double dt) { advance(particles.velocity, accelerations.a, dt); }

    void drift(double dt) { advance(particles.bodies.x, particles.velocity, dt); }

    void evaluate() { field(particles.bodies, accelerations); }
};

/// One leapfrog step of `particles` in the caller's memory. O(N) besides the field.
/// \param accelerations in and out: at the bodies' positions; the caller sets them before the
/// first step
template <AccelerationField Field>
void leapfrog_step(Particles& particles, Accelerations& accelerations, double dt, Field& field) {
    FieldMotion<Field> motion{particles, accelerations, field};
    leapfrog_step(motion, dt);
}

} // namespace starfmm

// SPDX-License-Identifier: BSD-3-Clause
// The leapfrog integrator in its kick-drift-kick form: second order, symplectic, time-reversible.
#pragma once

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

/// Moves `values` by `rates` times `dt`, component by component.
inline void advance(
    std::array<std::vector<double>, 3>& values,
    const std::array<std::vector<double>, 3>& rates,
    double dt
) {
    for (std::size_t d = 0; d < values.size(); ++d) {
        for (std::size_t i = 0; i < values[d].size(); ++i) {
            values[d][i] += rates[d][i] * dt;
        }
    }
}

/// One step: half a kick, a drift, half a kick. Positions and velocities are at the same time
/// before and after it, so that a run can go on from them alone. One evaluation of the field; O(N)
/// besides. \param accelerations in and out: at the bodies' positions; the caller sets them before
/// the first step
template <AccelerationField Field>
void leapfrog_step(Particles& particles, Accelerations& accelerations, double dt, Field& field) {
    advance(particles.velocity, accelerations.a, 0.5 * dt);
    advance(particles.bodies.x, particles.velocity, dt);
    field(particles.bodies, accelerations);
    advance(particles.velocity, accelerations.a, 0.5 * dt);
}

} // namespace starfmm

// SPDX-License-Identifier: BSD-3-Clause
// Moving bodies, and the quantities that their motion conserves.
#pragma once

#include "core/particles/bodies.hpp"
#include "core/particles/motion_sums.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace starfmm {

/// A vector in space: x, y, z.
using SpaceVector = std::array<double, 3>;

/// Bodies and their motion at one time: structure of arrays, all of the same length.
struct Particles {
    Bodies bodies;                               ///< positions and masses
    std::array<std::vector<double>, 3> velocity; ///< velocity[d][i]: component d of body i's
    std::vector<std::uint64_t> id;               ///< what a body is known by in snapshots

    [[nodiscard]] std::size_t size() const { return bodies.size(); }
};

/// Room for `n` particles, all values zero.
[[nodiscard]] Particles make_particles(std::size_t n);

/// \throws InputError naming the array, if arrays differ in length, a value is not finite or
/// exceeds 1e150 in magnitude, or a mass is negative
void check_particles(const Particles& particles);

/// \throws InputError naming the array, if positions or velocities are not as many as masses, or one
/// is not finite or exceeds 1e150 in magnitude
void check_motion(const Particles& particles);

/// What the equations of motion conserve: two forms of energy, and momenta.
struct Conserved {
    double kinetic = 0;        ///< sum of m v^2 / 2
    double potential = 0;      ///< sum of m phi / 2
    SpaceVector momentum{};    ///< sum of m v
    SpaceVector angular{};     ///< sum of m x cross v, about the origin
    double momentum_scale = 0; ///< sum of m |v|
    double angular_scale = 0;  ///< sum of m |x cross v|

    [[nodiscard]] double energy() const { return kinetic + potential; }
};

[[nodiscard]] Conserved conserved(const MotionSums& sums);

/// Sums in the order of the particles.
/// \param potential  [N] potential at every particle of all the others; unit: velocity squared
[[nodiscard]] Conserved conserved(const Particles& particles, const std::vector<double>& potential);

/// How far conserved quantities are from their start.
struct Drift {
    double energy = 0;   ///< |E - E_start| / |E_start|
    double momentum = 0; ///< |P - P_start| / sum of m |v|
    double angular = 0;  ///< |L - L_start| / sum of m |x cross v|
};

[[nodiscard]] Drift drift(const Conserved& start, const Conserved& now);

/// Moves the centre of mass to `position` and its motion to `velocity`.
void set_centre(Particles& particles, const SpaceVector& position, const SpaceVector& velocity);

} // namespace starfmm

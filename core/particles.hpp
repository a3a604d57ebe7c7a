// SPDX-License-Identifier: BSD-3-Clause
// Moving bodies, and the quantities that their motion conserves.
#pragma once

#include "core/bodies.hpp"

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

/// What the equations of motion conserve, and its two forms of energy.
struct Conserved {
    double kinetic = 0;     ///< sum of m v^2 / 2
    double potential = 0;   ///< sum of m phi / 2
    SpaceVector momentum{}; ///< sum of m v
    SpaceVector angular{};  ///< sum of m x cross v, about the origin

    [[nodiscard]] double energy() const { return kinetic + potential; }
};

/// Sums in the order of the particles.
/// \param potential  [N] potential at every particle of all the others; unit: velocity squared
[[nodiscard]] Conserved conserved(const Particles& particles, const std::vector<double>& potential);

/// Sum of m |v|, what a drift of the momentum is relative to.
[[nodiscard]] double momentum_scale(const Particles& particles);

/// Moves the centre of mass to `position` and its motion to `velocity`.
void set_centre(Particles& particles, const SpaceVector& position, const SpaceVector& velocity);

} // namespace starfmm

// SPDX-License-Identifier: BSD-3-Clause
// Seeded models of star clusters and galaxies to start N-body runs from.
#pragma once

#include "core/particles/particles.hpp"

#include <cstddef>
#include <cstdint>

namespace starfmm {

/// `n` bodies of equal mass in Plummer's model, with the isotropic velocities of its equilibrium
/// [AHW74, appendix], in N-body units: total mass 1, energy -G/4, hence radius 3 pi / 16 and
/// half-mass radius 0.77. Cut off at 99.9 % of the mass (22.8 units); the centre of mass rests at
/// the origin. The same seed gives the same bodies; `id` counts from 1.
/// \param g gravitational constant, > 0: velocities grow as its square root
[[nodiscard]] Particles make_plummer(std::size_t n, double g, std::uint64_t seed);

/// Two Plummer models that meet on the parabola of two point masses in the plane z = 0.
struct Encounter {
    double mass_ratio = 1; ///< second galaxy's mass over the first's, in [1e-3, 1e3]
    double separation = 8; ///< distance of the centres at the start, >= pericentre
    double pericentre = 1; ///< closest approach, were they point masses; > 0

    /// \throws InputError naming the first value that is out of its range
    void validate() const;
};

/// `n` bodies, of equal mass but for rounding their numbers. The first galaxy is as make_plummer's;
/// the second has `mass_ratio` of its mass and sqrt(mass_ratio) of its size (equal surface
/// density). Bodies of the first come first; the common centre of mass rests at the origin. \throws
/// InputError for an encounter out of range, or too few bodies for one in each galaxy
[[nodiscard]] Particles
make_encounter(std::size_t n, const Encounter& encounter, double g, std::uint64_t seed);

} // namespace starfmm

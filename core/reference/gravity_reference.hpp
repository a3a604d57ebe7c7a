// SPDX-License-Identifier: BSD-3-Clause
// Softened gravity in extended precision, and how far accelerations are from it.
#pragma once

#include "core/particles/bodies.hpp"
#include "core/particles/points.hpp"

#include <array>
#include <cstddef>
#include <vector>

namespace starfmm {

/// How bodies attract.
struct GravityLaw {
    double epsilon = 0; ///< softening length; unit: the bodies'
    double g = 1;       ///< gravitational constant
    Softening softening = Softening::plummer;
};

/// Exact results of some bodies or targets, one element for each of them.
struct GravityReference {
    std::array<std::vector<long double>, 3> a;
    std::vector<long double> potential;
    /// sum_j |contribution of j| to acceleration and potential: the scale of rounding errors
    std::vector<long double> magnitude;
    std::vector<long double> potential_magnitude;
};

/// Accelerations and potentials of bodies `which` by direct summation over all others, on all
/// cores. Without softening, bodies at the same place do not act on each other.
/// \throws InputError if an index is beyond the bodies, or as largest_epsilon()
[[nodiscard]] GravityReference gravity_reference(
    const Bodies& bodies, const GravityLaw& law, const std::vector<std::size_t>& which
);

[[nodiscard]] inline GravityReference gravity_reference(
    const Bodies& bodies,
    double epsilon,
    double g,
    const std::vector<std::size_t>& which,
    Softening softening = Softening::plummer
) {
    return gravity_reference(bodies, {epsilon, g, softening}, which);
}

/// Accelerations and potentials at targets `which` by direct summation over all bodies. One at a
/// target's place acts on it as its softening says: it adds a potential alone, and nothing without
/// softening.
/// \throws InputError if an index is beyond the targets, or as largest_epsilon()
[[nodiscard]] GravityReference gravity_reference(
    const Bodies& bodies,
    const PointsRef& targets,
    const GravityLaw& law,
    const std::vector<std::size_t>& which
);

/// |a_i - exact_i| / |exact_i| over some bodies; where the attractions on a body cancel to less
/// than a hundredth of the sum of their magnitudes, relative to that hundredth.
struct GravityErrors {
    double median_rel;
    double max_rel;
    double l2_rel;
    double potential_max_rel; ///< 0 without potentials
    std::size_t checked;
    double p99_rel = 0; ///< error that 99 of 100 bodies do not exceed
};

/// Compares element which[i] of `results` with exact element i. Where nothing attracts a body, the
/// error is 0 if the computed acceleration is 0 as well, else infinite; infinite too if a computed
/// value is not finite.
[[nodiscard]] GravityErrors compare(
    const Accelerations& results,
    const GravityReference& exact,
    const std::vector<std::size_t>& which
);

} // namespace starfmm

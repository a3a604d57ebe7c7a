// SPDX-License-Identifier: BSD-3-Clause
// Sums over the sources of one target that tell how far the terms q / r and q d / r^3 cancel: the
// sums themselves, those of the terms' squares, and those of the squares of sums over runs.
#pragma once

#include "core/host_device.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>

namespace starfmm {

/// The number of sources that a single adds up at most, before sums go on in double.
inline constexpr std::size_t run_length = 256;

/// Sources, coordinate by coordinate.
struct SourceView {
    const double* x[3];
    const double* q;
    std::size_t n;
};

/// What sources do to a target: one of them, or the sum over several.
struct SourceSums {
    double potential = 0;
    double gradient[3] = {};
    double squares = 0; ///< of the potential's terms
    double gradient_squares = 0;

    STARFMM_HOST_DEVICE void add(const SourceSums& other) {
        potential += other.potential;
        for (int d = 0; d < 3; ++d) {
            gradient[d] += other.gradient[d];
        }
        squares += other.squares;
        gradient_squares += other.gradient_squares;
    }
};

/// What a share of the sources does to a target.
struct TargetSums {
    SourceSums all;     ///< over all of them
    SourceSums ordered; ///< over those of the sample along the curve
    double potential_runs = 0;
    double gradient_runs = 0;

    STARFMM_HOST_DEVICE void add_run(const SourceSums& run) {
        ordered.add(run);
        potential_runs += run.potential * run.potential;
        for (const double each : run.gradient) {
            gradient_runs += each * each;
        }
    }

    STARFMM_HOST_DEVICE void add(const TargetSums& other) {
        all.add(other.all);
        ordered.add(other.ordered);
        potential_runs += other.potential_runs;
        gradient_runs += other.gradient_runs;
    }
};

/// What one source does to a target; nothing, if it is at the target's place.
STARFMM_HOST_DEVICE inline SourceSums term_of(double dx, double dy, double dz, double q) {
    const double square = dx * dx + dy * dy + dz * dz;
    const double inverse = square > 0 ? 1 / std::sqrt(square) : 0;
    const double term = q * inverse;
    const double slope = term * inverse * inverse;
    return {
        term, {slope * dx, slope * dy, slope * dz}, term * term, term * term * inverse * inverse};
}

} // namespace starfmm

// SPDX-License-Identifier: BSD-3-Clause
// The loop of gravity_intrinsics.hpp, written once for vectors of any length.
#pragma once

#include "tests/perf/gravity_intrinsics.hpp"

namespace starfmm {

/// Accelerations of `tile` vectors of targets from `first` on, which meet each source together:
/// their positions and sums fill the registers.
/// \tparam Simd a vector V of `size` floats, and the intrinsics on it
template <class Simd, int tile>
void gravity_tile(const PlainBodies& b, std::size_t first, float* acceleration) {
    using V = typename Simd::V;
    V x[tile];
    V y[tile];
    V z[tile];
    V ax[tile];
    V ay[tile];
    V az[tile];
    for (int t = 0; t < tile; ++t) {
        x[t] = Simd::load(b.x + first + Simd::size * t);
        y[t] = Simd::load(b.y + first + Simd::size * t);
        z[t] = Simd::load(b.z + first + Simd::size * t);
        ax[t] = ay[t] = az[t] = Simd::all(0);
    }
    const V epsilon_square = Simd::all(b.epsilon_square);
    const V half = Simd::all(0.5F);
    const V three_halves = Simd::all(1.5F);
    for (std::size_t j = 0; j < b.n; ++j) {
        const V xj = Simd::all(b.x[j]);
        const V yj = Simd::all(b.y[j]);
        const V zj = Simd::all(b.z[j]);
        const V mass = Simd::all(b.mass[j]);
        for (int t = 0; t < tile; ++t) {
            const V dx = Simd::subtract(xj, x[t]);
            const V dy = Simd::subtract(yj, y[t]);
            const V dz = Simd::subtract(zj, z[t]);
            V square = Simd::multiply_add(dx, dx, epsilon_square);
            square = Simd::multiply_add(dy, dy, square);
            square = Simd::multiply_add(dz, dz, square);
            V r = Simd::inverse_root_seed(square);
            const V h = Simd::multiply(half, square);
            r = Simd::multiply(
                r, Simd::negative_multiply_add(h, Simd::multiply(r, r), three_halves)
            );
            const V factor = Simd::multiply(Simd::multiply(mass, r), Simd::multiply(r, r));
            ax[t] = Simd::multiply_add(factor, dx, ax[t]);
            ay[t] = Simd::multiply_add(factor, dy, ay[t]);
            az[t] = Simd::multiply_add(factor, dz, az[t]);
        }
    }
    for (int t = 0; t < tile; ++t) {
        Simd::store(acceleration + first + Simd::size * t, ax[t]);
        Simd::store(acceleration + b.n + first + Simd::size * t, ay[t]);
        Simd::store(acceleration + 2 * b.n + first + Simd::size * t, az[t]);
    }
}

/// gravity_tile() for all targets.
template <class Simd, int tile>
void gravity_tiles(const PlainBodies& bodies, float* acceleration) {
    for (std::size_t first = 0; first < bodies.n; first += Simd::size * tile) {
        gravity_tile<Simd, tile>(bodies, first, acceleration);
    }
}

/// In sources that are compiled for these instructions.
void gravity_loop_avx512(const PlainBodies& bodies, float* acceleration);
void gravity_loop_avx2(const PlainBodies& bodies, float* acceleration);

} // namespace starfmm

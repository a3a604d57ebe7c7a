// SPDX-License-Identifier: BSD-3-Clause
// The loop of gravity_intrinsics.hpp is written once for vectors of any length.
#pragma once

#include "tests/perf/gravity/gravity_intrinsics.hpp"

namespace starfmm {

/// Three coordinates of `tile` vectors of bodies.
template <class Simd, int tile>
struct Vectors3 {
    typename Simd::V x[tile], y[tile], z[tile];
};

/// Adds the attraction of source `j` to the targets.
template <class Simd, int tile>
void add_source(
    const PlainBodies& b,
    std::size_t j,
    const Vectors3<Simd, tile>& targets,
    Vectors3<Simd, tile>& sums
) {
    using V = typename Simd::V;
    const V xj = Simd::all(b.x[j]);
    const V yj = Simd::all(b.y[j]);
    const V zj = Simd::all(b.z[j]);
    const V mass = Simd::all(b.mass[j]);
    for (int t = 0; t < tile; ++t) {
        const V dx = Simd::subtract(xj, targets.x[t]);
        const V dy = Simd::subtract(yj, targets.y[t]);
        const V dz = Simd::subtract(zj, targets.z[t]);
        V square = Simd::multiply_add(dx, dx, Simd::all(b.epsilon_square));
        square = Simd::multiply_add(dy, dy, square);
        square = Simd::multiply_add(dz, dz, square);
        const V seed = Simd::inverse_root_seed(square);
        const V h = Simd::multiply(Simd::all(0.5F), square);
        const V r = Simd::multiply(
            seed, Simd::negative_multiply_add(h, Simd::multiply(seed, seed), Simd::all(1.5F))
        );
        const V factor = Simd::multiply(Simd::multiply(mass, r), Simd::multiply(r, r));
        sums.x[t] = Simd::multiply_add(factor, dx, sums.x[t]);
        sums.y[t] = Simd::multiply_add(factor, dy, sums.y[t]);
        sums.z[t] = Simd::multiply_add(factor, dz, sums.z[t]);
    }
}

/// Computes accelerations of `tile` vectors of targets from `first` on, which meet each source
/// together: their positions and sums fill the registers.
/// \tparam Simd a vector V of `size` floats, and the intrinsics on it
template <class Simd, int tile>
void gravity_tile(const PlainBodies& b, std::size_t first, float* acceleration) {
    Vectors3<Simd, tile> targets;
    Vectors3<Simd, tile> sums;
    for (int t = 0; t < tile; ++t) {
        targets.x[t] = Simd::load(b.x + first + Simd::size * t);
        targets.y[t] = Simd::load(b.y + first + Simd::size * t);
        targets.z[t] = Simd::load(b.z + first + Simd::size * t);
        sums.x[t] = sums.y[t] = sums.z[t] = Simd::all(0);
    }
    for (std::size_t j = 0; j < b.n; ++j) {
        add_source<Simd, tile>(b, j, targets, sums);
    }
    for (int t = 0; t < tile; ++t) {
        Simd::store(acceleration + first + Simd::size * t, sums.x[t]);
        Simd::store(acceleration + b.n + first + Simd::size * t, sums.y[t]);
        Simd::store(acceleration + 2 * b.n + first + Simd::size * t, sums.z[t]);
    }
}

/// Calls gravity_tile() for all targets.
template <class Simd, int tile>
void gravity_tiles(const PlainBodies& bodies, float* acceleration) {
    for (std::size_t first = 0; first < bodies.n; first += Simd::size * tile) {
        gravity_tile<Simd, tile>(bodies, first, acceleration);
    }
}

/// Runs the loop with AVX-512, in a source that is compiled for it; gravity_loop_avx2() uses AVX2.
void gravity_loop_avx512(const PlainBodies& bodies, float* acceleration);
void gravity_loop_avx2(const PlainBodies& bodies, float* acceleration);

} // namespace starfmm

// SPDX-License-Identifier: BSD-3-Clause
// This file compiles the loop for AVX-512.
#include "tests/perf/gravity/gravity_loop.hpp"

#include <immintrin.h>

namespace starfmm {

namespace {

struct Simd {
    using V = __m512;
    static constexpr int size = 16;

    static V load(const float* from) { return _mm512_loadu_ps(from); }

    static void store(float* to, V a) { _mm512_storeu_ps(to, a); }

    static V all(float a) { return _mm512_set1_ps(a); }

    static V subtract(V a, V b) { return _mm512_sub_ps(a, b); }

    static V multiply(V a, V b) { return _mm512_mul_ps(a, b); }

    static V multiply_add(V a, V b, V c) { return _mm512_fmadd_ps(a, b, c); }

    static V negative_multiply_add(V a, V b, V c) { return _mm512_fnmadd_ps(a, b, c); }

    static V inverse_root_seed(V a) { return _mm512_rsqrt14_ps(a); }
};

} // namespace

void gravity_loop_avx512(const PlainBodies& bodies, float* acceleration) {
    gravity_tiles<Simd, 4>(bodies, acceleration);
}

} // namespace starfmm

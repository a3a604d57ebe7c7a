// SPDX-License-Identifier: BSD-3-Clause
// This file compiles the loop for AVX2 and FMA.
#include "tests/perf/gravity/gravity_loop.hpp"

#include <immintrin.h>

namespace starfmm {

namespace {

struct Simd {
    using V = __m256;
    static constexpr int size = 8;

    static V load(const float* from) { return _mm256_loadu_ps(from); }

    static void store(float* to, V a) { _mm256_storeu_ps(to, a); }

    static V all(float a) { return _mm256_set1_ps(a); }

    static V subtract(V a, V b) { return _mm256_sub_ps(a, b); }

    static V multiply(V a, V b) { return _mm256_mul_ps(a, b); }

    static V multiply_add(V a, V b, V c) { return _mm256_fmadd_ps(a, b, c); }

    static V negative_multiply_add(V a, V b, V c) { return _mm256_fnmadd_ps(a, b, c); }

    static V inverse_root_seed(V a) { return _mm256_rsqrt_ps(a); }
};

} // namespace

void gravity_loop_avx2(const PlainBodies& bodies, float* acceleration) {
    gravity_tiles<Simd, 2>(bodies, acceleration);
}

} // namespace starfmm

// SPDX-License-Identifier: BSD-3-Clause
#include "tests/perf/gravity_intrinsics.hpp"

#include "core/error.hpp"

#ifdef __x86_64__
#include <immintrin.h>

namespace starfmm {

namespace {

/// Vectors of targets that meet a source together; their positions and sums fill the registers.
constexpr int tile512 = 4;
constexpr int tile256 = 2;

__attribute__((target("avx512f"))) void
loop512(const PlainBodies& b, std::size_t first, float* acceleration) {
    __m512 x[tile512];
    __m512 y[tile512];
    __m512 z[tile512];
    __m512 ax[tile512];
    __m512 ay[tile512];
    __m512 az[tile512];
    for (int t = 0; t < tile512; ++t) {
        x[t] = _mm512_loadu_ps(b.x + first + 16 * t);
        y[t] = _mm512_loadu_ps(b.y + first + 16 * t);
        z[t] = _mm512_loadu_ps(b.z + first + 16 * t);
        ax[t] = ay[t] = az[t] = _mm512_setzero_ps();
    }
    const __m512 epsilon_square = _mm512_set1_ps(b.epsilon_square);
    const __m512 half = _mm512_set1_ps(0.5F);
    const __m512 three_halves = _mm512_set1_ps(1.5F);
    for (std::size_t j = 0; j < b.n; ++j) {
        const __m512 xj = _mm512_set1_ps(b.x[j]);
        const __m512 yj = _mm512_set1_ps(b.y[j]);
        const __m512 zj = _mm512_set1_ps(b.z[j]);
        const __m512 mass = _mm512_set1_ps(b.mass[j]);
        for (int t = 0; t < tile512; ++t) {
            const __m512 dx = _mm512_sub_ps(xj, x[t]);
            const __m512 dy = _mm512_sub_ps(yj, y[t]);
            const __m512 dz = _mm512_sub_ps(zj, z[t]);
            __m512 square = _mm512_fmadd_ps(dx, dx, epsilon_square);
            square = _mm512_fmadd_ps(dy, dy, square);
            square = _mm512_fmadd_ps(dz, dz, square);
            __m512 r = _mm512_rsqrt14_ps(square);
            const __m512 h = _mm512_mul_ps(half, square);
            r = _mm512_mul_ps(r, _mm512_fnmadd_ps(h, _mm512_mul_ps(r, r), three_halves));
            const __m512 factor = _mm512_mul_ps(_mm512_mul_ps(mass, r), _mm512_mul_ps(r, r));
            ax[t] = _mm512_fmadd_ps(factor, dx, ax[t]);
            ay[t] = _mm512_fmadd_ps(factor, dy, ay[t]);
            az[t] = _mm512_fmadd_ps(factor, dz, az[t]);
        }
    }
    for (int t = 0; t < tile512; ++t) {
        _mm512_storeu_ps(acceleration + first + 16 * t, ax[t]);
        _mm512_storeu_ps(acceleration + b.n + first + 16 * t, ay[t]);
        _mm512_storeu_ps(acceleration + 2 * b.n + first + 16 * t, az[t]);
    }
}

__attribute__((target("avx2,fma"))) void
loop256(const PlainBodies& b, std::size_t first, float* acceleration) {
    __m256 x[tile256];
    __m256 y[tile256];
    __m256 z[tile256];
    __m256 ax[tile256];
    __m256 ay[tile256];
    __m256 az[tile256];
    for (int t = 0; t < tile256; ++t) {
        x[t] = _mm256_loadu_ps(b.x + first + 8 * t);
        y[t] = _mm256_loadu_ps(b.y + first + 8 * t);
        z[t] = _mm256_loadu_ps(b.z + first + 8 * t);
        ax[t] = ay[t] = az[t] = _mm256_setzero_ps();
    }
    const __m256 epsilon_square = _mm256_set1_ps(b.epsilon_square);
    const __m256 half = _mm256_set1_ps(0.5F);
    const __m256 three_halves = _mm256_set1_ps(1.5F);
    for (std::size_t j = 0; j < b.n; ++j) {
        const __m256 xj = _mm256_broadcast_ss(b.x + j);
        const __m256 yj = _mm256_broadcast_ss(b.y + j);
        const __m256 zj = _mm256_broadcast_ss(b.z + j);
        const __m256 mass = _mm256_broadcast_ss(b.mass + j);
        for (int t = 0; t < tile256; ++t) {
            const __m256 dx = _mm256_sub_ps(xj, x[t]);
            const __m256 dy = _mm256_sub_ps(yj, y[t]);
            const __m256 dz = _mm256_sub_ps(zj, z[t]);
            __m256 square = _mm256_fmadd_ps(dx, dx, epsilon_square);
            square = _mm256_fmadd_ps(dy, dy, square);
            square = _mm256_fmadd_ps(dz, dz, square);
            __m256 r = _mm256_rsqrt_ps(square);
            const __m256 h = _mm256_mul_ps(half, square);
            r = _mm256_mul_ps(r, _mm256_fnmadd_ps(h, _mm256_mul_ps(r, r), three_halves));
            const __m256 factor = _mm256_mul_ps(_mm256_mul_ps(mass, r), _mm256_mul_ps(r, r));
            ax[t] = _mm256_fmadd_ps(factor, dx, ax[t]);
            ay[t] = _mm256_fmadd_ps(factor, dy, ay[t]);
            az[t] = _mm256_fmadd_ps(factor, dz, az[t]);
        }
    }
    for (int t = 0; t < tile256; ++t) {
        _mm256_storeu_ps(acceleration + first + 8 * t, ax[t]);
        _mm256_storeu_ps(acceleration + b.n + first + 8 * t, ay[t]);
        _mm256_storeu_ps(acceleration + 2 * b.n + first + 8 * t, az[t]);
    }
}

bool has_avx512() {
    return __builtin_cpu_supports("avx512f") != 0;
}

bool has_avx2() {
    return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0;
}

} // namespace

const char* gravity_loop_name() {
    return has_avx512() ? "AVX-512" : has_avx2() ? "AVX2" : "none";
}

void gravity_loop(const PlainBodies& bodies, float* acceleration) {
    if (!has_avx2()) {
        throw Error("the loop in intrinsics needs AVX2");
    }
    const auto loop = has_avx512() ? loop512 : loop256;
    const std::size_t step = has_avx512() ? 16 * tile512 : 8 * tile256;
    for (std::size_t first = 0; first < bodies.n; first += step) {
        loop(bodies, first, acceleration);
    }
}

} // namespace starfmm

#else

namespace starfmm {

const char* gravity_loop_name() {
    return "none";
}

void gravity_loop(const PlainBodies& /*bodies*/, float* /*acceleration*/) {
    throw Error("the loop in intrinsics is written for x86-64");
}

} // namespace starfmm

#endif

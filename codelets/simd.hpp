// SPDX-License-Identifier: BSD-3-Clause
// The SIMD batch of the instruction set that this translation unit is compiled for, and how
// operators use it. CPU bodies are compiled once per instruction set; the batch type keeps their
// symbols apart.
#pragma once

#include "core/arithmetic.hpp"
#include "core/complex.hpp"
#include "core/expansions/expansion.hpp"

#include <xsimd/xsimd.hpp>

#include <cstddef>

namespace starfmm {

/// Instruction sets that a shipped build carries, chosen among at run time.
struct Baseline {
    using Arch = xsimd::default_arch;
};

struct Avx2 {
    using Arch = xsimd::fma3<xsimd::avx2>;
};

struct Avx512 {
    using Arch = xsimd::avx512f;
};

#if defined(__AVX512F__)
using CurrentIsa = Avx512;
#elif defined(__AVX2__)
using CurrentIsa = Avx2;
#else
using CurrentIsa = Baseline;
#endif

template <class Real, class Isa>
using Batch = xsimd::batch<Real, typename Isa::Arch>;

template <class Real, class Arch>
struct Arithmetic<xsimd::batch<Real, Arch>> {
    using B = xsimd::batch<Real, Arch>;

    static B reciprocal_or_zero(const B& x) {
#if defined(__AVX512F__)
        // vdivpd runs at an eighth of the rate of the rest: a 14-bit seed and two Newton steps
        // reach the last bit but one.
        if constexpr (B::size == 8) {
            const __m512d one = _mm512_set1_pd(1);
            const __mmask8 nonzero = _mm512_cmp_pd_mask(x, _mm512_setzero_pd(), _CMP_NEQ_OQ);
            __m512d y = _mm512_maskz_rcp14_pd(nonzero, x);
            y = _mm512_fmadd_pd(y, _mm512_fnmadd_pd(x, y, one), y);
            return _mm512_fmadd_pd(y, _mm512_fnmadd_pd(x, y, one), y);
        }
#endif
        return xsimd::select(x == B(0), B(0), B(1) / x);
    }

    static B log_or_zero(const B& x) {
        return xsimd::log(xsimd::select(x == B(0), B(1), x));
    }
};

/// The first `count` values of `data`, the other lanes `fill`.
template <class B, class Real>
B load_lanes(const Real* data, std::size_t count, Real fill) {
    if (count >= B::size) {
        return B::load_unaligned(data);
    }
    alignas(64) Real lanes[B::size];
    for (std::size_t i = 0; i < B::size; ++i) {
        lanes[i] = i < count ? data[i] : fill;
    }
    return B::load_aligned(lanes);
}

/// Stores the first `count` lanes.
template <class B, class Real>
void store_lanes(const B& value, Real* data, std::size_t count) {
    if (count >= B::size) {
        value.store_unaligned(data);
        return;
    }
    alignas(64) Real lanes[B::size];
    value.store_aligned(lanes);
    for (std::size_t i = 0; i < count; ++i) {
        data[i] = lanes[i];
    }
}

/// Lane i of coefficient k is `rows[i][k]`: one expansion a lane.
template <class B, class Real>
void gather_rows(const Complex<Real>* const* rows, int n_coefficients, Complex<B>* out) {
    alignas(64) Real re[B::size];
    alignas(64) Real im[B::size];
    for (int k = 0; k < n_coefficients; ++k) {
        for (std::size_t i = 0; i < B::size; ++i) {
            re[i] = rows[i][k].re;
            im[i] = rows[i][k].im;
        }
        out[k] = {B::load_aligned(re), B::load_aligned(im)};
    }
}

/// Adds lane i of coefficient k to `rows[i][k]` for the first `count` rows.
template <class B, class Real>
void scatter_add_rows(
    const Complex<B>* values, int n_coefficients, Complex<Real>* const* rows, std::size_t count
) {
    alignas(64) Real re[B::size];
    alignas(64) Real im[B::size];
    for (int k = 0; k < n_coefficients; ++k) {
        values[k].re.store_aligned(re);
        values[k].im.store_aligned(im);
        for (std::size_t i = 0; i < count; ++i) {
            rows[i][k] += Complex<Real>{re[i], im[i]};
        }
    }
}

/// Sum of the lanes.
template <class Real, class Arch>
Real sum_lanes(const xsimd::batch<Real, Arch>& x) {
#if XSIMD_VERSION_MAJOR >= 10
    return xsimd::reduce_add(x);
#else
    return xsimd::hadd(x);
#endif
}

/// Adds the sum over lanes of each coefficient to `out`.
template <class B, class Real>
void reduce_add(const Complex<B>* values, int n_coefficients, Complex<Real>* out) {
    for (int k = 0; k < n_coefficients; ++k) {
        out[k] += Complex<Real>{sum_lanes(values[k].re), sum_lanes(values[k].im)};
    }
}

} // namespace starfmm

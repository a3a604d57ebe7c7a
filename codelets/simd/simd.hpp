// SPDX-License-Identifier: BSD-3-Clause
// The SIMD batch of the instruction set that this translation unit is compiled for, and how
// operators use it. CPU bodies are compiled once per instruction set; the batch type keeps their
// symbols apart.
#pragma once

#include "core/arithmetic.hpp"
#include "core/complex.hpp"
#include "core/expansions/expansion.hpp"

#include <xsimd/xsimd.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

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

    static constexpr Real smallest = std::numeric_limits<Real>::min();

    static B reciprocal_or_zero(const B& x) {
#if defined(__AVX512F__)
        // vdivpd runs at an eighth of the rate of the rest: a 14-bit seed and two Newton steps
        // reach the last bit but one.
        if constexpr (B::size == 8) {
            const __m512d one = _mm512_set1_pd(1);
            const __mmask8 normal = _mm512_cmp_pd_mask(x, B(smallest), _CMP_GE_OQ);
            __m512d y = _mm512_maskz_rcp14_pd(normal, x);
            y = _mm512_fmadd_pd(y, _mm512_fnmadd_pd(x, y, one), y);
            return _mm512_fmadd_pd(y, _mm512_fnmadd_pd(x, y, one), y);
        }
#endif
        return xsimd::select(x < B(smallest), B(0), B(1) / x);
    }

    /// x must be a normal number > 0. Single: a seed and one Newton step, relative error 1e-7 with
    /// AVX-512, 3e-7 elsewhere; double: to the last bit but one.
    static B reciprocal_sqrt(const B& x) {
#if defined(__AVX512F__)
        if constexpr (is_512<double>) {
            const B y = _mm512_rsqrt14_pd(x);
            const SqrtStep step(x, y);
            return fused(step.slope, step.factor, y);
        } else if constexpr (is_512<float>) {
            return newton_sqrt(x, B(_mm512_rsqrt14_ps(x)));
        }
#elif defined(__AVX2__)
        if constexpr (std::is_same_v<Real, float> && B::size == 8) {
            return newton_sqrt(x, B(_mm256_rsqrt_ps(x)));
        }
#elif defined(__SSE2__)
        if constexpr (std::is_same_v<Real, float> && B::size == 4) {
            return newton_sqrt(x, B(_mm_rsqrt_ps(x)));
        }
#endif
        return B(1) / xsimd::sqrt(x);
    }

    /// The same as reciprocal_sqrt(), but 0 where x is zero or subnormal. With AVX-512 the mask
    /// enters last: what comes before need not wait for it, and there zeros give no more than a
    /// NaN.
    static B reciprocal_sqrt_or_zero(const B& x) {
#if defined(__AVX512F__)
        if constexpr (is_512<double>) {
            const B y = _mm512_rsqrt14_pd(x);
            const SqrtStep step(x, y);
            const __mmask8 normal = _mm512_cmp_pd_mask(x, B(smallest), _CMP_GE_OQ);
            return _mm512_maskz_fmadd_pd(normal, step.slope, step.factor, y);
        } else if constexpr (is_512<float>) {
            const B y = _mm512_rsqrt14_ps(x);
            const __mmask16 normal = _mm512_cmp_ps_mask(x, B(smallest), _CMP_GE_OQ);
            return _mm512_maskz_mul_ps(normal, y, newton_factor(x, y));
        }
#endif
        const auto vanishes = x < B(smallest);
        return xsimd::select(vanishes, B(0), reciprocal_sqrt(xsimd::select(vanishes, B(1), x)));
    }

    static B multiply_add(const B& a, const B& b, const B& c) {
        return xsimd::fma(a, b, c);
    }

    static B max(const B& a, const B& b) {
        return xsimd::max(a, b);
    }

    static B min(const B& a, const B& b) {
        return xsimd::min(a, b);
    }

    /// a b + c in one rounding, also where that takes a library call.
    static B fused(const B& a, const B& b, const B& c) {
#if defined(__AVX512F__)
        // xsimd 8.1 has a b + c there, of which a compiler may fuse another product than this one
        if constexpr (std::is_same_v<Real, double>) {
            return _mm512_fmadd_pd(a, b, c);
        } else {
            return _mm512_fmadd_ps(a, b, c);
        }
#elif defined(__FMA__)
        return xsimd::fma(a, b, c);
#else
        alignas(64) Real lanes[3][B::size];
        a.store_aligned(lanes[0]);
        b.store_aligned(lanes[1]);
        c.store_aligned(lanes[2]);
        for (std::size_t i = 0; i < B::size; ++i) {
            lanes[0][i] = std::fma(lanes[0][i], lanes[1][i], lanes[2][i]);
        }
        return B::load_aligned(lanes[0]);
#endif
    }

    static B zero_if_greater(const B& value, const B& a, const B& b) {
        return xsimd::select(a > b, B(0), value);
    }

    static B if_greater(const B& a, const B& b, const B& then, const B& otherwise) {
        return xsimd::select(a > b, then, otherwise);
    }

    static bool none_greater(const B& a, const B& b) {
#if defined(__AVX512F__)
        if constexpr (is_512<float>) {
            return _mm512_cmp_ps_mask(a, b, _CMP_GT_OQ) == 0;
        } else if constexpr (is_512<double>) {
            return _mm512_cmp_pd_mask(a, b, _CMP_GT_OQ) == 0;
        }
#endif
        return !xsimd::any(a > b);
    }

    static B log_or_zero(const B& x) {
        return xsimd::log(xsimd::select(x < B(smallest), B(1), x));
    }

private:
    template <class Of>
    static constexpr bool is_512 = std::is_same_v<Real, Of> && sizeof(B) == 64;

    /// y nearer to 1 / sqrt(x), from e to 1.5 e^2.
    static B newton_sqrt(const B& x, const B& y) {
        return y * newton_factor(x, y);
    }

    static B newton_factor(const B& x, const B& y) {
        return xsimd::fnma(B(Real(0.5)) * x, y * y, B(Real(1.5)));
    }

    /// y + slope factor is nearer to 1 / sqrt(x), from e to 4.4 e^4: y (1 - r)^(-1/2) to the third
    /// power of r = 1 - x y^2.
    struct SqrtStep {
        B slope;
        B factor;

        SqrtStep(const B& x, const B& y) {
            const B r = _mm512_fnmadd_pd(x * y, y, B(1));
            slope = y * r;
            factor = fused(r, fused(r, B(0.3125), B(0.375)), B(0.5));
        }
    };
};

/// The first `count` values of `data`, the other lanes `fill`.
template <class B, class Real>
B load_lanes(const Real* data, std::size_t count, Real fill) {
    if (count >= B::size) {
        return B::load_unaligned(data);
    }
#if defined(__AVX512F__)
    // a masked load, which does not wait for stores
    if constexpr (std::is_same_v<B, xsimd::batch<double, Avx512::Arch>>) {
        return _mm512_mask_loadu_pd(B(fill), static_cast<__mmask8>((1U << count) - 1), data);
    }
#endif
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

/// A bit for each lane where the mask holds.
template <class Real, class Arch>
unsigned lane_bits(const xsimd::batch_bool<Real, Arch>& mask) {
#if defined(__AVX512F__)
    if constexpr (std::is_same_v<Arch, Avx512::Arch>) {
        return static_cast<typename xsimd::batch_bool<Real, Arch>::register_type>(mask);
    }
#endif
    using B = xsimd::batch<Real, Arch>;
    alignas(64) Real lanes[B::size];
    xsimd::select(mask, B(1), B(0)).store_aligned(lanes);
    unsigned bits = 0;
    for (std::size_t i = 0; i < B::size; ++i) {
        bits |= (lanes[i] != 0 ? 1U : 0U) << i;
    }
    return bits;
}

/// The mask of the first `n` lanes.
constexpr unsigned first_lanes(std::size_t n) {
    return (1U << n) - 1;
}

/// Stores those of B::size numbers whose bits are set, one after the other. \returns how many
template <class B>
std::size_t store_marked(unsigned bits, const std::uint32_t* from, std::uint32_t* to) {
    const auto n = static_cast<std::size_t>(std::popcount(bits));
#if defined(__AVX512VL__)
    if constexpr (B::size == 8) {
        const __m256i marked = _mm256_maskz_compress_epi32(
            static_cast<__mmask8>(bits), _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from))
        );
        _mm256_mask_storeu_epi32(to, static_cast<__mmask8>(first_lanes(n)), marked);
        return n;
    }
#endif
    for (; bits != 0; bits &= bits - 1) {
        *to++ = from[std::countr_zero(bits)];
    }
    return n;
}

#if defined(__AVX512F__)
/// Blocks of 128 bits, four a register: rows and columns change places.
inline void transpose_blocks(__m512d (&v)[4]) {
    const __m512d a = _mm512_shuffle_f64x2(v[0], v[1], 0x88);
    const __m512d b = _mm512_shuffle_f64x2(v[0], v[1], 0xdd);
    const __m512d c = _mm512_shuffle_f64x2(v[2], v[3], 0x88);
    const __m512d d = _mm512_shuffle_f64x2(v[2], v[3], 0xdd);
    v[0] = _mm512_shuffle_f64x2(a, c, 0x88);
    v[1] = _mm512_shuffle_f64x2(b, d, 0x88);
    v[2] = _mm512_shuffle_f64x2(a, c, 0xdd);
    v[3] = _mm512_shuffle_f64x2(b, d, 0xdd);
}

/// Rows and columns of an 8 x 8 matrix change places.
inline void transpose(__m512d (&v)[8]) {
    __m512d even[4];
    __m512d odd[4];
    for (int i = 0; i < 4; ++i) {
        even[i] = _mm512_unpacklo_pd(v[2 * i], v[2 * i + 1]);
        odd[i] = _mm512_unpackhi_pd(v[2 * i], v[2 * i + 1]);
    }
    transpose_blocks(even);
    transpose_blocks(odd);
    for (int i = 0; i < 4; ++i) {
        v[2 * i] = even[i];
        v[2 * i + 1] = odd[i];
    }
}

/// Rows and columns of a 16 x 16 matrix change places.
inline void transpose(__m512 (&v)[16]) {
    __m512d column[4][4]; // of each four, from four rows a register
    for (int i = 0; i < 4; ++i) {
        const __m512 a = _mm512_unpacklo_ps(v[4 * i], v[4 * i + 1]);
        const __m512 b = _mm512_unpackhi_ps(v[4 * i], v[4 * i + 1]);
        const __m512 c = _mm512_unpacklo_ps(v[4 * i + 2], v[4 * i + 3]);
        const __m512 d = _mm512_unpackhi_ps(v[4 * i + 2], v[4 * i + 3]);
        column[0][i] = _mm512_unpacklo_pd(_mm512_castps_pd(a), _mm512_castps_pd(c));
        column[1][i] = _mm512_unpackhi_pd(_mm512_castps_pd(a), _mm512_castps_pd(c));
        column[2][i] = _mm512_unpacklo_pd(_mm512_castps_pd(b), _mm512_castps_pd(d));
        column[3][i] = _mm512_unpackhi_pd(_mm512_castps_pd(b), _mm512_castps_pd(d));
    }
    for (int j = 0; j < 4; ++j) {
        transpose_blocks(column[j]);
        for (int i = 0; i < 4; ++i) {
            v[4 * i + j] = _mm512_castpd_ps(column[j][i]);
        }
    }
}
#endif

#if defined(__AVX2__)
/// Rows and columns of a 4 x 4 matrix change places.
inline void transpose(__m256d (&v)[4]) {
    const __m256d a = _mm256_unpacklo_pd(v[0], v[1]);
    const __m256d b = _mm256_unpackhi_pd(v[0], v[1]);
    const __m256d c = _mm256_unpacklo_pd(v[2], v[3]);
    const __m256d d = _mm256_unpackhi_pd(v[2], v[3]);
    v[0] = _mm256_permute2f128_pd(a, c, 0x20);
    v[1] = _mm256_permute2f128_pd(b, d, 0x20);
    v[2] = _mm256_permute2f128_pd(a, c, 0x31);
    v[3] = _mm256_permute2f128_pd(b, d, 0x31);
}

/// Rows and columns of an 8 x 8 matrix change places.
inline void transpose(__m256 (&v)[8]) {
    __m256d column[2][4]; // of four rows, two columns a register
    for (int i = 0; i < 2; ++i) {
        const __m256 a = _mm256_unpacklo_ps(v[4 * i], v[4 * i + 1]);
        const __m256 b = _mm256_unpackhi_ps(v[4 * i], v[4 * i + 1]);
        const __m256 c = _mm256_unpacklo_ps(v[4 * i + 2], v[4 * i + 3]);
        const __m256 d = _mm256_unpackhi_ps(v[4 * i + 2], v[4 * i + 3]);
        column[i][0] = _mm256_unpacklo_pd(_mm256_castps_pd(a), _mm256_castps_pd(c));
        column[i][1] = _mm256_unpackhi_pd(_mm256_castps_pd(a), _mm256_castps_pd(c));
        column[i][2] = _mm256_unpacklo_pd(_mm256_castps_pd(b), _mm256_castps_pd(d));
        column[i][3] = _mm256_unpackhi_pd(_mm256_castps_pd(b), _mm256_castps_pd(d));
    }
    for (int j = 0; j < 4; ++j) {
        v[j] = _mm256_castpd_ps(_mm256_permute2f128_pd(column[0][j], column[1][j], 0x20));
        v[4 + j] = _mm256_castpd_ps(_mm256_permute2f128_pd(column[0][j], column[1][j], 0x31));
    }
}
#endif

/// Bytes of the registers that turn by shuffles; 0 without them.
#if defined(__AVX512F__)
inline constexpr std::size_t transposed_bytes = 64;
#elif defined(__AVX2__)
inline constexpr std::size_t transposed_bytes = 32;
#else
inline constexpr std::size_t transposed_bytes = 0;
#endif

/// Whether batches of this instruction set turn by shuffles, in blocks of B::size values.
template <class B>
inline constexpr bool can_transpose = sizeof(B) == transposed_bytes;

/// Whether batches of complex coefficients turn by shuffles: in single precision blocks would be
/// longer than the room behind a row.
template <class B>
inline constexpr bool can_transpose_complex =
    can_transpose<B>&& std::is_same_v<typename B::value_type, double>;

/// Lane i of coefficient k is `rows[i][k]`: one expansion a lane. Where batches transpose, rows are
/// read, and `out` is written, up to the next multiple of four coefficients.
template <class B, class Real>
void gather_rows(const Complex<Real>* const* rows, int n_coefficients, Complex<B>* out) {
    if constexpr (can_transpose_complex<B>) {
        constexpr int n = static_cast<int>(B::size);
        for (int k = 0; k < n_coefficients; k += n / 2) {
            typename B::register_type block[B::size];
            for (int i = 0; i < n; ++i) {
                block[i] = B::load_unaligned(&rows[i][k].re);
            }
            transpose(block);
            for (int j = 0; j < n / 2; ++j) {
                out[k + j] = {B(block[2 * j]), B(block[2 * j + 1])};
            }
        }
    } else {
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
}

/// Rows and columns of B::size batches change places.
template <class B>
[[gnu::always_inline]] inline void transpose_lanes(B (&block)[B::size]) {
    if constexpr (can_transpose<B>) {
        typename B::register_type registers[B::size];
        std::copy_n(block, B::size, registers);
        transpose(registers);
        std::copy_n(registers, B::size, block);
    } else {
        alignas(64) typename B::value_type rows[B::size][B::size];
        alignas(64) typename B::value_type column[B::size];
        for (std::size_t i = 0; i < B::size; ++i) {
            block[i].store_aligned(rows[i]);
        }
        for (std::size_t j = 0; j < B::size; ++j) {
            for (std::size_t i = 0; i < B::size; ++i) {
                column[i] = rows[i][j];
            }
            block[j] = B::load_aligned(column);
        }
    }
}

#if defined(__AVX512F__)
/// Four coefficients of sixteen rows, one row a lane: the loads put blocks of 128 bits where they
/// belong, which leaves half of the shuffles of a whole transposition.
inline void gather_quad(const float* const* rows, int first, __m512 (&out)[4]) {
    __m512 row[4];
    for (int i = 0; i < 4; ++i) {
        const auto block = [&](int j) { return _mm_loadu_ps(rows[i + 4 * j] + first); };
        row[i] = _mm512_castps128_ps512(block(0));
        row[i] = _mm512_insertf32x4(row[i], block(1), 1);
        row[i] = _mm512_insertf32x4(row[i], block(2), 2);
        row[i] = _mm512_insertf32x4(row[i], block(3), 3);
    }
    const __m512d a = _mm512_castps_pd(_mm512_unpacklo_ps(row[0], row[1]));
    const __m512d b = _mm512_castps_pd(_mm512_unpackhi_ps(row[0], row[1]));
    const __m512d c = _mm512_castps_pd(_mm512_unpacklo_ps(row[2], row[3]));
    const __m512d d = _mm512_castps_pd(_mm512_unpackhi_ps(row[2], row[3]));
    out[0] = _mm512_castpd_ps(_mm512_unpacklo_pd(a, c));
    out[1] = _mm512_castpd_ps(_mm512_unpackhi_pd(a, c));
    out[2] = _mm512_castpd_ps(_mm512_unpacklo_pd(b, d));
    out[3] = _mm512_castpd_ps(_mm512_unpackhi_pd(b, d));
}
#elif defined(__AVX2__)
/// Four coefficients of eight rows, one row a lane.
inline void gather_quad(const float* const* rows, int first, __m256 (&out)[4]) {
    __m256 row[4];
    for (int i = 0; i < 4; ++i) {
        const __m128 low = _mm_loadu_ps(rows[i] + first);
        const __m128 high = _mm_loadu_ps(rows[i + 4] + first);
        row[i] = _mm256_insertf128_ps(_mm256_castps128_ps256(low), high, 1);
    }
    const __m256d a = _mm256_castps_pd(_mm256_unpacklo_ps(row[0], row[1]));
    const __m256d b = _mm256_castps_pd(_mm256_unpackhi_ps(row[0], row[1]));
    const __m256d c = _mm256_castps_pd(_mm256_unpacklo_ps(row[2], row[3]));
    const __m256d d = _mm256_castps_pd(_mm256_unpackhi_ps(row[2], row[3]));
    out[0] = _mm256_castpd_ps(_mm256_unpacklo_pd(a, c));
    out[1] = _mm256_castpd_ps(_mm256_unpackhi_pd(a, c));
    out[2] = _mm256_castpd_ps(_mm256_unpacklo_pd(b, d));
    out[3] = _mm256_castpd_ps(_mm256_unpackhi_pd(b, d));
}
#endif

/// Coefficients that gather_rows takes from all rows at once.
template <class B>
inline constexpr int
    gathered_at_once = can_transpose<B>&& std::is_same_v<typename B::value_type, float>
                           ? 4
                           : static_cast<int>(B::size);

/// gathered_at_once coefficients from `first` on.
template <class B>
[[gnu::always_inline]] inline void
gather_block(const typename B::value_type* const* rows, int first, B* out) {
    constexpr int n = gathered_at_once<B>;
    if constexpr (n < static_cast<int>(B::size)) {
        typename B::register_type block[n];
        gather_quad(rows, first, block);
        std::copy_n(block, n, out + first);
    } else {
        B block[B::size];
        for (int i = 0; i < n; ++i) {
            block[i] = B::load_unaligned(rows[i] + first);
        }
        transpose_lanes(block);
        std::copy_n(block, n, out + first);
    }
}

/// Gathers rows of real coefficients; nothing is read or written beyond them.
template <class B>
void gather_rows(const typename B::value_type* const* rows, int n_coefficients, B* out) {
    constexpr int n = gathered_at_once<B>;
    if (n_coefficients >= n) {
        for (int k = 0; k < n_coefficients; k += n) {
            gather_block(
                rows, std::min(k, n_coefficients - n), out
            ); // the last may overlap another
        }
        return;
    }
    alignas(64) typename B::value_type lanes[B::size];
    for (int k = 0; k < n_coefficients; ++k) {
        for (std::size_t i = 0; i < B::size; ++i) {
            lanes[i] = rows[i][k];
        }
        out[k] = B::load_aligned(lanes);
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

/// Adds lane i of coefficient k, a real one, to `rows[i][k]` for the first `count` rows.
template <class B>
void scatter_add_rows(
    const B* values, int n_coefficients, typename B::value_type* const* rows, std::size_t count
) {
    constexpr int n = static_cast<int>(B::size);
    int k = 0;
    for (; k + n <= n_coefficients; k += n) {
        B block[B::size];
        std::copy_n(values + k, n, block);
        transpose_lanes(block);
        for (std::size_t i = 0; i < count; ++i) {
            (B::load_unaligned(rows[i] + k) + block[i]).store_unaligned(rows[i] + k);
        }
    }
    alignas(64) typename B::value_type lanes[B::size];
    for (; k < n_coefficients; ++k) {
        values[k].store_aligned(lanes);
        for (std::size_t i = 0; i < count; ++i) {
            rows[i][k] += lanes[i];
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

/// Sums of the lanes of `n` batches.
template <class B, std::size_t n>
void sum_lanes(const B (&x)[n], typename B::value_type (&sums)[n]) {
#if defined(__AVX512F__)
    if constexpr (std::is_same_v<typename B::value_type, float> && sizeof(B) == 64 && n == 4) {
        // in each block of 128 bits one number of each, then over blocks
        const __m512 ab = B(_mm512_unpacklo_ps(x[0], x[1])) + B(_mm512_unpackhi_ps(x[0], x[1]));
        const __m512 cd = B(_mm512_unpacklo_ps(x[2], x[3])) + B(_mm512_unpackhi_ps(x[2], x[3]));
        const __m512d a = _mm512_castps_pd(ab);
        const __m512d c = _mm512_castps_pd(cd);
        const B all = B(_mm512_castpd_ps(_mm512_unpacklo_pd(a, c))) +
                      B(_mm512_castpd_ps(_mm512_unpackhi_pd(a, c)));
        const __m256 half =
            _mm256_add_ps(_mm512_castps512_ps256(all), _mm512_extractf32x8_ps(all, 1));
        const __m128 quarter =
            _mm_add_ps(_mm256_castps256_ps128(half), _mm256_extractf128_ps(half, 1));
        _mm_storeu_ps(sums, quarter);
        return;
    }
#endif
    for (std::size_t i = 0; i < n; ++i) {
        sums[i] = sum_lanes(x[i]);
    }
}

/// Adds the sum over lanes of each coefficient to `out`. `values` has room to the next multiple of
/// four.
template <class B, class Real>
void reduce_add(Complex<B>* values, int n_coefficients, Complex<Real>* out) {
    if constexpr (can_transpose_complex<B>) {
        constexpr int n = static_cast<int>(B::size);
        alignas(64) Complex<Real> sums[B::size / 2];
        for (int k = 0; k < n_coefficients; k += n / 2) {
            typename B::register_type block[B::size];
            for (int j = 0; j < n / 2; ++j) {
                block[2 * j] = values[k + j].re;
                block[2 * j + 1] = values[k + j].im;
            }
            transpose(block);
            for (int width = n / 2; width > 0; width /= 2) {
                for (int i = 0; i < width; ++i) {
                    block[i] = B(block[i]) + B(block[i + width]);
                }
            }
            B(block[0]).store_aligned(&sums[0].re);
            for (int j = 0; j < n / 2 && k + j < n_coefficients; ++j) {
                out[k + j] += sums[j];
            }
        }
    } else {
        for (int k = 0; k < n_coefficients; ++k) {
            out[k] += Complex<Real>{sum_lanes(values[k].re), sum_lanes(values[k].im)};
        }
    }
}

/// Adds the sum over lanes of each real coefficient to `out`.
template <class B>
void reduce_add(const B* values, int n_coefficients, typename B::value_type* out) {
    for (int k = 0; k < n_coefficients; ++k) {
        out[k] += sum_lanes(values[k]);
    }
}

} // namespace starfmm

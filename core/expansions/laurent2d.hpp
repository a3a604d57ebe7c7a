// SPDX-License-Identifier: BSD-3-Clause
// Laurent/Taylor expansions of 2D harmonic functions in the complex plane, and the harmonic and log
// kernels.
#pragma once

#include "core/arithmetic.hpp"
#include "core/complex.hpp"
#include "core/expansions/expansion.hpp"
#include "core/pascal.hpp"

#include <algorithm>
#include <cmath>

namespace starfmm {

/// Translations shared by every kernel that is a derivative of log(z):
///   multipole  M(z) = a_0 log(z - c) + sum_{k=1..p} a_k (R / (z - c))^k      [GE12 Eq 2.2], scaled
///   by the radius R local      L(z) = sum_{l=0..p} b_l ((z - c) / R)^l                       [GE12
///   Eq 2.3], scaled by the radius R
/// Arrays hold p + 1 coefficients; unit of a_0: strength. One translation costs O(p^2), one point
/// O(p). With a logarithm only the real part of a sum is meaningful: its imaginary part has no
/// single branch, and is left out of b_0. \tparam HasLog whether a_0 may differ from zero
template <class R, bool HasLog>
struct Laurent2D {
    using Real = R;

    /// The first coefficients alone are the expansion of lower order, and a pair converges like its
    /// rho^p.
    static constexpr bool truncates_by_distance = true;

    STARFMM_HOST_DEVICE static int n_coefficients(int order) { return order + 1; }

    /// Multipole of a child, added to its parent's. [GE12 Alg 3.4 (a)]: unlike (b) it allows a
    /// shift of zero.
    template <class T>
    STARFMM_HOST_DEVICE static void
    m2m(int p, Frame<T> child, const Complex<T>* a, Frame<T> parent, Complex<T>* out) {
        const T inverse = T(1) / parent.radius;
        const Complex<T> shift = inverse * (child.centre - parent.centre);
        const T shrink = child.radius * inverse;
        Complex<T> work[max_order + 1];
        T power = shrink;
        for (int k = 1; k <= p; ++k) {
            work[k] = power * a[k];
            power = power * shrink;
        }
        for (int k = p; k >= 2; --k) {
            for (int j = k; j <= p; ++j) {
                work[j] += shift * work[j - 1];
            }
        }
        out[0] += a[0];
        Complex<T> shift_power = shift;
        for (int k = 1; k <= p; ++k) {
            out[k] += work[k] - (T(Real(1) / Real(k)) * (shift_power * a[0]));
            shift_power = shift_power * shift;
        }
    }

    /// Multipole of a separated source box, added to the local expansion of a target box:
    /// b_l = (R_t/d)^l sum_k C(l+k-1, k-1) (-R_s/d)^k a_k - a_0/l (R_t/d)^l, b_0 += a_0 log|d|, d =
    /// c_s - c_t [GE12 Alg 3.6], its passes of additions written as the constant matrix that they
    /// apply.
    template <class T>
    STARFMM_HOST_DEVICE static void
    m2l(int p, Frame<T> source, const Complex<T>* a, Frame<T> target, Complex<T>* b) {
        const Complex<T> d = source.centre - target.centre;
        const Complex<T> inverse = reciprocal(d);
        const Complex<T> outgoing = -(source.radius * inverse);
        Complex<T> scaled[max_order + 1];
        Complex<T> power = outgoing;
        for (int k = 1; k <= p; ++k) {
            scaled[k] = power * a[k];
            power = power * outgoing;
        }
        if constexpr (HasLog) {
            b[0] += (T(Real(0.5)) * log_or_zero(norm(d))) * a[0];
        }
        apply_pascal(p, scaled, a[0], target.radius * inverse, b);
    }

    /// Local expansion of a parent, added to its child's. [GE12 Alg 3.5], in the form that allows a
    /// shift of zero.
    template <class T>
    STARFMM_HOST_DEVICE static void
    l2l(int p, Frame<T> parent, const Complex<T>* b, Frame<T> child, Complex<T>* out) {
        const T inverse = T(1) / parent.radius;
        const Complex<T> shift = inverse * (child.centre - parent.centre);
        const T shrink = child.radius * inverse;
        Complex<T> work[max_order + 1];
        for (int l = 0; l <= p; ++l) {
            work[l] = b[l];
        }
        for (int k = 0; k < p; ++k) {
            for (int l = p - 1; l >= k; --l) {
                work[l] += shift * work[l + 1];
            }
        }
        T power = T(1);
        for (int l = 0; l <= p; ++l) {
            out[l] += power * work[l];
            power = power * shrink;
        }
    }

    /// Value of the local expansion at `z`, by Horner's rule.
    /// \tparam C Real or T: coefficients may be shared by the lanes of `z`
    template <class T, class C>
    STARFMM_HOST_DEVICE static Complex<T>
    evaluate_local(int p, Frame<T> box, const Complex<C>* b, Complex<T> z) {
        const Complex<T> t = (T(1) / box.radius) * (z - box.centre);
        Complex<T> value{T(b[p].re), T(b[p].im)};
        for (int l = p - 1; l >= 0; --l) {
            value = value * t + Complex<T>{T(b[l].re), T(b[l].im)};
        }
        return value;
    }

    /// sum_{k=1..p} a_k (R / (z - c))^k at `z`, by Horner's rule; the logarithm is the caller's.
    template <class T, class C>
    STARFMM_HOST_DEVICE static Complex<T>
    evaluate_multipole(int p, Frame<T> box, const Complex<C>* a, Complex<T> z) {
        const Complex<T> t = box.radius * reciprocal(z - box.centre);
        Complex<T> value{T(0), T(0)};
        for (int k = p; k >= 1; --k) {
            value = (value + Complex<T>{T(a[k].re), T(a[k].im)}) * t;
        }
        return value;
    }

private:
    /// b_l += v^l (sum_k C(l+k-1, k-1) scaled_k - a_0 / l). Rows go in blocks of four: each
    /// scaled_k is read once a block, and eight independent sums hide the latency of an addition.
    template <class T>
    STARFMM_HOST_DEVICE static void
    apply_pascal(int p, const Complex<T>* scaled, Complex<T> a0, Complex<T> v, Complex<T>* b) {
        constexpr int block = 4;
        Complex<T> power{T(1), T(0)};
        for (int row = 0; row <= p; row += block) {
            Complex<T> sum[block];
            for (int r = 0; r < block; ++r) {
                sum[r] = Complex<T>{T(0), T(0)};
            }
            const Real* entries[block];
            for (int r = 0; r < block; ++r) {
                entries[r] = pascal_row<Real>(row + r <= max_order ? row + r : max_order);
            }
            for (int k = 1; k <= p; ++k) {
                for (int r = 0; r < block; ++r) {
                    const T entry = T(entries[r][k]);
                    sum[r].re = sum[r].re + entry * scaled[k].re;
                    sum[r].im = sum[r].im + entry * scaled[k].im;
                }
            }
            for (int r = 0; r < block && row + r <= p; ++r) {
                const int l = row + r;
                if constexpr (HasLog) {
                    if (l > 0) {
                        sum[r] -= T(Real(1) / Real(l)) * a0;
                    }
                }
                b[l] += power * sum[r];
                power = power * v;
            }
        }
    }
};

/// Number of terms for a relative tolerance: the worst pair that the criterion admits converges
/// like theta^p.
inline int laurent_order(double tolerance, double theta) {
    const double terms = std::ceil(std::log(tolerance) / std::log(theta));
    return std::clamp(static_cast<int>(terms), 1, max_order);
}

} // namespace starfmm

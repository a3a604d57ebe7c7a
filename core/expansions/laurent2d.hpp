// SPDX-License-Identifier: BSD-3-Clause
// Laurent/Taylor expansions of 2D harmonic functions in the complex plane.
#pragma once

#include "core/arithmetic.hpp"
#include "core/complex.hpp"
#include "core/expansions/expansion.hpp"
#include "core/expansions/pascal.hpp"

#include <algorithm>
#include <cmath>

namespace starfmm {

/// Translations that every kernel shares that is a derivative of log(z). Expansions about the
/// centre c are scaled by the radius R of the box [GE12 Eq 2.2, Eq 2.3]:
///
///   multipole  M(z) = a_0 log(z - c) + sum_{k=1..p} a_k (R / (z - c))^k
///   local      L(z) = sum_{l=0..p} b_l ((z - c) / R)^l
///
/// Arrays hold p + 1 coefficients; the unit of a_0 is that of strengths. One translation costs
/// O(p^2), one point O(p). With a logarithm only the real part of a sum is meaningful: its
/// imaginary part has no single branch, and is left out of b_0.
/// \tparam HasLog whether a_0 may differ from zero
template <class R, bool HasLog>
struct Laurent2D {
    using Real = R;
    using Translations = Laurent2D; ///< translations of kernels that replace none

    /// Whether the first coefficients alone are the expansion of lower order, and a pair converges
    /// like its rho^p.
    static constexpr bool truncates_by_distance = true;

    STARFMM_HOST_DEVICE static int n_coefficients(int order) { return order + 1; }

    /// Adds the multipole of a child to its parent's, with t = (c_child - c_parent) / R:
    ///
    /// out_l += sum_{k=1..l} C(l-1, k-1) t^(l-k) (r/R)^k a_k - a_0/l t^l
    ///
    /// What [GE12 Alg 3.4] does by passes is written as sums: there is no division by the shift,
    /// which may be zero, and no chain of dependent additions.
    template <class T>
    STARFMM_HOST_DEVICE static void
    m2m(int p, Frame<T> child, const Complex<T>* a, Frame<T> parent, Complex<T>* out) {
        const T inverse = T(1) / parent.radius;
        const T shrink = child.radius * inverse;
        Complex<T> power[max_order + 1];
        shift_powers(p, inverse * (child.centre - parent.centre), power);
        Complex<T> scaled[max_order + 1];
        T scale = shrink;
        for (int k = 1; k <= p; ++k) {
            scaled[k] = scale * a[k];
            scale = scale * shrink;
        }
        out[0] += a[0];
        for (int l = 1; l <= p; ++l) {
            Complex<T> sum = scaled[l];
            for (int k = 1; k < l; ++k) {
                sum += (T(pascal_row<Real>(l - k)[k]) * power[l - k]) * scaled[k];
            }
            if constexpr (HasLog) {
                sum -= T(Real(1) / Real(l)) * (power[l] * a[0]);
            }
            out[l] += sum;
        }
    }

    /// Returns what m2m adds to coefficient l, by Horner's rule, for bodies that give each its
    /// lane.
    template <class T>
    STARFMM_HOST_DEVICE static Complex<T>
    m2m_coefficient(int l, Frame<T> child, const Complex<T>* a, Frame<T> parent) {
        if (l == 0) {
            return a[0];
        }
        const T inverse = T(1) / parent.radius;
        const T shrink = child.radius * inverse;
        const Complex<T> t = inverse * (child.centre - parent.centre);
        Complex<T> sum{T(0), T(0)};
        if constexpr (HasLog) {
            sum -= T(Real(1) / Real(l)) * a[0];
        }
        T scale = T(1);
        for (int k = 1; k <= l; ++k) {
            scale = scale * shrink;
            sum = sum * t + (T(pascal_row<Real>(l - k)[k]) * scale) * a[k];
        }
        return sum;
    }

    /// The numbers that M2M and L2L need of a pair: with a matrix A that is the same for all pairs,
    /// the coefficients l >= 1 of what they add are diag(incoming^l) A diag(outgoing^k) a.
    template <class T>
    struct ShiftFactors {
        Complex<T> outgoing;
        Complex<T> incoming;
    };

    /// Returns the factors of M2M for a pair whose shift `is_long`.
    template <class T>
    STARFMM_HOST_DEVICE static ShiftFactors<T> m2m_factors(Frame<T> child, Frame<T> parent) {
        const Complex<T> d = child.centre - parent.centre;
        return {child.radius * reciprocal(d), (T(1) / parent.radius) * d};
    }

    /// The shortest shift at which all powers of the factors, one of which divides by the shift,
    /// are far from the limits of a double.
    static constexpr double shortest_shift = 0x1p-8; ///< unit: radius of the parent

    STARFMM_HOST_DEVICE static bool is_long(Complex<double> shift, double parent_radius) {
        const double least = shortest_shift * parent_radius;
        return norm(shift) >= least * least;
    }

    /// Returns A_lk of M2M for l >= 1.
    STARFMM_HOST_DEVICE static double m2m_entry(int l, int k) {
        return k == 0 ? log_entry(l) : k <= l ? pascal_row<double>(l - k)[k] : 0.0;
    }

    /// Adds the multipole of a well separated source box to the local expansion of a target box,
    /// with d = c_s - c_t [GE12 Alg 3.6]:
    ///
    /// b_l += (R_t/d)^l sum_k C(l+k-1, k-1) (-R_s/d)^k a_k - a_0/l (R_t/d)^l
    /// b_0 += a_0 log|d|
    ///
    /// The algorithm's passes of additions are written as the matrix that they apply.
    template <class T>
    STARFMM_HOST_DEVICE static void
    m2l(int p, Frame<T> source, const Complex<T>* a, Frame<T> target, Complex<T>* b) {
        m2l_truncated(p, T(Real(p)), source, a, target, b);
    }

    /// Does what m2l does with `terms` <= p terms only, which may differ between the lanes of a
    /// batch.
    template <class T>
    STARFMM_HOST_DEVICE static void m2l_truncated(
        int p, T terms, Frame<T> source, const Complex<T>* a, Frame<T> target, Complex<T>* b
    ) {
        const M2LFactors<T> factors = m2l_factors(source, target);
        const Complex<T> outgoing2 = factors.outgoing * factors.outgoing;
        Complex<T> scaled[max_order + 2];
        // Odd and even powers apart: half the latency of one chain.
        Complex<T> odd = factors.outgoing;
        Complex<T> even = outgoing2;
        for (int k = 1; k <= p; k += 2) {
            scaled[k] = limit(odd * a[k], k, terms);
            scaled[k + 1] = k < p ? limit(even * a[k + 1], k + 1, terms) : Complex<T>{T(0), T(0)};
            odd = odd * outgoing2;
            even = even * outgoing2;
        }
        if constexpr (HasLog) {
            b[0] += limit(factors.log_distance * a[0], 0, terms);
        }
        apply_pascal(p, terms, scaled, a[0], factors.incoming, b);
    }

    /// The numbers that M2L needs of a pair: with the matrix A below, b = diag(incoming^l) A
    /// diag(outgoing^k) a, and b_0 += log_distance a_0.
    template <class T>
    struct M2LFactors {
        Complex<T> outgoing; ///< -R_s / d
        Complex<T> incoming; ///< R_t / d
        T log_distance;      ///< log|d|, 0 without a logarithm
    };

    template <class T>
    STARFMM_HOST_DEVICE static M2LFactors<T> m2l_factors(Frame<T> source, Frame<T> target) {
        const Complex<T> d = source.centre - target.centre;
        const Complex<T> inverse = reciprocal(d);
        T log_distance(0);
        if constexpr (HasLog) {
            log_distance = T(Real(0.5)) * log_or_zero(norm(d));
        }
        return {-(source.radius * inverse), target.radius * inverse, log_distance};
    }

    /// The first column of A that is not zero.
    static constexpr int m2l_first_column = HasLog ? 0 : 1;

    /// Returns A_lk, which is the same for all pairs: bodies that translate many boxes at once
    /// multiply with A.
    STARFMM_HOST_DEVICE static double m2l_entry(int l, int k) {
        return k > 0 ? pascal_row<double>(l)[k] : log_entry(l);
    }

    /// Adds the local expansion of a parent to its child's, with t = (c_child - c_parent) / R [GE12
    /// Alg 3.5]:
    ///
    /// out_l += (r/R)^l sum_{k=l..p} C(k, l) t^(k-l) b_k
    template <class T>
    STARFMM_HOST_DEVICE static void
    l2l(int p, Frame<T> parent, const Complex<T>* b, Frame<T> child, Complex<T>* out) {
        const T inverse = T(1) / parent.radius;
        const T shrink = child.radius * inverse;
        Complex<T> power[max_order + 1];
        shift_powers(p, inverse * (child.centre - parent.centre), power);
        T scale = T(1);
        for (int l = 0; l <= p; ++l) {
            Complex<T> sum = b[l];
            for (int k = l + 1; k <= p; ++k) {
                sum += (T(pascal_row<Real>(k - l)[l + 1]) * power[k - l]) * b[k];
            }
            out[l] += scale * sum;
            scale = scale * shrink;
        }
    }

    /// Returns what l2l adds to coefficient l, by Horner's rule, for bodies that give each its
    /// lane.
    template <class T>
    STARFMM_HOST_DEVICE static Complex<T>
    l2l_coefficient(int p, int l, Frame<T> parent, const Complex<T>* b, Frame<T> child) {
        const T inverse = T(1) / parent.radius;
        const T shrink = child.radius * inverse;
        const Complex<T> t = inverse * (child.centre - parent.centre);
        Complex<T> sum{T(0), T(0)};
        for (int k = p; k > l; --k) {
            sum = sum * t + T(pascal_row<Real>(k - l)[l + 1]) * b[k];
        }
        sum = sum * t + b[l];
        for (int k = 0; k < l; ++k) {
            sum = shrink * sum;
        }
        return sum;
    }

    /// Returns the factors of L2L for a pair whose shift `is_long`.
    template <class T>
    STARFMM_HOST_DEVICE static ShiftFactors<T> l2l_factors(Frame<T> parent, Frame<T> child) {
        const Complex<T> d = child.centre - parent.centre;
        return {(T(1) / parent.radius) * d, child.radius * reciprocal(d)};
    }

    /// Returns A_lk of L2L for l and k >= 1.
    STARFMM_HOST_DEVICE static double l2l_entry(int l, int k) {
        return k > l ? pascal_row<double>(k - l)[l + 1] : k == l ? 1.0 : 0.0;
    }

    /// Returns the value of the local expansion at `z`, by Horner's rule.
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

    /// The value of a series and its derivative by z.
    template <class T>
    struct WithDerivative {
        Complex<T> value;
        Complex<T> derivative;
    };

    /// Returns evaluate_local() and its derivative.
    template <class T, class C>
    STARFMM_HOST_DEVICE static WithDerivative<T>
    differentiate_local(int p, Frame<T> box, const Complex<C>* b, Complex<T> z) {
        const T inverse = T(1) / box.radius;
        const Complex<T> t = inverse * (z - box.centre);
        Complex<T> value{T(b[p].re), T(b[p].im)};
        Complex<T> slope{T(0), T(0)};
        for (int l = p - 1; l >= 0; --l) {
            slope = slope * t + value;
            value = value * t + Complex<T>{T(b[l].re), T(b[l].im)};
        }
        return {value, inverse * slope};
    }

    /// Returns evaluate_multipole() and the derivative of the whole expansion, its logarithm
    /// included.
    template <class T, class C>
    STARFMM_HOST_DEVICE static WithDerivative<T>
    differentiate_multipole(int p, Frame<T> box, const Complex<C>* a, Complex<T> z) {
        const Complex<T> inverse = reciprocal(z - box.centre);
        const Complex<T> t = box.radius * inverse;
        Complex<T> value{T(0), T(0)};
        Complex<T> slope{T(0), T(0)}; // sum of k a_k t^(k - 1)
        for (int k = p; k >= 1; --k) {
            const Complex<T> sum = value + Complex<T>{T(a[k].re), T(a[k].im)};
            slope = slope * t + sum;
            value = sum * t;
        }
        // dt/dz = -t / (z - c)
        const Complex<T> charge{T(a[0].re), T(a[0].im)};
        return {value, (charge - slope * t) * inverse};
    }

    /// Returns sum_{k=1..p} a_k (R / (z - c))^k at `z`, by Horner's rule; the caller adds the
    /// logarithm.
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
    /// Returns what the logarithm of a_0 adds to coefficient l of M2M and M2L.
    STARFMM_HOST_DEVICE static double log_entry(int l) { return HasLog && l > 0 ? -1.0 / l : 0.0; }

    /// Sets power[j] = t^j for 1 <= j <= p.
    template <class T>
    STARFMM_HOST_DEVICE static void shift_powers(int p, Complex<T> t, Complex<T>* power) {
        power[1] = t;
        for (int j = 2; j <= p; ++j) {
            power[j] = power[j / 2] * power[j - j / 2];
        }
    }

    /// Returns `z`, or zero in the lanes that have fewer than `k` terms.
    template <class T>
    STARFMM_HOST_DEVICE static Complex<T> limit(const Complex<T>& z, int k, const T& terms) {
        const T rank = T(Real(k));
        return {zero_if_greater(z.re, rank, terms), zero_if_greater(z.im, rank, terms)};
    }

    /// Adds v^l (sum_k C(l+k-1, k-1) scaled_k - a_0 / l) to b_l. Rows go in blocks of four: each
    /// scaled_k is read once a block, and eight independent sums hide the latency of an addition.
    template <class T>
    STARFMM_HOST_DEVICE static void apply_pascal(
        int p, T terms, const Complex<T>* scaled, Complex<T> a0, Complex<T> v, Complex<T>* b
    ) {
        constexpr int block = 4;
        const Complex<T> v2 = v * v;
        const Complex<T> powers[block] = {{T(1), T(0)}, v, v2, v2 * v};
        const Complex<T> v4 = v2 * v2;
        Complex<T> power{T(1), T(0)};
        for (int row = 0; row <= p; row += block) {
            Complex<T> sum[block];
            const Real* entries[block];
            for (int r = 0; r < block; ++r) {
                sum[r] = Complex<T>{T(0), T(0)};
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
                b[l] += limit(power * powers[r] * sum[r], l, terms);
            }
            power = power * v4;
        }
    }
};

/// Returns the number of terms that a relative tolerance takes: the worst pair that the multipole
/// acceptance criterion admits converges like theta^p. The error is relative to the sum of
/// magnitudes; a sixteenth of the tolerance leaves room for targets where the sum cancels.
inline int laurent_order(double tolerance, double theta) {
    const double terms = std::ceil(std::log(tolerance / 16) / std::log(theta));
    return std::clamp(static_cast<int>(terms), 1, max_order);
}

} // namespace starfmm

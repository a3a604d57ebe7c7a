// SPDX-License-Identifier: BSD-3-Clause
// The field of dipoles is a kernel of one's own: Phi(z) = sum_j q_j / (z_j - z)^2, q_j real.
#pragma once

#include "core/expansions/laurent2d.hpp"
#include "core/laws/scaling_law.hpp"

namespace examples {

using starfmm::Complex, starfmm::Frame; // a frame: centre c and radius R of a box

/// The kernel: all that the library must know of it. T is a SIMD batch of Real on the CPU, and Real
/// on the GPU; hence there is no `if` on values. Phi is analytic off its sources, so that the
/// translations of series that the base has serve this kernel.
template <class Real>
struct Dipole : starfmm::Laurent2D<Real, false> {
    template <class T>
    using Strength = T; // q_j is real
    template <class T>
    using Value = Complex<T>; // Phi is complex
    static constexpr std::string_view name = "dipole";
    static constexpr auto scaling = starfmm::ScalingLaw::homogeneous(-2); // 1 / d^2

    /// Number of terms for a tolerance: the terms of the series below fall like k theta^(k-1).
    static int order(double tolerance, double theta) {
        const int terms = starfmm::laurent_order(tolerance, theta);
        return starfmm::laurent_order(tolerance * theta / terms, theta);
    }

    /// Adds a source to the coefficients a_k of sum_k a_k (R / (z - c))^k. With s = z_j - c:
    /// q / (z - c - s)^2 = sum_{k>=2} q (k - 1) s^(k-2) / (z - c)^k, |z - c| > |s|; hence
    /// a_k = (k - 1) q (s / R)^(k-2) / R^2. That a_0 = a_1 = 0 needs no line: sums start at zero.
    template <class T>
    STARFMM_HOST_DEVICE static void
    p2m(int p, Frame<T> box, Complex<T> source, Strength<T> q, Complex<T>* a) {
        const T inverse = T(1) / box.radius;
        const Complex<T> t = inverse * (source - box.centre);
        Complex<T> term{q * inverse * inverse, T(0)};
        for (int k = 2; k <= p; ++k) {
            a[k] += T(Real(k - 1)) * term;
            term = term * t;
        }
    }

    /// Adds a source to the coefficients b_l of sum_l b_l ((z - c) / R)^l. With s = z_j - c:
    /// q / (s - (z - c))^2 = sum_{l>=0} q (l + 1) (z - c)^l / s^(l+2), |z - c| < |s|; hence
    /// b_l = (l + 1) q (R / s)^l / s^2.
    template <class T>
    STARFMM_HOST_DEVICE static void
    p2l(int p, Frame<T> box, Complex<T> source, Strength<T> q, Complex<T>* b) {
        const Complex<T> inverse = reciprocal(source - box.centre);
        const Complex<T> t = box.radius * inverse;
        Complex<T> term = q * (inverse * inverse);
        for (int l = 0; l <= p; ++l) {
            b[l] += T(Real(l + 1)) * term;
            term = term * t;
        }
    }

    /// Returns the value of an expansion. Coefficients may be scalars (C) that all lanes of T
    /// share.
    template <class T, class C>
    STARFMM_HOST_DEVICE static Value<T>
    l2p(int p, Frame<T> box, const Complex<C>* b, Complex<T> target) {
        return Dipole::evaluate_local(p, box, b, target);
    }

    template <class T, class C>
    STARFMM_HOST_DEVICE static Value<T>
    m2p(int p, Frame<T> box, const Complex<C>* a, Complex<T> target) {
        return Dipole::evaluate_multipole(p, box, a, target);
    }

    /// Returns the value of one pair; a point contributes zero, not infinity, to itself.
    /// 1 / d = conj(d) / |d|^2.
    template <class T>
    STARFMM_HOST_DEVICE static Value<T> p2p(Complex<T> target, Complex<T> source, Strength<T> q) {
        const Complex<T> d = source - target;
        const Complex<T> inverse = starfmm::reciprocal_or_zero(norm(d)) * conj(d);
        return q * (inverse * inverse);
    }
};

} // namespace examples

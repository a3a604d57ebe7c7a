// SPDX-License-Identifier: BSD-3-Clause
// The shipped kernels of the plane over Laurent/Taylor expansions.
#pragma once

#include "core/expansions/laurent2d.hpp"
#include "core/laws/scaling_law.hpp"

#include <type_traits>

namespace starfmm {

/// The kernel of Phi(z) = sum_j q_j / (z_j - z) [GE12 Eq 5.1].
/// \tparam ComplexStrength whether q_j is complex; real strengths halve the traffic and the work of
/// a pair
template <class R, bool ComplexStrength>
struct Harmonic : Laurent2D<R, false> {
    using Base = Laurent2D<R, false>;
    template <class T>
    using Strength = std::conditional_t<ComplexStrength, Complex<T>, T>;
    template <class T>
    using Value = Complex<T>;
    static constexpr std::string_view name = ComplexStrength ? "harmonic_complex" : "harmonic";
    static constexpr ScalingLaw scaling = ScalingLaw::homogeneous(-1);

    static int order(double tolerance, double theta) { return laurent_order(tolerance, theta); }

    /// Adds q / (z_j - z) = -sum_k q (z_j - c)^(k-1) / (z - c)^k.
    template <class T>
    STARFMM_HOST_DEVICE static void
    p2m(int p, Frame<T> box, Complex<T> source, Strength<T> q, Complex<T>* a) {
        const T inverse = T(1) / box.radius;
        const Complex<T> t = inverse * (source - box.centre);
        Complex<T> term = times(q, Complex<T>{-inverse, T(0)});
        for (int k = 1; k <= p; ++k) {
            a[k] += term;
            term = term * t;
        }
    }

    /// Adds q / (z_j - z) = sum_l q (z - c)^l / (z_j - c)^(l+1).
    template <class T>
    STARFMM_HOST_DEVICE static void
    p2l(int p, Frame<T> box, Complex<T> source, Strength<T> q, Complex<T>* b) {
        const Complex<T> inverse = reciprocal(source - box.centre);
        const Complex<T> t = box.radius * inverse;
        Complex<T> term = times(q, inverse);
        for (int l = 0; l <= p; ++l) {
            b[l] += term;
            term = term * t;
        }
    }

    template <class T, class C>
    STARFMM_HOST_DEVICE static Complex<T>
    l2p(int p, Frame<T> box, const Complex<C>* b, Complex<T> target) {
        return Base::evaluate_local(p, box, b, target);
    }

    template <class T, class C>
    STARFMM_HOST_DEVICE static Complex<T>
    m2p(int p, Frame<T> box, const Complex<C>* a, Complex<T> target) {
        return Base::evaluate_multipole(p, box, a, target);
    }

    /// Returns 1 / d.
    template <class T>
    STARFMM_HOST_DEVICE static Complex<T> pair(const Complex<T>& d) {
        return over_square(T(1), d.re, d.im) * conj(d);
    }

    static constexpr int parity = -1;

    template <class T>
    STARFMM_HOST_DEVICE static Complex<T> p2p(Complex<T> target, Complex<T> source, Strength<T> q) {
        const Complex<T> d = source - target;
        if constexpr (ComplexStrength) {
            return q * pair(d);
        } else {
            return over_square(q, d.re, d.im) * conj(d); // q first: one multiplication less
        }
    }
};

/// The kernel of Phi(z) = sum_j q_j log|z - z_j| with real q_j, the real part of
/// sum_j q_j log(z - z_j).
template <class R>
struct Log : Laurent2D<R, true> {
    using Base = Laurent2D<R, true>;
    template <class T>
    using Strength = T;
    template <class T>
    using Value = T;
    static constexpr std::string_view name = "log";
    static constexpr ScalingLaw scaling = ScalingLaw::logarithmic();

    static int order(double tolerance, double theta) { return laurent_order(tolerance, theta); }

    /// Adds q log(z - z_j) = q log(z - c) - sum_k q/k ((z_j - c) / (z - c))^k.
    template <class T>
    STARFMM_HOST_DEVICE static void
    p2m(int p, Frame<T> box, Complex<T> source, T q, Complex<T>* a) {
        const Complex<T> t = (T(1) / box.radius) * (source - box.centre);
        a[0].re = a[0].re + q;
        Complex<T> term = q * t;
        for (int k = 1; k <= p; ++k) {
            a[k] -= T(R(1) / R(k)) * term;
            term = term * t;
        }
    }

    /// Adds the expansion below, whose real part is that of q log(z - z_j):
    ///
    /// q log(z_j - z) = q log(z_j - c) - sum_l q/l ((z - c) / (z_j - c))^l
    template <class T>
    STARFMM_HOST_DEVICE static void
    p2l(int p, Frame<T> box, Complex<T> source, T q, Complex<T>* b) {
        const Complex<T> d = source - box.centre;
        const Complex<T> t = box.radius * reciprocal(d);
        b[0].re = b[0].re + q * (T(R(0.5)) * log_or_zero(norm(d)));
        Complex<T> term = q * t;
        for (int l = 1; l <= p; ++l) {
            b[l] -= T(R(1) / R(l)) * term;
            term = term * t;
        }
    }

    template <class T, class C>
    STARFMM_HOST_DEVICE static T l2p(int p, Frame<T> box, const Complex<C>* b, Complex<T> target) {
        return Base::evaluate_local(p, box, b, target).re;
    }

    template <class T, class C>
    STARFMM_HOST_DEVICE static T m2p(int p, Frame<T> box, const Complex<C>* a, Complex<T> target) {
        const T log_r2 = log_or_zero(norm(target - box.centre));
        return Base::evaluate_multipole(p, box, a, target).re + T(a[0].re) * (T(R(0.5)) * log_r2);
    }

    /// Returns log|d|.
    template <class T>
    STARFMM_HOST_DEVICE static T pair(const Complex<T>& d) {
        return T(R(0.5)) * log_or_zero(norm(d));
    }

    static constexpr int parity = 1;

    template <class T>
    STARFMM_HOST_DEVICE static T p2p(Complex<T> target, Complex<T> source, T q) {
        return (T(R(0.5)) * q) * log_or_zero(norm(source - target)); // the factor of all targets
    }
};

/// The potential of Log with its gradient at the target: that of f = sum_j q_j log(z - z_j) is (Re
/// f', -Im f').
template <class R>
struct LogGradient : Log<R> {
    using Base = Laurent2D<R, true>;
    template <class T>
    using Value = WithGradient<T>;
    static constexpr std::string_view name = "log_gradient";

    template <class T, class C>
    STARFMM_HOST_DEVICE static WithGradient<T>
    l2p(int p, Frame<T> box, const Complex<C>* b, Complex<T> target) {
        const auto f = Base::differentiate_local(p, box, b, target);
        return {f.value.re, conj(f.derivative)};
    }

    template <class T, class C>
    STARFMM_HOST_DEVICE static WithGradient<T>
    m2p(int p, Frame<T> box, const Complex<C>* a, Complex<T> target) {
        const auto f = Base::differentiate_multipole(p, box, a, target);
        const T log_r2 = log_or_zero(norm(target - box.centre));
        return {f.value.re + T(a[0].re) * (T(R(0.5)) * log_r2), conj(f.derivative)};
    }

    /// Returns log|d| and its gradient by the target, -d / |d|^2.
    template <class T>
    STARFMM_HOST_DEVICE static WithGradient<T> pair(const Complex<T>& d) {
        const T inverse = over_square(T(1), d.re, d.im);
        return {Log<R>::pair(d), -(inverse * d)};
    }

    template <class T>
    STARFMM_HOST_DEVICE static WithGradient<T> p2p(Complex<T> target, Complex<T> source, T q) {
        const Complex<T> d = source - target;
        return {Log<R>::p2p(target, source, q), -(over_square(q, d.re, d.im) * d)};
    }
};

} // namespace starfmm

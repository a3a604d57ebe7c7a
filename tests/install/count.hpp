// SPDX-License-Identifier: BSD-3-Clause
// The least kernel is the sum of all other points' strengths. It needs no base, as its expansions
// are one number, and shows every interaction that is missed or doubled.
#pragma once

#include "core/arithmetic.hpp"
#include "core/expansions/expansion.hpp"

struct Count {
    using Real = double;
    template <class T>
    using Z = starfmm::Complex<T>;
    template <class T>
    using Frame = starfmm::Frame<T>;
    template <class T>
    using Strength = T;
    template <class T>
    using Value = T;
    static constexpr std::string_view name = "count";

    static int order(double /*tolerance*/, double /*theta*/) { return 1; }

    STARFMM_HOST_DEVICE static int n_coefficients(int /*order*/) { return 1; }

    template <class T>
    STARFMM_HOST_DEVICE static void p2m(int, Frame<T>, Z<T>, T q, Z<T>* a) {
        a[0].re = a[0].re + q;
    }

    template <class T>
    STARFMM_HOST_DEVICE static void p2l(int, Frame<T>, Z<T>, T q, Z<T>* b) {
        b[0].re = b[0].re + q;
    }

    template <class T>
    STARFMM_HOST_DEVICE static void m2m(int, Frame<T>, const Z<T>* a, Frame<T>, Z<T>* out) {
        out[0] += a[0];
    }

    template <class T>
    STARFMM_HOST_DEVICE static void m2l(int, Frame<T>, const Z<T>* a, Frame<T>, Z<T>* b) {
        b[0] += a[0];
    }

    template <class T>
    STARFMM_HOST_DEVICE static void l2l(int, Frame<T>, const Z<T>* b, Frame<T>, Z<T>* out) {
        out[0] += b[0];
    }

    template <class T, class C>
    STARFMM_HOST_DEVICE static T l2p(int, Frame<T>, const Z<C>* b, Z<T>) {
        return T(b[0].re);
    }

    template <class T, class C>
    STARFMM_HOST_DEVICE static T m2p(int, Frame<T>, const Z<C>* a, Z<T>) {
        return T(a[0].re);
    }

    template <class T>
    STARFMM_HOST_DEVICE static T p2p(Z<T> target, Z<T> source, T q) {
        const T r2 = norm(source - target);
        return q * (r2 * starfmm::reciprocal_or_zero(r2)); // zero for a point on itself
    }
};

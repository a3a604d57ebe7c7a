// SPDX-License-Identifier: BSD-3-Clause
// The kernel G(y, x) = |y - x|^2 of space, with its gradient by y, has exact expansions. Frames and
// shifts enter every coefficient, so that a sum is right to rounding only if all of them are.
#pragma once

#include "core/expansions/expansion.hpp"
#include "core/laws/scaling_law.hpp"

#include <string_view>

/// The kernel's expansions. The multipole of sources x with t = (x - c) / R is sum q, sum q t, sum
/// q |t|^2. The local expansion with u = (y - c) / R is b_0 + b_1 . u + b_2 |u|^2. Both have five
/// reals: b_0, the vector b_1, b_2.
template <class R>
struct SquareDistance {
    using Real = R;
    static constexpr int dimension = 3;
    static constexpr int most_coefficients = 5;
    static constexpr int parity = 1;
    static constexpr starfmm::ScalingLaw scaling = starfmm::ScalingLaw::homogeneous(2);
    template <class T>
    using Strength = T;
    template <class T>
    using Value = starfmm::WithGradient<T, 3>;
    template <class T>
    using Coefficient = T;
    template <class T>
    using Box = starfmm::Frame<T, 3>;
    template <class T>
    using Vector = starfmm::Vector3<T>;
    static constexpr std::string_view name = "square_distance";

    static int order(double /*tolerance*/, double /*theta*/) { return 2; }

    STARFMM_HOST_DEVICE static int n_coefficients(int /*order*/) { return most_coefficients; }

    template <class T>
    STARFMM_HOST_DEVICE static void p2m(int /*p*/, Box<T> box, Vector<T> source, T q, T* a) {
        const Vector<T> t = (T(1) / box.radius) * (source - box.centre);
        add(q, q * t, q * starfmm::square(t), a);
    }

    template <class T>
    STARFMM_HOST_DEVICE static void p2l(int /*p*/, Box<T> box, Vector<T> source, T q, T* b) {
        const Vector<T> e = source - box.centre;
        const T r = box.radius;
        add(q * starfmm::square(e), (T(-2) * q * r) * e, q * r * r, b);
    }

    template <class T>
    STARFMM_HOST_DEVICE static void
    m2m(int /*p*/, Box<T> child, const T* a, Box<T> parent, T* out) {
        const T ratio = child.radius / parent.radius;
        const Vector<T> shift = (T(1) / parent.radius) * (child.centre - parent.centre);
        const Vector<T> a1 = ratio * vector(a);
        add(a[0],
            a1 + a[0] * shift,
            ratio * ratio * a[4] + T(2) * dot(shift, a1) + a[0] * starfmm::square(shift),
            out);
    }

    template <class T>
    STARFMM_HOST_DEVICE static void m2l(int /*p*/, Box<T> source, const T* a, Box<T> target, T* b) {
        const Vector<T> d = target.centre - source.centre;
        const T r = target.radius;
        const Vector<T> a1 = source.radius * vector(a);
        add(a[0] * starfmm::square(d) - T(2) * dot(d, a1) + source.radius * source.radius * a[4],
            (T(2) * r) * (a[0] * d - a1),
            a[0] * r * r,
            b);
    }

    template <class T>
    STARFMM_HOST_DEVICE static void
    l2l(int /*p*/, Box<T> parent, const T* b, Box<T> child, T* out) {
        const T ratio = child.radius / parent.radius;
        const Vector<T> shift = (T(1) / parent.radius) * (child.centre - parent.centre);
        const Vector<T> b1 = vector(b);
        add(b[0] + dot(b1, shift) + b[4] * starfmm::square(shift),
            ratio * (b1 + (T(2) * b[4]) * shift),
            ratio * ratio * b[4],
            out);
    }

    template <class T, class C>
    STARFMM_HOST_DEVICE static Value<T> l2p(int /*p*/, Box<T> box, const C* b, Vector<T> target) {
        const T inverse = T(1) / box.radius;
        const Vector<T> u = inverse * (target - box.centre);
        const Vector<T> b1{T(b[1]), T(b[2]), T(b[3])};
        return {
            T(b[0]) + dot(b1, u) + T(b[4]) * starfmm::square(u),
            inverse * (b1 + (T(2) * T(b[4])) * u)};
    }

    template <class T, class C>
    STARFMM_HOST_DEVICE static Value<T> m2p(int /*p*/, Box<T> box, const C* a, Vector<T> target) {
        const Vector<T> s = target - box.centre;
        const Vector<T> a1 = box.radius * Vector<T>{T(a[1]), T(a[2]), T(a[3])};
        return {
            T(a[0]) * starfmm::square(s) - T(2) * dot(s, a1) + box.radius * box.radius * T(a[4]),
            T(2) * (T(a[0]) * s - a1)};
    }

    template <class T>
    STARFMM_HOST_DEVICE static Value<T> pair(const Vector<T>& d) {
        return {starfmm::square(d), T(-2) * d};
    }

    template <class T>
    STARFMM_HOST_DEVICE static Value<T> p2p(Vector<T> target, Vector<T> source, T q) {
        return starfmm::times(q, pair(source - target));
    }

private:
    template <class T>
    STARFMM_HOST_DEVICE static void add(T zeroth, const Vector<T>& first, T second, T* out) {
        out[0] = out[0] + zeroth;
        out[1] = out[1] + first.x;
        out[2] = out[2] + first.y;
        out[3] = out[3] + first.z;
        out[4] = out[4] + second;
    }

    template <class T>
    STARFMM_HOST_DEVICE static Vector<T> vector(const T* coefficients) {
        return {coefficients[1], coefficients[2], coefficients[3]};
    }

    template <class T>
    STARFMM_HOST_DEVICE static T dot(const Vector<T>& a, const Vector<T>& b) {
        return a.x * b.x + a.y * b.y + a.z * b.z;
    }
};

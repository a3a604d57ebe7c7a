// SPDX-License-Identifier: BSD-3-Clause
// The counting kernel gives every pair, also a point with itself, the value of its source's
// strength. Whatever way a sum takes through the tree, it must meet every source exactly once.
#pragma once

#include "core/expansions/expansion.hpp"

#include <string_view>
#include <type_traits>

/// The counting kernel of a dimension: with complex coefficients in the plane, with real ones in
/// space.
template <int D>
struct CountingIn {
    using Real = double;
    static constexpr int dimension = D;
    template <class T>
    using Strength = T;
    template <class T>
    using Value = T;
    template <class T>
    using Coefficient = std::conditional_t<D == 2, starfmm::Complex<T>, T>;
    template <class T>
    using Box = starfmm::Frame<T, D>;
    template <class T>
    using Point = starfmm::Position<D, T>;
    static constexpr std::string_view name = D == 2 ? "counting" : "counting3";

    static int order(double /*tolerance*/, double /*theta*/) { return 1; }

    STARFMM_HOST_DEVICE static int n_coefficients(int /*order*/) { return 1; }

    template <class T>
    STARFMM_HOST_DEVICE static void
    p2m(int /*p*/, Box<T> /*box*/, Point<T> /*source*/, T q, Coefficient<T>* a) {
        count(a[0]) = count(a[0]) + q;
    }

    template <class T>
    STARFMM_HOST_DEVICE static void
    p2l(int /*p*/, Box<T> /*box*/, Point<T> /*source*/, T q, Coefficient<T>* b) {
        count(b[0]) = count(b[0]) + q;
    }

    template <class T>
    STARFMM_HOST_DEVICE static void
    m2m(int /*p*/, Box<T> /*child*/, const Coefficient<T>* a, Box<T> /*parent*/, Coefficient<T>* out
    ) {
        out[0] += a[0];
    }

    template <class T>
    STARFMM_HOST_DEVICE static void
    m2l(int /*p*/, Box<T> /*source*/, const Coefficient<T>* a, Box<T> /*target*/, Coefficient<T>* b
    ) {
        b[0] += a[0];
    }

    template <class T>
    STARFMM_HOST_DEVICE static void
    l2l(int /*p*/, Box<T> /*parent*/, const Coefficient<T>* b, Box<T> /*child*/, Coefficient<T>* out
    ) {
        out[0] += b[0];
    }

    template <class T, class C>
    STARFMM_HOST_DEVICE static T l2p(int /*p*/, Box<T> /*box*/, const C* b, Point<T> /*target*/) {
        return T(count(b[0]));
    }

    template <class T, class C>
    STARFMM_HOST_DEVICE static T m2p(int /*p*/, Box<T> /*box*/, const C* a, Point<T> /*target*/) {
        return T(count(a[0]));
    }

    template <class T>
    STARFMM_HOST_DEVICE static T p2p(Point<T> /*target*/, Point<T> /*source*/, T q) {
        return q;
    }

private:
    /// Returns the part of a coefficient that keeps its count.
    template <class C>
    STARFMM_HOST_DEVICE static auto& count(C& coefficient) {
        if constexpr (D == 2) {
            return coefficient.re;
        } else {
            return coefficient;
        }
    }
};

using Counting = CountingIn<2>;
using Counting3 = CountingIn<3>;

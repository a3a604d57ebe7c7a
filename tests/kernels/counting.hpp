// SPDX-License-Identifier: BSD-3-Clause
// A kernel that counts: every pair has the value of its source's strength, also a point with
// itself. Whatever way a sum takes through the tree, it must meet every source exactly once.
#pragma once

#include "core/expansions/expansion.hpp"

#include <string_view>

struct Counting {
    using Real = double;
    template <class T>
    using Strength = T;
    template <class T>
    using Value = T;
    template <class T>
    using Box = starfmm::Frame<T>;
    template <class T>
    using Number = starfmm::Complex<T>;
    static constexpr std::string_view name = "counting";

    static int order(double /*tolerance*/, double /*theta*/) { return 1; }

    STARFMM_HOST_DEVICE static int n_coefficients(int /*order*/) { return 1; }

    template <class T>
    STARFMM_HOST_DEVICE static void
    p2m(int /*p*/, Box<T> /*box*/, Number<T> /*source*/, T q, Number<T>* a) {
        a[0].re = a[0].re + q;
    }

    template <class T>
    STARFMM_HOST_DEVICE static void
    p2l(int /*p*/, Box<T> /*box*/, Number<T> /*source*/, T q, Number<T>* b) {
        b[0].re = b[0].re + q;
    }

    template <class T>
    STARFMM_HOST_DEVICE static void
    m2m(int /*p*/, Box<T> /*child*/, const Number<T>* a, Box<T> /*parent*/, Number<T>* out) {
        out[0] += a[0];
    }

    template <class T>
    STARFMM_HOST_DEVICE static void
    m2l(int /*p*/, Box<T> /*source*/, const Number<T>* a, Box<T> /*target*/, Number<T>* b) {
        b[0] += a[0];
    }

    template <class T>
    STARFMM_HOST_DEVICE static void
    l2l(int /*p*/, Box<T> /*parent*/, const Number<T>* b, Box<T> /*child*/, Number<T>* out) {
        out[0] += b[0];
    }

    template <class T, class C>
    STARFMM_HOST_DEVICE static T
    l2p(int /*p*/, Box<T> /*box*/, const Number<C>* b, Number<T> /*target*/) {
        return T(b[0].re);
    }

    template <class T, class C>
    STARFMM_HOST_DEVICE static T
    m2p(int /*p*/, Box<T> /*box*/, const Number<C>* a, Number<T> /*target*/) {
        return T(a[0].re);
    }

    template <class T>
    STARFMM_HOST_DEVICE static T p2p(Number<T> /*target*/, Number<T> /*source*/, T q) {
        return q;
    }
};

// SPDX-License-Identifier: BSD-3-Clause
// All derivatives of the softened potential G(d) = 1 / sqrt(|d|^2 + epsilon^2) [MTM13 Eq 1].
#pragma once

#include "core/arithmetic.hpp"
#include "core/expansions/cartesian_index.hpp"
#include "core/position.hpp"

namespace starfmm {

/// Derivatives of G at one place d, in units of s = sqrt(|d|^2 + epsilon^2): that of powers n is
/// s^-(|n|+1) times the n-th.
///
/// With G_m = ((1/r) d/dr)^m G = (-1)^m (2m-1)!! / s^(2m+1), a derivative of G_m by one more
/// coordinate is d^(n+e) G_m = d_e d^n G_(m+1) + n_e d^(n-e) G_(m+1), for any potential that
/// depends on the distance alone. All G_m are begun in one array, the highest m first, in which
/// those of m + 1 serve as long as those of m do not need the place. Inlined as CartesianPower is.
template <class Real>
struct PlummerDerivatives {
    /// \param d in units of s: |d| <= 1
    /// \param out [n_cartesian(order)]
    template <int known, class T>
    [[gnu::always_inline]] STARFMM_HOST_DEVICE static void
    fill(CartesianOrder<known> order, const Vector3<T>& d, T* out) {
        fill(order, d, Unscaled{}, out);
    }

    /// Fills `out` with the derivatives times first length^|n|, for `d` in units of s over
    /// `length`.
    template <int known, class T>
    [[gnu::always_inline]] STARFMM_HOST_DEVICE static void fill_scaled(
        CartesianOrder<known> order, const Vector3<T>& d, const T& first, const T& length, T* out
    ) {
        fill(order, length * d, Scaled<T>{first, length * length}, out);
    }

private:
    /// What a recursion's numbers are multiplied by: its first ones, and those of two degrees less.
    struct Unscaled {
        [[gnu::always_inline]] STARFMM_HOST_DEVICE static constexpr Real first(Real radial) {
            return radial;
        }

        [[gnu::always_inline]] STARFMM_HOST_DEVICE static constexpr Real twice(Real power) {
            return power;
        }
    };

    template <class T>
    struct Scaled {
        T by;
        T square;

        [[gnu::always_inline]] STARFMM_HOST_DEVICE T first(Real radial) const {
            return radial * by;
        }

        [[gnu::always_inline]] STARFMM_HOST_DEVICE T twice(Real power) const {
            return power * square;
        }
    };

    template <int known, class T, class Scale>
    [[gnu::always_inline]] STARFMM_HOST_DEVICE static void
    fill(CartesianOrder<known> order, const Vector3<T>& d, const Scale& scale, T* out) {
        out[0] = T(scale.first(radial(order())));
        visit_orders(
            order,
            [&](auto degrees) __attribute__((always_inline)) {
                visit_powers_down(
                    degrees,
                    [&](const CartesianPower& n)
                        __attribute__((always_inline)) { raise(n, d, scale, out); }
                );
                out[0] = T(scale.first(radial(order() - degrees())));
            }
        );
    }

    /// G_m at s = 1.
    STARFMM_HOST_DEVICE static constexpr Real radial(int m) {
        Real g(1);
        for (int k = 1; k <= m; ++k) {
            g *= static_cast<Real>(1 - 2 * k);
        }
        return g;
    }

    /// Adds one coordinate to a derivative, that of the least power: most often its first.
    template <class T, class Scale>
    [[gnu::always_inline]] STARFMM_HOST_DEVICE static void
    raise(const CartesianPower& n, const Vector3<T>& d, const Scale& scale, T* out) {
        const auto less = [&](int power, int other, int another) __attribute__((always_inline)) {
            return power > 0 && (other == 0 || power <= other) &&
                   (another == 0 || power <= another);
        };
        T& derivative = out[n.index()];
        if (less(n.i, n.j, n.k)) {
            derivative = d.x * out[CartesianPower{n.i - 1, n.j, n.k}.index()];
            add_twice_lower(n.i, CartesianPower{n.i - 2, n.j, n.k}, scale, out, derivative);
        } else if (less(n.j, n.i, n.k)) {
            derivative = d.y * out[CartesianPower{n.i, n.j - 1, n.k}.index()];
            add_twice_lower(n.j, CartesianPower{n.i, n.j - 2, n.k}, scale, out, derivative);
        } else {
            derivative = d.z * out[CartesianPower{n.i, n.j, n.k - 1}.index()];
            add_twice_lower(n.k, CartesianPower{n.i, n.j, n.k - 2}, scale, out, derivative);
        }
    }

    template <class T, class Scale>
    [[gnu::always_inline]] STARFMM_HOST_DEVICE static void add_twice_lower(
        int power, const CartesianPower& lower, const Scale& scale, const T* out, T& derivative
    ) {
        if (power > 1) {
            derivative = Arithmetic<T>::multiply_add(
                T(scale.twice(static_cast<Real>(power - 1))), out[lower.index()], derivative
            );
        }
    }
};

} // namespace starfmm

// SPDX-License-Identifier: BSD-3-Clause
// Cartesian Taylor expansions of softened gravity in space [FT19 Sec 2.3]: their coefficients are
// sums over powers of x, y and z, since softened potentials are not harmonic.
//
// With v^n = x^i y^j z^k and n! = i! j! k!, a multipole is a_n = sum q u^n / n!, and a local
// expansion is b_n with sum b_n u^n / n!, u = (point - centre) / radius of the box.
#pragma once

#include "core/expansions/cartesian_index.hpp"
#include "core/expansions/expansion.hpp"

namespace starfmm {

/// Translations of monomials and sums over them: the part of the expansions that does not depend on
/// the law. An expansion of order p has degrees up to p, and a pair of boxes takes degrees that add
/// up to p: the terms left out fall like (R_s + R_t)^(p+1) / d^(p+1) in potentials, and like the
/// exponent p in accelerations.
template <class R>
struct CartesianTaylor3D {
    using Real = R;
    static constexpr int dimension = 3;
    static constexpr int largest_order = largest_cartesian_order;
    static constexpr int most_coefficients = n_cartesian(largest_cartesian_order);
    template <class T>
    using Coefficient = T;

    STARFMM_HOST_DEVICE static int n_coefficients(int order) { return n_cartesian(order); }

    /// The number of pairs that take as long as one coefficient of M2P does on GPUs; on a core half
    /// a pair.
    static constexpr int pairs_a_coefficient = 3;

    /// Adds a source of strength `q`.
    /// \param a [n_coefficients(p)]
    template <class T>
    STARFMM_HOST_DEVICE static void
    p2m(int p, const Frame<T, 3>& box, const Vector3<T>& source, const T& q, T* a) {
        with_cartesian_order(
            p, [&](auto order) __attribute__((always_inline)) { p2m(order, box, source, q, a); }
        );
    }

    template <int known, class T>
    [[gnu::always_inline]] STARFMM_HOST_DEVICE static void
    p2m(CartesianOrder<known> order,
        const Frame<T, 3>& box,
        const Vector3<T>& source,
        const T& q,
        T* a) {
        const Powers<T> u(order, (T(1) / box.radius) * (source - box.centre));
        visit_powers(
            order,
            [&](const CartesianPower& n) __attribute__((always_inline)) {
                const int index = n.index();
                a[index] = Arithmetic<T>::multiply_add(q, u(n), a[index]);
            }
        );
    }

    /// Adds a child's multipole exactly, by (w + h u)^n of the parent's u. Neither M2M nor L2L is
    /// unrolled, since there is one of them a box.
    template <class T>
    STARFMM_HOST_DEVICE static void
    m2m(int p, const Frame<T, 3>& child, const T* a, const Frame<T, 3>& parent, T* out) {
        m2m(CartesianOrder<0>{p}, child, a, parent, out);
    }

    template <int known, class T>
    [[gnu::always_inline]] STARFMM_HOST_DEVICE static void
    m2m(CartesianOrder<known> order,
        const Frame<T, 3>& child,
        const T* a,
        const Frame<T, 3>& parent,
        T* out) {
        T shift[most_coefficients];
        T scaled[most_coefficients];
        const T inverse = T(1) / parent.radius;
        fill_powers(order, inverse * (child.centre - parent.centre), shift);
        scale_degrees(order, T(1), inverse * child.radius, a, scaled);
        visit_pairs(
            order,
            [&](int n, int k, int sum) __attribute__((always_inline)) {
                out[sum] = Arithmetic<T>::multiply_add(scaled[n], shift[k], out[sum]);
            }
        );
    }

    /// Adds a parent's local expansion exactly.
    template <class T>
    STARFMM_HOST_DEVICE static void
    l2l(int p, const Frame<T, 3>& parent, const T* b, const Frame<T, 3>& child, T* out) {
        l2l(CartesianOrder<0>{p}, parent, b, child, out);
    }

    template <int known, class T>
    [[gnu::always_inline]] STARFMM_HOST_DEVICE static void
    l2l(CartesianOrder<known> order,
        const Frame<T, 3>& parent,
        const T* b,
        const Frame<T, 3>& child,
        T* out) {
        T shift[most_coefficients];
        const T inverse = T(1) / parent.radius;
        fill_powers(order, inverse * (child.centre - parent.centre), shift);
        add_products(order, shift, b, T(1), inverse * child.radius, out);
    }

    /// Returns the potential and the gradient of a local expansion.
    /// \param b [n_coefficients(p)]
    template <class T, class C>
    STARFMM_HOST_DEVICE static WithGradient<T, 3>
    l2p(int p, const Frame<T, 3>& box, const C* b, const Vector3<T>& target) {
        WithGradient<T, 3> value{T(0), {T(0), T(0), T(0)}};
        with_cartesian_order(
            p,
            [&](auto order) __attribute__((always_inline)) { value = l2p(order, box, b, target); }
        );
        return value;
    }

    template <int known, class T, class C>
    [[gnu::always_inline]] STARFMM_HOST_DEVICE static WithGradient<T, 3>
    l2p(CartesianOrder<known> order, const Frame<T, 3>& box, const C* b, const Vector3<T>& target) {
        const T inverse = T(1) / box.radius;
        const Powers<T> u(order, inverse * (target - box.centre));
        const WithGradient<T, 3> value =
            sum_with_gradient(order, b, [&](const CartesianPower& n) { return u(n); });
        return {value.potential, inverse * value.gradient};
    }

protected:
    /// The powers of a point's coordinates over the factorials of their exponents, axis by axis.
    template <class T>
    class Powers {
    public:
        template <int known>
        [[gnu::always_inline]] STARFMM_HOST_DEVICE
        Powers(CartesianOrder<known> order, const Vector3<T>& v) {
            x_[0] = y_[0] = z_[0] = T(1);
            for (int n = 1; n <= order(); ++n) {
                const T inverse(Real(1) / static_cast<Real>(n));
                x_[n] = x_[n - 1] * (inverse * v.x);
                y_[n] = y_[n - 1] * (inverse * v.y);
                z_[n] = z_[n - 1] * (inverse * v.z);
            }
        }

        [[gnu::always_inline]] STARFMM_HOST_DEVICE T operator()(const CartesianPower& n) const {
            return x_[n.i] * (y_[n.j] * z_[n.k]);
        }

    private:
        T x_[largest_cartesian_order + 1];
        T y_[largest_cartesian_order + 1];
        T z_[largest_cartesian_order + 1];
    };

    /// Sets out_n = v^n / n!.
    template <int known, class T>
    [[gnu::always_inline]] STARFMM_HOST_DEVICE static void
    fill_powers(CartesianOrder<known> order, const Vector3<T>& v, T* out) {
        const Powers<T> powers(order, v);
        visit_powers(
            order,
            [&](const CartesianPower& n)
                __attribute__((always_inline)) { out[n.index()] = powers(n); }
        );
    }

    /// Sets out_n = first ratio^|n| a_n.
    template <int known, class T, class C>
    [[gnu::always_inline]] STARFMM_HOST_DEVICE static void
    scale_degrees(CartesianOrder<known> order, const T& first, const T& ratio, const C* a, T* out) {
        T factor[largest_cartesian_order + 1];
        fill_factors(order, first, ratio, factor);
        visit_powers(
            order,
            [&](const CartesianPower& n) __attribute__((always_inline)) {
                out[n.index()] = factor[n.degree()] * T(a[n.index()]);
            }
        );
    }

    /// Adds first ratio^|n| sum_k a_k b_(n+k) to out_n.
    template <int known, class T, class C>
    [[gnu::always_inline]] STARFMM_HOST_DEVICE static void add_products(
        CartesianOrder<known> order, const T* a, const C* b, const T& first, const T& ratio, T* out
    ) {
        T sum[most_coefficients];
        T factor[largest_cartesian_order + 1];
        fill_factors(order, first, ratio, factor);
        visit_powers(
            order,
            [&](const CartesianPower& n) __attribute__((always_inline)) { sum[n.index()] = T(0); }
        );
        visit_pairs(
            order,
            [&](int n, int k, int both) __attribute__((always_inline)) {
                sum[n] = Arithmetic<T>::multiply_add(a[k], T(b[both]), sum[n]);
            }
        );
        visit_powers(
            order,
            [&](const CartesianPower& n) __attribute__((always_inline)) {
                const int index = n.index();
                out[index] =
                    Arithmetic<T>::multiply_add(factor[n.degree()], sum[index], out[index]);
            }
        );
    }

    /// Returns sum a_n f(n), and for each direction e sum a_(n+e) f(n), whose degrees end one
    /// earlier.
    template <int known, class C, class Of>
    [[gnu::always_inline]] STARFMM_HOST_DEVICE static auto
    sum_with_gradient(CartesianOrder<known> order, const C* a, const Of& f) {
        using T = decltype(f(CartesianPower{}));
        WithGradient<T, 3> sum{T(0), {T(0), T(0), T(0)}};
        const auto add = [&](int index, const T& factor, T& part) __attribute__((always_inline)) {
            part = Arithmetic<T>::multiply_add(T(a[index]), factor, part);
        };
        visit_powers(
            order,
            [&](const CartesianPower& n) __attribute__((always_inline)) {
                const T factor = f(n);
                add(n.index(), factor, sum.potential);
                if (n.degree() < order()) {
                    add(CartesianPower{n.i + 1, n.j, n.k}.index(), factor, sum.gradient.x);
                    add(CartesianPower{n.i, n.j + 1, n.k}.index(), factor, sum.gradient.y);
                    add(CartesianPower{n.i, n.j, n.k + 1}.index(), factor, sum.gradient.z);
                }
            }
        );
        return sum;
    }

    /// Sets out_n = first ratio^n for n <= order.
    template <int known, class T>
    [[gnu::always_inline]] STARFMM_HOST_DEVICE static void fill_factors(
        CartesianOrder<known> order,
        const T& first,
        const T& ratio,
        T (&factor)[largest_cartesian_order + 1]
    ) {
        factor[0] = first;
        for (int n = 1; n <= order(); ++n) {
            factor[n] = factor[n - 1] * ratio;
        }
    }
};

} // namespace starfmm

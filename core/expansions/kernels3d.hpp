// SPDX-License-Identifier: BSD-3-Clause
// The shipped kernels of space over real solid harmonics.
#pragma once

#include "core/expansions/solid_harmonics3d.hpp"
#include "core/laws/newton_pair.hpp"
#include "core/laws/scaling_law.hpp"

#include <string_view>

namespace starfmm {

/// The kernel of Phi(y) = sum_j q_j / |y - x_j| [GD08 Eq 1].
template <class R>
struct Laplace : SolidHarmonics3D<R> {
    using Base = SolidHarmonics3D<R>;
    template <class T>
    using Strength = T;
    template <class T>
    using Value = T;
    static constexpr std::string_view name = "laplace";
    static constexpr ScalingLaw scaling = ScalingLaw::homogeneous(-1);

    static int order_of_cells(double tolerance, double theta) {
        return solid_order(tolerance, theta);
    }

    static int order_of_all_terms(double tolerance) { return solid_neighbours_order(tolerance); }

    template <class T, class C>
    STARFMM_HOST_DEVICE static T
    l2p(int p, const Frame<T, 3>& box, const C* b, const Vector3<T>& target) {
        return Base::evaluate_local(p, box, b, target);
    }

    template <class T, class C>
    STARFMM_HOST_DEVICE static T
    m2p(int p, const Frame<T, 3>& box, const C* a, const Vector3<T>& target) {
        return Base::evaluate_multipole(p, box, a, target);
    }

    /// Returns 1 / |d|.
    template <class T>
    STARFMM_HOST_DEVICE static T pair(const Vector3<T>& d) {
        return Arithmetic<T>::reciprocal_sqrt_or_zero(square(d));
    }

    static constexpr int parity = 1;

    template <class T>
    STARFMM_HOST_DEVICE static T
    p2p(const Vector3<T>& target, const Vector3<T>& source, const T& q) {
        return q * pair(source - target);
    }

    /// Returns p2p() of points that do not coincide.
    template <class T>
    STARFMM_HOST_DEVICE static T
    p2p_apart(const Vector3<T>& target, const Vector3<T>& source, const T& q) {
        return q * Arithmetic<T>::reciprocal_sqrt(square(source - target));
    }
};

/// The potential of Laplace with its gradient at the target.
template <class R>
struct LaplaceGradient : Laplace<R> {
    using Base = SolidHarmonics3D<R>;
    template <class T>
    using Value = WithGradient<T, 3>;
    static constexpr std::string_view name = "laplace_gradient";

    template <class T, class C>
    STARFMM_HOST_DEVICE static WithGradient<T, 3>
    l2p(int p, const Frame<T, 3>& box, const C* b, const Vector3<T>& target) {
        return Base::differentiate_local(p, box, b, target);
    }

    /// Evaluates a local expansion by what derive_local made of its coefficients.
    template <class T, class C>
    STARFMM_HOST_DEVICE static WithGradient<T, 3>
    l2p_derived(int p, const Frame<T, 3>& box, const C* derived, const Vector3<T>& target) {
        return Base::differentiate_derived(p, box, derived, target);
    }

    template <class T, class C>
    STARFMM_HOST_DEVICE static WithGradient<T, 3>
    m2p(int p, const Frame<T, 3>& box, const C* a, const Vector3<T>& target) {
        return Base::differentiate_multipole(p, box, a, target);
    }

    /// Returns 1 / |d| and its gradient by the target, d / |d|^3 with d = source - target.
    template <class T>
    STARFMM_HOST_DEVICE static WithGradient<T, 3> pair(const Vector3<T>& d) {
        return newton_close_pair<R>(d, Laplace<R>::pair(d), T(1));
    }

    template <class T>
    STARFMM_HOST_DEVICE static WithGradient<T, 3>
    p2p(const Vector3<T>& target, const Vector3<T>& source, const T& q) {
        const Vector3<T> d = source - target;
        return newton_close_pair<R>(d, Laplace<R>::pair(d), q);
    }

    /// The same as p2p, but for points at distances of at least mixed_shortest
    /// (core/laws/mixed_pairs.hpp) only.
    template <class T>
    STARFMM_HOST_DEVICE static WithGradient<T, 3>
    p2p_apart(const Vector3<T>& target, const Vector3<T>& source, const T& q) {
        const Vector3<T> d = source - target;
        return newton_pair(d, Arithmetic<T>::reciprocal_sqrt(square(d)), q);
    }
};

/// The kernel in double precision, but that pairs are formed (core/laws/mixed_pairs.hpp) and local
/// expansions evaluated in single: sums over pairs have errors of about 1e-7 of the sums of their
/// magnitudes, as have those over terms.
struct MixedLaplace : Laplace<double> {
    using PairReal = float;
    using AtTargets = Laplace<float>;
    static constexpr std::string_view name = "laplace_mixed";
};

struct MixedLaplaceGradient : LaplaceGradient<double> {
    using PairReal = float;
    using AtTargets = LaplaceGradient<float>;
    static constexpr std::string_view name = "laplace_gradient_mixed";
};

} // namespace starfmm

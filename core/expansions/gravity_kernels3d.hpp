// SPDX-License-Identifier: BSD-3-Clause
// Softened gravity over Cartesian Taylor expansions: softened by Plummer's law or by a spline.
#pragma once

#include "core/expansions/cartesian_order.hpp"
#include "core/expansions/cartesian_taylor3d.hpp"
#include "core/laws/gravity.hpp"
#include "core/laws/newton_pair.hpp"
#include "core/laws/plummer.hpp"
#include "core/laws/scaling_law.hpp"
#include "core/laws/spline.hpp"

#include <cmath>
#include <string_view>
#include <utility>

namespace starfmm {

/// The smallest squared epsilon that is not taken for zero: what a body does to itself, over the
/// cube of epsilon, stays in range (2^114 for a strength of 1; 2^810 in double precision).
template <class Real>
inline constexpr double least_epsilon_square = sizeof(Real) == sizeof(float) ? 0x1p-76 : 0x1p-540;

/// Expansions of 1 / sqrt(|d|^2 + epsilon^2), for all kernels whose far field is that.
/// \tparam P type of epsilon squared: other than R where operators are written down (Traced)
template <class R, class P = R>
struct SoftenedTaylor3D : CartesianTaylor3D<R> {
    using Base = CartesianTaylor3D<R>;
    using Translations = SoftenedTaylor3D; ///< translations of kernels that replace none
    template <class T>
    using Strength = T;
    template <class T>
    using Value = WithGradient<T, 3>;

    /// Potentials scale with the unit of all lengths, of which epsilon is one.
    static constexpr ScalingLaw scaling = ScalingLaw::homogeneous(-1);

    SoftenedTaylor3D() = default;

    STARFMM_HOST_DEVICE explicit SoftenedTaylor3D(const KernelParameters& parameters)
        : epsilon_square_(
              parameters.epsilon_square < least_epsilon_square<R>
                  ? R(0)
                  : static_cast<R>(parameters.epsilon_square)
          ) {}

    STARFMM_HOST_DEVICE explicit SoftenedTaylor3D(P epsilon_square)
        : epsilon_square_(std::move(epsilon_square)) {}

    STARFMM_HOST_DEVICE static SoftenedTaylor3D of(const KernelParameters& parameters) {
        return SoftenedTaylor3D(parameters);
    }

    /// The only number of KernelParameters that operators take.
    [[nodiscard]] STARFMM_HOST_DEVICE const P& parameter() const { return epsilon_square_; }

    /// The order that meets a tolerance as the median relative error of accelerations.
    static int order_of_cells(double tolerance, double theta) {
        return cartesian_order({tolerance, 1}, theta);
    }

    /// Adds the multipole of a box at some distance to a local expansion.
    template <class T>
    STARFMM_HOST_DEVICE void
    m2l(int p, const Frame<T, 3>& source, const T* a, const Frame<T, 3>& target, T* b) const {
        with_cartesian_order(
            p, [&](auto order) __attribute__((always_inline)) { m2l(order, source, a, target, b); }
        );
    }

    template <int known, class T>
    [[gnu::always_inline]] STARFMM_HOST_DEVICE void
    m2l(CartesianOrder<known> order,
        const Frame<T, 3>& source,
        const T* a,
        const Frame<T, 3>& target,
        T* b) const {
        T derivatives[Base::most_coefficients];
        T multipole[Base::most_coefficients];
        const T inverse = fill(order, target.centre - source.centre, derivatives);
        Base::scale_degrees(order, T(1), -(inverse * source.radius), a, multipole);
        Base::add_products(order, multipole, derivatives, inverse, inverse * target.radius, b);
    }

    /// The largest ratio of a source box's radius to a target's for m2l_of_like_size(), at which
    /// the powers of that ratio stay in range.
    static constexpr R most_like_size = sizeof(R) == sizeof(float) ? R(0x1p12) : R(0x1p60);

    /// Does what m2l() does with fewer numbers at once: each coefficient of the source is used up
    /// before the next, and no sums are kept beside the target's coefficients, in whose unit
    /// derivatives are.
    template <int known, class T>
    [[gnu::always_inline]] STARFMM_HOST_DEVICE void m2l_of_like_size(
        CartesianOrder<known> order,
        const Frame<T, 3>& source,
        const T* a,
        const Frame<T, 3>& target,
        T* b
    ) const {
        T derivatives[Base::most_coefficients];
        T ratio[largest_cartesian_order + 1];
        const Vector3<T> d = target.centre - source.centre;
        const T inverse = Arithmetic<T>::reciprocal_sqrt(softened_square(d));
        PlummerDerivatives<R>::fill_scaled(
            order, inverse * d, inverse, inverse * target.radius, derivatives
        );
        Base::fill_factors(order, T(1), -(source.radius / target.radius), ratio);
        visit_pairs(
            order,
            [&](int k, int n, int both) __attribute__((always_inline)) {
                const T coefficient = ratio[cartesian_degree(k)] * a[k];
                b[n] = Arithmetic<T>::multiply_add(coefficient, derivatives[both], b[n]);
            }
        );
    }

    /// Adds a source to a local expansion.
    template <class T>
    STARFMM_HOST_DEVICE void
    p2l(int p, const Frame<T, 3>& box, const Vector3<T>& source, const T& q, T* b) const {
        with_cartesian_order(
            p,
            [&](auto order) __attribute__((always_inline)) {
                T derivatives[Base::most_coefficients];
                T scaled[Base::most_coefficients];
                const T inverse = fill(order, box.centre - source, derivatives);
                Base::scale_degrees(order, q * inverse, inverse * box.radius, derivatives, scaled);
                visit_powers(
                    order,
                    [&](const CartesianPower& n) __attribute__((always_inline)) {
                        b[n.index()] = b[n.index()] + scaled[n.index()];
                    }
                );
            }
        );
    }

    /// Returns the value of a multipole at a target. As in local expansions, the coefficients of
    /// degree p have no part in the gradient.
    template <class T, class C>
    STARFMM_HOST_DEVICE WithGradient<T, 3>
    m2p(int p, const Frame<T, 3>& box, const C* a, const Vector3<T>& target) const {
        WithGradient<T, 3> value{T(0), {T(0), T(0), T(0)}};
        with_cartesian_order(
            p,
            [&](auto order) __attribute__((always_inline)) {
                T derivatives[Base::most_coefficients];
                T multipole[Base::most_coefficients];
                const T inverse = fill(order, target - box.centre, derivatives);
                Base::scale_degrees(order, inverse, -(inverse * box.radius), a, multipole);
                value = Base::sum_with_gradient(order, derivatives, [&](const CartesianPower& n) {
                    return multipole[n.index()];
                });
                value.gradient = inverse * value.gradient;
            }
        );
        return value;
    }

protected:
    template <class T>
    STARFMM_HOST_DEVICE T softened_square(const Vector3<T>& d) const {
        using A = Arithmetic<T>;
        const T z = A::multiply_add(d.z, d.z, T(epsilon_square_));
        return A::multiply_add(d.x, d.x, A::multiply_add(d.y, d.y, z));
    }

    P epsilon_square_ = 0;

private:
    /// Sets the derivatives at d in units of s. \returns 1 / s
    template <int known, class T>
    [[gnu::always_inline]] STARFMM_HOST_DEVICE T
    fill(CartesianOrder<known> order, const Vector3<T>& d, T* derivatives) const {
        T inverse = Arithmetic<T>::reciprocal_sqrt(softened_square(d));
        PlummerDerivatives<R>::fill(order, inverse * d, derivatives);
        return inverse;
    }
};

/// The kernel of Phi(y) = sum_j m_j / sqrt(|y - x_j|^2 + epsilon^2) and its gradient, which is the
/// acceleration towards the sources. With epsilon > 0 bodies at the same place have a potential,
/// 1 / epsilon for a mass of one; with 0 they do not act on each other. A body's pair with itself
/// is left out of sums by its number (acts_on_itself).
template <class R, class P = R>
struct SoftenedGravity : SoftenedTaylor3D<R, P> {
    using Packed = PackedBodies<R>;
    static constexpr std::string_view name = "softened_gravity";

    using SoftenedTaylor3D<R, P>::SoftenedTaylor3D;

    STARFMM_HOST_DEVICE static SoftenedGravity of(const KernelParameters& parameters) {
        return SoftenedGravity(parameters);
    }

    /// Returns m / s and m d / s^3 with d = source - target, s^2 = |d|^2 + epsilon^2 [MTM13 Eq 1].
    template <class T>
    STARFMM_HOST_DEVICE WithGradient<T, 3>
    p2p(const Vector3<T>& target, const Vector3<T>& source, const T& q) const {
        const Vector3<T> d = source - target;
        const T inverse = Arithmetic<T>::reciprocal_sqrt_or_zero(this->softened_square(d));
        return newton_close_pair<R>(d, inverse, q);
    }

    /// Returns p2p() of points that do not coincide, or of any with epsilon > 0.
    template <class T>
    STARFMM_HOST_DEVICE WithGradient<T, 3>
    p2p_apart(const Vector3<T>& target, const Vector3<T>& source, const T& q) const {
        return p2p_softened(source - target, q);
    }

    /// Returns p2p() of any points with epsilon > 0, from their difference.
    template <class T>
    STARFMM_HOST_DEVICE WithGradient<T, 3> p2p_softened(const Vector3<T>& d, const T& q) const {
        return newton_pair(d, Arithmetic<T>::reciprocal_sqrt(this->softened_square(d)), q);
    }

    /// Returns epsilon.
    [[nodiscard]] STARFMM_HOST_DEVICE double softening() const {
        return std::sqrt(static_cast<double>(this->epsilon_square_));
    }
};

/// The sums of SoftenedGravity with SplineSoftening's pairs, whose potential is as deep as
/// Plummer's with the same epsilon. Expansions are Newton's, so that boxes are far from each other
/// only where all their pairs are, too.
template <class R>
struct SplineGravity : SoftenedTaylor3D<R> {
    using Points = SoftenedGravity<R>;
    static constexpr std::string_view name = "spline_gravity";

    SplineGravity() = default;

    STARFMM_HOST_DEVICE explicit SplineGravity(R support) : spline_(support) {}

    static KernelParameters parameters(double epsilon) { return {0, spline_radius * epsilon}; }

    STARFMM_HOST_DEVICE static SplineGravity of(const KernelParameters& parameters) {
        const double epsilon = parameters.support / spline_radius;
        const bool is_tiny = epsilon * epsilon < least_epsilon_square<R>;
        return SplineGravity(is_tiny ? R(0) : static_cast<R>(parameters.support));
    }

    /// Returns what SplineSoftening returns for d = source - target.
    template <class T>
    STARFMM_HOST_DEVICE WithGradient<T, 3>
    p2p(const Vector3<T>& target, const Vector3<T>& source, const T& q) const {
        if (!(spline_.support() > 0)) {
            return Points().p2p(target, source, q);
        }
        const Vector3<T> d = source - target;
        const Attraction<T> sum = spline_.attract(this->softened_square(d), q);
        return {sum.potential, sum.factor * d};
    }

    /// Returns epsilon. A displacement changes forces by 0.49 / epsilon^3 of it at most, Plummer's
    /// by 1 / epsilon^3, at about the same largest forces.
    [[nodiscard]] STARFMM_HOST_DEVICE double softening() const {
        return static_cast<double>(spline_.support()) / spline_radius;
    }

    /// The radius of the balls beyond which pairs are Newton's.
    [[nodiscard]] STARFMM_HOST_DEVICE R support() const { return spline_.support(); }

private:
    SplineSoftening<R> spline_{0};
};

/// The strength of a body that has a length of its own.
template <class T>
struct MassAndLength {
    T mass;
    T length; ///< radius of the body's ball; 0: a point
};

template <class T>
inline constexpr int n_components_of<MassAndLength<T>> = 2;

template <class T, class Use>
STARFMM_HOST_DEVICE void visit_components(MassAndLength<T>& strength, const Use& use) {
    use(0, strength.mass);
    use(1, strength.length);
}

/// The sums of SplineGravity where each body has a radius of its own: a pair's is the larger one,
/// so that pairs stay symmetric and momentum is conserved. What acts on a target without a length
/// has the source's.
template <class R>
struct SplinesGravity : SoftenedTaylor3D<R> {
    using Base = SoftenedTaylor3D<R>;
    template <class T>
    using Strength = MassAndLength<T>;
    static constexpr std::string_view name = "splines_gravity";

    static KernelParameters parameters(double /*epsilon*/) { return {0, 0, true}; }

    STARFMM_HOST_DEVICE static SplinesGravity of(const KernelParameters& /*parameters*/) {
        return {};
    }

    template <class T>
    STARFMM_HOST_DEVICE WithGradient<T, 3>
    p2p(const Vector3<T>& target, const Vector3<T>& source, const MassAndLength<T>& q) const {
        return p2p(target, source, q, T(0));
    }

    /// Returns what SplineSoftening of the larger length returns for d = source - target. Most
    /// batches of pairs lie beyond it, and take no inverse of it.
    template <class T>
    STARFMM_HOST_DEVICE WithGradient<T, 3>
    p2p(const Vector3<T>& target,
        const Vector3<T>& source,
        const MassAndLength<T>& q,
        const T& length) const {
        using A = Arithmetic<T>;
        const Vector3<T> d = source - target;
        const T square = this->softened_square(d);
        const T longer = A::max(q.length, length);
        if (A::none_greater(longer * longer, square)) {
            return newton_close_pair<R>(d, A::reciprocal_sqrt_or_zero(square), q.mass);
        }
        const Attraction<T> sum = SplineSoftening<R, T>(longer).attract(square, q.mass);
        return {sum.potential, sum.factor * d};
    }

    template <class Order, class T>
    [[gnu::always_inline]] STARFMM_HOST_DEVICE static void
    p2m(Order order,
        const Frame<T, 3>& box,
        const Vector3<T>& source,
        const MassAndLength<T>& q,
        T* a) {
        Base::p2m(order, box, source, q.mass, a);
    }

    template <class T>
    STARFMM_HOST_DEVICE void
    p2l(int p, const Frame<T, 3>& box, const Vector3<T>& source, const MassAndLength<T>& q, T* b
    ) const {
        Base::p2l(p, box, source, q.mass, b);
    }
};

/// Softened gravity in double precision whose pairs are formed in single precision
/// (core/laws/mixed_pairs.hpp).
template <class R, class P = R>
struct MixedSoftenedGravity : SoftenedGravity<R, P> {
    using Points = SoftenedGravity<R, P>;
    using Packed = PackedSplitBodies;
    using PairReal = float;
    static constexpr std::string_view name = "softened_gravity_mixed";

    using SoftenedGravity<R, P>::SoftenedGravity;

    STARFMM_HOST_DEVICE static MixedSoftenedGravity of(const KernelParameters& parameters) {
        return MixedSoftenedGravity(parameters);
    }

    [[nodiscard]] STARFMM_HOST_DEVICE SoftenedGravity<float> in_single(double per_length) const {
        return SoftenedGravity<float>(
            static_cast<float>(this->epsilon_square_ * (per_length * per_length))
        );
    }
};

template <class R>
struct MixedSplineGravity : SplineGravity<R> {
    using PairReal = float;
    static constexpr std::string_view name = "spline_gravity_mixed";

    using SplineGravity<R>::SplineGravity;

    STARFMM_HOST_DEVICE static MixedSplineGravity of(const KernelParameters& parameters) {
        return MixedSplineGravity(SplineGravity<R>::of(parameters).support());
    }

    [[nodiscard]] STARFMM_HOST_DEVICE SplineGravity<float> in_single(double per_length) const {
        return SplineGravity<float>(static_cast<float>(this->support() * per_length));
    }
};

} // namespace starfmm

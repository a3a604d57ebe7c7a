// SPDX-License-Identifier: BSD-3-Clause
// What a plugged-in kernel must provide: the concept that its struct models, checked at compile
// time.
#pragma once

#include "core/expansions/kernel_parameters.hpp"
#include "core/expansions/pascal.hpp"
#include "core/expansions/values.hpp"
#include "core/host_device.hpp"
#include "core/position.hpp"

#include <concepts>
#include <string_view>
#include <type_traits>

namespace starfmm {

/// The frame that an expansion is written in: terms are powers of (z - centre) / radius, which
/// keeps coefficients in range for boxes of any size.
/// \tparam T Real, or a SIMD batch of it: then one call handles one box a lane
template <class T, int D = 2>
struct Frame {
    Position<D, T> centre;
    T radius; ///< radius of a disc or ball about `centre` that holds the points; > 0
};

/// Returns a point as seen from `origin`, in the precision of expansions: near `origin` nothing is
/// lost but the last bits of the distance.
template <class Real>
STARFMM_HOST_DEVICE Complex<Real> seen_from(Complex<double> origin, Complex<double> z) {
    return {static_cast<Real>(z.re - origin.re), static_cast<Real>(z.im - origin.im)};
}

template <class Real>
STARFMM_HOST_DEVICE Vector3<Real>
seen_from(const Vector3<double>& origin, const Vector3<double>& v) {
    return {
        static_cast<Real>(v.x - origin.x),
        static_cast<Real>(v.y - origin.y),
        static_cast<Real>(v.z - origin.z)};
}

template <class Real, int D>
STARFMM_HOST_DEVICE Frame<Real, D>
seen_from(const Position<D, double>& origin, const Frame<double, D>& frame) {
    return {seen_from<Real>(origin, frame.centre), static_cast<Real>(frame.radius)};
}

/// Returns a frame as seen from its own centre.
template <class Real, int D>
STARFMM_HOST_DEVICE Frame<Real, D> centred(const Frame<double, D>& frame) {
    return {Position<D, Real>{}, static_cast<Real>(frame.radius)};
}

namespace detail {

template <class K>
constexpr int dimension_of() {
    if constexpr (requires { K::dimension; }) {
        return K::dimension;
    } else {
        return 2;
    }
}

template <class K, class T>
struct CoefficientOf {
    using type = Complex<T>;
};

template <class K, class T>
requires requires {
    typename K::template Coefficient<T>;
}

struct CoefficientOf<K, T> {
    using type = typename K::template Coefficient<T>;
};

template <class K>
struct PairReal {
    using type = typename K::Real;
};

template <class K>
requires requires {
    typename K::PairReal;
}

struct PairReal<K> {
    using type = typename K::PairReal;
};

template <class K>
struct AtTargets {
    using type = K;
};

template <class K>
requires requires {
    typename K::AtTargets;
}

struct AtTargets<K> {
    using type = typename K::AtTargets;
};

template <class K>
constexpr int most_coefficients() {
    if constexpr (requires { K::most_coefficients; }) {
        return K::most_coefficients;
    } else {
        return max_order + 1;
    }
}

template <class K>
constexpr int largest_order() {
    if constexpr (requires { K::largest_order; }) {
        return K::largest_order;
    } else {
        return max_order;
    }
}

template <class K>
constexpr double reach_in_roundings() {
    if constexpr (requires { K::reach_in_roundings; }) {
        return K::reach_in_roundings;
    } else {
        return 4;
    }
}

} // namespace detail

/// The dimension of a kernel's points: 2, unless the kernel says more.
template <class K>
inline constexpr int dimension_of = detail::dimension_of<K>();

/// The type of an expansion's coefficients: complex numbers, unless the kernel says otherwise.
template <class K, class T>
using CoefficientOf = typename detail::CoefficientOf<K, T>::type;

/// The type that a kernel's pairs are formed in: its Real, unless it says otherwise.
template <class K>
using PairReal = typename detail::PairReal<K>::type;

/// The kernel that evaluates local expansions at targets: itself, unless it names another.
template <class K>
using AtTargets = typename detail::AtTargets<K>::type;

/// Whether a kernel in double precision has its local expansions evaluated in single precision, in
/// the unit ball and in a unit of their coefficients.
template <class K>
inline constexpr bool rounds_locals =
    !std::is_same_v<typename AtTargets<K>::Real, typename K::Real>;

/// Whether M2L between cubes of one size may go by plane waves.
template <class K>
inline constexpr bool has_plane_waves = requires {
    requires K::has_plane_waves;
};

/// Whether a kernel in double precision has its pairs formed in single precision
/// (core/laws/mixed_pairs.hpp).
template <class K>
inline constexpr bool has_mixed_pairs = !std::is_same_v<PairReal<K>, typename K::Real>;

/// The number of real numbers in a coefficient.
template <class K>
inline constexpr int n_coefficient_components = n_components_of<CoefficientOf<K, typename K::Real>>;

/// The most coefficients that an expansion has: one a term of the highest order and one more,
/// unless a kernel says otherwise.
template <class K>
inline constexpr int most_coefficients = detail::most_coefficients<K>();

/// The largest order of a kernel's expansions: max_order, unless the kernel says less.
template <class K>
inline constexpr int largest_order = detail::largest_order<K>();

/// The least error that a kernel's sums reach, in units of its precision's epsilon: 4, about what
/// sums of a million terms lose, unless the kernel says otherwise.
template <class K>
inline constexpr double reach_in_roundings = detail::reach_in_roundings<K>();

/// The room that the coefficients of one expansion take in SIMD batches.
template <class K>
inline constexpr int coefficient_room = most_coefficients<K> + coefficient_slack;

/// Whether a kernel says how many terms a tolerance takes, in space maybe of cubes alone.
template <class K>
inline constexpr bool has_order = requires {
    { K::order(1e-6, 0.5) } -> std::same_as<int>;
}

|| (dimension_of<K> == 3 && requires {
    { K::order_of_cells(1e-6, 0.5) } -> std::same_as<int>;
});

/// A kernel of pairs: near fields and direct sums take it; the fast multipole method needs an
/// ExpansionKernel. `T` stands for `K::Real` and for SIMD batches of it. It has:
///
///  - `Real`: double or float.
///  - `Strength<T>`: `T` or `Complex<T>`.
///  - `Value<T>`, the type of a result: `T`, `Complex<T>` or `WithGradient<T, dimension>`.
///  - `name`: the name in task names and performance models.
///  - `p2p`: returns the value of one pair, zero if both points coincide.
///  - `dimension`: 2 or 3, the dimension of its points, `Position<dimension, T>`; without it 2.
template <class K>
concept PairKernel = requires(
    const K& kernel,
    Position<dimension_of<K>, typename K::Real> z,
    typename K::template Strength<typename K::Real> strength
) {
    requires std::floating_point<typename K::Real>;
    { K::name } -> std::convertible_to<std::string_view>;
    { kernel.p2p(z, z, strength) } -> std::same_as<typename K::template Value<typename K::Real>>;
};

/// Whether the pairs of a kernel depend on a length of each of their points: the pair's is the
/// larger one, beyond which it is what expansions stand for. A source's is the second component of
/// its strength; a target's is an argument of p2p, without which it is zero.
template <class K>
inline constexpr bool has_lengths = requires(
    const K& kernel,
    Position<dimension_of<K>, typename K::Real> z,
    typename K::template Strength<typename K::Real> strength,
    typename K::Real length
) {
    kernel.p2p(z, z, strength, length);
};

/// What stands for the lengths that a kernel does not have.
struct NoLength {};

/// The length of a target, as T, for kernels whose pairs depend on it.
template <class K, class T>
using LengthOf = std::conditional_t<has_lengths<K>, T, NoLength>;

/// Returns kernel.p2p() for a target with its length, if it has one.
template <class K, class P, class Q, class L>
[[gnu::always_inline]] STARFMM_HOST_DEVICE inline auto
pair_with_length(const K& kernel, const P& target, const P& source, const Q& q, const L& length) {
    if constexpr (has_lengths<K>) {
        return kernel.p2p(target, source, q, length);
    } else {
        return kernel.p2p(target, source, q);
    }
}

/// A kernel that the library can schedule in any sum.
///
/// Besides what a PairKernel has, every kernel has:
///
///  - `order(tolerance, theta)`: the number of terms; where no number of terms meets the tolerance,
///    the largest order or more.
///  - `n_coefficients(order)`: the number of coefficients of a multipole, and of a local expansion.
///  - `p2m`, `p2l`: add one source to an expansion.
///  - `m2m`, `m2l`, `l2l`: add one translated expansion.
///  - `l2p`, `m2p`: return the value of an expansion at a target.
///
/// Frames have the dimension of its points. A kernel may also have:
///
///  - `Coefficient<T>`, the type of its coefficients: `T` or `Complex<T>`; without it `Complex<T>`.
///  - `most_coefficients`, if orders up to max_order can take more than max_order + 1 of them.
///  - `largest_order` <= max_order, if its expansions end there.
///  - `PairReal`: float, if pairs are to be formed in single precision though `Real` is double. The
///    kernel is then one of space whose potential falls like the inverse distance, with its
///    gradient or not.
///  - `AtTargets`: the same kernel in single precision, if that is to evaluate the local expansions
///    of a kernel in double precision. It has no parameters.
///  - `static constexpr double reach_in_roundings`: its precision is too coarse for tolerances
///    below that many of its epsilons; without it 4.
///  - `static constexpr ScalingLaw scaling`: how its potentials change with the unit of length
///    (core/laws/scaling_law.hpp). Plans then take points of any extent. A kernel that replaces the
///    `p2p` of another one must replace the law, too.
///
/// `order` serves boxes whose points may be anywhere in their balls. A kernel of space may say
/// instead, by `order_of_cells(tolerance, theta)`, which order the boxes of an octree need, which
/// are whole cubes, and by `square_left_out(order, source2, target2)` (solid_square_left_out) how to tell
/// whether that order serves the points at hand. It may say by `order_of_all_terms(tolerance)`
/// which order they need if pairs take all terms, not the fewer the farther apart they are.
///
/// Operators are static members, except for those that depend on parameters that programs choose
/// when they run: `static K of(KernelParameters)` makes a kernel that knows the parameters
/// (ParametricKernel), which is copied to GPUs.
///
/// Points and frames are given as seen from a place nearby, such as the centre of one of the boxes:
/// only their differences have a meaning.
template <class K>
concept ExpansionKernel = PairKernel<K> && requires(
    const K& kernel,
    Frame<typename K::Real, dimension_of<K>> frame,
    Position<dimension_of<K>, typename K::Real> z,
    CoefficientOf<K, typename K::Real>* out,
    const CoefficientOf<K, typename K::Real>* in,
    typename K::template Strength<typename K::Real> strength
) {
    requires has_order<K>;
    { K::n_coefficients(1) } -> std::same_as<int>;
    kernel.p2m(1, frame, z, strength, out);
    kernel.m2m(1, frame, in, frame, out);
    kernel.m2l(1, frame, in, frame, out);
    kernel.l2l(1, frame, in, frame, out);
    { kernel.l2p(1, frame, in, z) } -> std::same_as<typename K::template Value<typename K::Real>>;
    kernel.p2l(1, frame, z, strength, out);
    { kernel.m2p(1, frame, in, z) } -> std::same_as<typename K::template Value<typename K::Real>>;
};

/// Whether a kernel is meant to have expansions: it says of what order.
template <class K>
inline constexpr bool has_expansions = has_order<K>;

/// A kernel of which one evaluation of a pair serves both points, by Newton's third law: where the
/// library can, it uses `pair` instead of `p2p`. A kernel that replaces the `p2p` of another one
/// must replace these two, too:
///
///  - `pair(d)`: G of the difference d = source - target, so that p2p(target, source, q) = q G;
///    zero where d is zero.
///  - `parity`: +1 if G(-d) = G(d), -1 if G(-d) = -G(d). The parity of a potential with its
///    gradient is that of the potential: the gradient has the opposite one.
template <class K>
concept MutualKernel = PairKernel<K> && requires(Position<dimension_of<K>, typename K::Real> d) {
    { K::pair(d) } -> std::same_as<typename K::template Value<typename K::Real>>;
    { K::parity } -> std::convertible_to<int>;
};

/// A kernel that prepares a local expansion once for all targets of its box: `derive_local` writes
/// n_derived(order) numbers, from which `l2p_derived` finds what l2p finds from the coefficients.
template <class K>
concept DerivingKernel = ExpansionKernel<K> && requires(
    Frame<typename K::Real, dimension_of<K>> frame,
    Position<dimension_of<K>, typename K::Real> z,
    const CoefficientOf<K, typename K::Real>* in,
    CoefficientOf<K, typename K::Real>* out
) {
    { K::n_derived(1) } -> std::same_as<int>;
    K::derive_local(1, in, out);
    {
        K::l2p_derived(1, frame, in, z)
        } -> std::same_as<typename K::template Value<typename K::Real>>;
};

/// Whether a kernel uses the translations of its expansion, which it names by `K::Translations`, as
/// they are; it does not if it replaces one of them. Their bodies are then compiled once for all
/// kernels over that expansion.
template <class K>
constexpr bool shares_translations() {
    using Real = typename K::Real;
    if constexpr (requires { typename K::Translations; }) {
        using E = typename K::Translations;
        if constexpr (requires { E::template m2l_truncated<Real>; }) {
            if (&K::template m2l_truncated<Real> != &E::template m2l_truncated<Real>) {
                return false;
            }
        }
        return &K::template m2m<Real> == &E::template m2m<Real> &&
               &K::template m2l<Real> == &E::template m2l<Real> &&
               &K::template l2l<Real> == &E::template l2l<Real>;
    } else {
        return false;
    }
}

/// Whether a kernel uses P2M, P2L, L2P and M2P of another one, `K::Points`, as they are; it does
/// not if it replaces one of them. Their bodies are then compiled once for both.
template <class K>
constexpr bool shares_points() {
    using Real = typename K::Real;
    if constexpr (requires { typename K::Points; }) {
        using P = typename K::Points;
        using C = CoefficientOf<K, Real>;
        return &K::template p2m<Real> == &P::template p2m<Real> &&
               &K::template p2l<Real> == &P::template p2l<Real> &&
               &K::template l2p<Real, C> == &P::template l2p<Real, C> &&
               &K::template m2p<Real, C> == &P::template m2p<Real, C>;
    } else {
        return false;
    }
}

/// Whether a kernel's strengths are complex.
template <class K>
inline constexpr bool has_complex_strength =
    std::same_as<typename K::template Strength<typename K::Real>, Complex<typename K::Real>>;

/// The number of real components of a kernel's results.
template <class K>
inline constexpr int n_value_components =
    n_components_of<typename K::template Value<typename K::Real>>;

/// Whether a kernel's results are complex.
template <class K>
inline constexpr bool has_complex_value =
    is_complex_value<typename K::template Value<typename K::Real>>;

/// Whether a kernel's results are real potentials and their gradients.
template <class K>
inline constexpr bool has_gradient =
    has_gradient_value<typename K::template Value<typename K::Real>>;

} // namespace starfmm

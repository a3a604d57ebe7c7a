// SPDX-License-Identifier: BSD-3-Clause
// Host/device mathematics of sort and connect. Every product that is added goes through an explicit
// fma, so that CPU and GPU compute the same bits and therefore the same tree and the same lists.
#pragma once

#include "core/arithmetic.hpp"
#include "core/expansions/expansion.hpp"
#include "core/host_device.hpp"
#include "core/position.hpp"

#include <cmath>
#include <cstdint>
#include <limits>

namespace starfmm {

/// The smallest radius that scales an expansion: boxes of coincident points have no extent, and
/// 1 / radius, times a strength, must stay finite. It is no more than twice the shortest distance
/// of points that are told apart (core/particles/scaling.cpp), so that powers of radius / distance
/// stay finite, too.
template <class Real>
STARFMM_HOST_DEVICE constexpr Real smallest_radius() {
    return sizeof(Real) == sizeof(double) ? Real(1e-150) : Real(0x1p-57);
}

/// The axis-parallel bounds of a set of points; an empty set has min > max.
template <class Real, int D = 2>
struct Bounds {
    Real min[D];
    Real max[D];

    STARFMM_HOST_DEVICE static Bounds nothing() {
        Bounds bounds;
        for (int d = 0; d < D; ++d) {
            bounds.min[d] = std::numeric_limits<Real>::max();
            bounds.max[d] = -std::numeric_limits<Real>::max();
        }
        return bounds;
    }

    STARFMM_HOST_DEVICE void add(int d, Real x) {
        min[d] = x < min[d] ? x : min[d];
        max[d] = x > max[d] ? x : max[d];
    }

    STARFMM_HOST_DEVICE bool empty() const { return min[0] > max[0]; }
};

/// Returns the direction of the next split, that of the longer side, so that boxes stay as round as
/// the points allow [GE12 Sec 2].
template <class Real, int D>
STARFMM_HOST_DEVICE int split_direction(const Bounds<Real, D>& box) {
    int longest = 0;
    for (int d = 1; d < D; ++d) {
        if (box.max[d] - box.min[d] > box.max[longest] - box.min[longest]) {
            longest = d;
        }
    }
    return longest;
}

/// Returns the larger distance of the bounds from their centre, which may be rounded by as much as
/// they are wide.
template <class Real>
STARFMM_HOST_DEVICE Real half_width(Real min, Real max, Real centre) {
    const Real below = centre - min;
    const Real above = max - centre;
    return below > above ? below : above;
}

/// Returns the disc or ball about the centre of the bounds that holds them; without points its
/// radius is -1.
template <class Real, int D>
STARFMM_HOST_DEVICE Frame<Real, D> enclosing_frame(const Bounds<Real, D>& box) {
    const auto centre = make_position<D>([&box](int d) {
        return box.empty() ? Real(0) : Real(0.5) * (box.min[d] + box.max[d]);
    });
    if (box.empty()) {
        return {centre, Real(-1)};
    }
    const auto corner = make_position<D>([&](int d) {
        return half_width(box.min[d], box.max[d], coordinate(centre, d));
    });
    return {centre, length(corner)};
}

/// The way in which the points of a source box act on those of a target box.
enum class Coupling : std::uint8_t {
    far,  ///< well separated: M2L
    near, ///< P2P, or the children decide
    p2l,  ///< source points go straight into the local expansion of the (smaller) target box
    m2p,  ///< multipole of a source box is evaluated straight at the target points
    none  ///< one of the boxes is empty
};

/// Whether the multipole acceptance criterion (MAC) R + theta r <= theta d holds [GE12 Eq 2.1],
/// with both sides squared. Boxes with coincident centres are never well separated.
/// \tparam T Real, or a SIMD batch: then the result is a mask
template <class T>
STARFMM_HOST_DEVICE auto separated(T larger, T smaller, T distance2, T theta) {
    const T reach = Arithmetic<T>::fused(theta, smaller, larger);
    return (reach * reach <= (theta * theta) * distance2) & (distance2 > T(0));
}

template <class T, int D>
STARFMM_HOST_DEVICE T distance2(const Frame<T, D>& a, const Frame<T, D>& b) {
    return square(a.centre - b.centre);
}

/// Whether two boxes with points are well separated, so that each is in the other's far field.
template <class T, int D>
STARFMM_HOST_DEVICE auto are_separated(const Frame<T, D>& a, const Frame<T, D>& b, T theta) {
    return separated(
        Arithmetic<T>::max(a.radius, b.radius),
        Arithmetic<T>::min(a.radius, b.radius),
        distance2(a, b),
        theta
    );
}

/// The part of their balls' radius that the points of cells count with. A cube meets the ball about
/// it in eight corners, where few points are: the errors of expansions are those of smaller balls.
inline constexpr double reach_of_cells = 0.77;

/// Returns the opening angle that separates those smaller balls about cells that `theta` separates.
STARFMM_HOST_DEVICE constexpr double theta_of_cells(double theta) {
    return reach_of_cells * theta / (1 + (1 - reach_of_cells) * theta);
}

/// Whether the gap between two cubes is no less than the side of the larger one. The cubes' balls
/// do not tell: corners of cubes of different sizes can be much nearer than balls of one rate
/// suggest.
template <class T>
STARFMM_HOST_DEVICE auto are_a_side_apart(const Frame<T, 3>& a, const Frame<T, 3>& b) {
    constexpr double side = 1.1547005383792515290; // of a cube in a ball of radius 1
    constexpr double rounding = 1 - 1e-6;
    const auto size = [](const T& x) { return Arithmetic<T>::max(x, -x); };
    const Vector3<T> d = a.centre - b.centre;
    const T apart = Arithmetic<T>::max(Arithmetic<T>::max(size(d.x), size(d.y)), size(d.z));
    const T larger = Arithmetic<T>::max(a.radius, b.radius);
    const T smaller = Arithmetic<T>::min(a.radius, b.radius);
    return T(rounding * side) * (T(1.5) * larger + T(0.5) * smaller) <= apart;
}

/// Whether two boxes of a tree over all points do not touch: the gap between those that do not is
/// no less than the side of the smaller one, of which a quarter is more than roundings.
template <class T, int D>
STARFMM_HOST_DEVICE auto do_not_touch(const Frame<T, D>& a, const Frame<T, D>& b) {
    using A = Arithmetic<T>;
    constexpr double side = D == 2 ? 1.4142135623730950488 : 1.1547005383792515290; // in radii
    const auto d = a.centre - b.centre;
    T apart = T(0);
    for (int k = 0; k < D; ++k) {
        const T along = coordinate(d, k);
        apart = A::max(apart, A::max(along, -along));
    }
    const T larger = A::max(a.radius, b.radius);
    const T smaller = A::min(a.radius, b.radius);
    return (T(side) * (T(0.5) * larger + T(0.75) * smaller) <= apart) & (apart > T(0));
}

/// Returns the square of the distance between the nearest points of two cubes.
template <class T>
STARFMM_HOST_DEVICE T square_gap(const Frame<T, 3>& a, const Frame<T, 3>& b) {
    using A = Arithmetic<T>;
    constexpr double half = 0.57735026918962576451; // of the side of a cube in a ball of radius 1
    const T radii = a.radius + b.radius;
    const auto beyond = [&](const T& x) {
        return A::max(A::fused(T(-half), radii, A::max(x, -x)), T(0));
    };
    const Vector3<T> d = a.centre - b.centre;
    return square(Vector3<T>{beyond(d.x), beyond(d.y), beyond(d.z)});
}

/// An opening angle that falls with the share of all points that a box holds, as in [D02] but by
/// another law: at share m it is the smaller of theta and heavy m^-power. What a pair leaves out
/// has the mass as a factor, so that few heavy boxes make the largest errors.
struct ShareSeparation {
    double heavy = 0; ///< theta of a box that holds everything, (0, 1); 0: theta for all
    double power = 0;
    double n_sources = 1; ///< number of all sources; n_targets: of all targets
    double n_targets = 1;

    [[nodiscard]] STARFMM_HOST_DEVICE bool varies() const { return heavy > 0; }

    /// Returns the multiple of a box's radius with which the criterion sees it.
    [[nodiscard]] STARFMM_HOST_DEVICE float reach(double theta, double share) const {
        const double factor = theta / heavy * std::pow(share, power);
        return factor > 1 ? static_cast<float>(factor) : 1.0F;
    }
};

/// The rule by which boxes are well separated.
struct SeparationRule {
    double theta;
    bool of_cells;      ///< whether boxes are cubes, not shrunk to their points
    double support = 0; ///< KernelParameters::support
    /// Whether all cells that do not touch are separated, by whatever theta.
    bool of_near_field = false;

    template <class T, int D>
    STARFMM_HOST_DEVICE auto operator()(const Frame<T, D>& a, const Frame<T, D>& b) const {
        if (of_near_field) {
            return do_not_touch(a, b);
        }
        const auto by_theta = are_separated(a, b, T(theta));
        if constexpr (D == 3) {
            const auto by_both = of_cells ? by_theta & are_a_side_apart(a, b) : by_theta;
            return support > 0 ? by_both & are_beyond(a, b) : by_both;
        } else {
            return support > 0 ? by_theta & are_beyond(a, b) : by_theta;
        }
    }

    /// Whether all points of one box are at least the support away from those of the other.
    template <class T, int D>
    STARFMM_HOST_DEVICE auto are_beyond(const Frame<T, D>& a, const Frame<T, D>& b) const {
        return are_beyond(a, b, T(support));
    }

    /// Whether they are at least `distance` away.
    template <class T, int D>
    STARFMM_HOST_DEVICE auto
    are_beyond(const Frame<T, D>& a, const Frame<T, D>& b, const T& distance) const {
        const T reach = a.radius + b.radius + distance;
        const auto balls = reach * reach <= distance2(a, b);
        if constexpr (D == 3) {
            return of_cells ? distance * distance <= square_gap(a, b) : balls;
        } else {
            return balls;
        }
    }
};

/// Returns the coupling of boxes above the finest level: far or near.
template <class Real, int D>
STARFMM_HOST_DEVICE Coupling coupling(
    const Frame<Real, D>& source, const Frame<Real, D>& target, const SeparationRule& separates
) {
    if (source.radius < Real(0) || target.radius < Real(0)) {
        return Coupling::none;
    }
    return separates(source, target) ? Coupling::far : Coupling::near;
}

/// Whether the centre of the smaller disc is clear of the larger one, on whose points the expansion
/// about that centre must converge. The swapped criterion alone, d >= R + r / theta, admits points
/// upon the centre where r is zero, and rounding hides any r below 2^-50 R. With d >= R + 2^-10 R
/// no point is nearer than 2^-10 R, where the expansion is finite, and the roundings of r + theta R
/// and theta d change r / (d - R), the rate of convergence, by less than 2^-40 of it.
template <class Real>
STARFMM_HOST_DEVICE bool centre_is_clear(Real larger, Real distance2) {
    const Real rim = Real(1 + 0x1p-10) * larger;
    return rim * rim <= distance2;
}

/// Whether an expansion about the smaller of two near discs converges on the points of the larger
/// one: the criterion with the roles of r and R interchanged [GE12 Sec 2]. Equality is right for
/// r > 0: the rate is theta then, as it is where the criterion itself holds with equality.
template <class Real>
STARFMM_HOST_DEVICE bool are_separated_swapped(Real larger, Real smaller, Real d2, Real theta) {
    return separated(smaller, larger, d2, theta) && centre_is_clear(larger, d2);
}

/// Returns the number of pairs that take as long as one point in P2L or M2P. In the plane a term
/// takes as long as three pairs, measured on AVX-512 and AVX2 cores, and an expansion has `order`
/// terms. In space it has order^2, and a term takes about 3 pairs on a core and 42 on a GPU, so
/// that only many points at one place are worth it.
template <int D>
STARFMM_HOST_DEVICE constexpr std::uint64_t pairs_of_expansion(int order) {
    const auto terms = static_cast<std::uint64_t>(order);
    return D == 2 ? 3 * terms : 32 * terms * terms;
}

/// Returns the coupling of near leaves, which is p2l or m2p by the swapped criterion where an
/// expansion of `order` costs less than the pairs that it replaces.
template <class Real, int D>
STARFMM_HOST_DEVICE Coupling leaf_coupling(
    const Frame<Real, D>& source,
    const Frame<Real, D>& target,
    Real theta,
    std::uint64_t n_sources,
    std::uint64_t n_targets,
    int order
) {
    const Real d2 = distance2(source, target);
    const std::uint64_t least = pairs_of_expansion<D>(order);
    if (source.radius > target.radius) {
        const bool pays = n_targets > least;
        return pays && are_separated_swapped(source.radius, target.radius, d2, theta)
                   ? Coupling::p2l
                   : Coupling::near;
    }
    const bool pays = n_sources > least;
    return pays && are_separated_swapped(target.radius, source.radius, d2, theta) ? Coupling::m2p
                                                                                  : Coupling::near;
}

} // namespace starfmm

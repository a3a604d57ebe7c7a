// SPDX-License-Identifier: BSD-3-Clause
// Host/device mathematics of sort and connect. Every product that is added goes through an explicit
// fma, so that CPU and GPU compute the same bits and therefore the same tree and the same lists.
#pragma once

#include "core/complex.hpp"
#include "core/expansions/expansion.hpp"
#include "core/host_device.hpp"

#include <cmath>
#include <cstdint>
#include <limits>

namespace starfmm {

/// Smallest radius that scales an expansion: boxes of coincident points have no extent, and 1 /
/// radius must stay finite.
template <class Real>
STARFMM_HOST_DEVICE constexpr Real smallest_radius() {
    return sizeof(Real) == sizeof(double) ? Real(1e-150) : Real(1e-18);
}

/// Axis-parallel bounds of a set of points; of no points: min > max.
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

/// Direction of the next split: the longer side, so that boxes stay as round as the points allow
/// [GE12 Sec 2].
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

template <class Real>
STARFMM_HOST_DEVICE Real length(Real dx, Real dy) {
    return ::sqrt(fma(dx, dx, dy * dy));
}

/// Disc about the centre of the bounds, of radius half their diagonal. A box without points: radius
/// -1.
template <class Real>
STARFMM_HOST_DEVICE Frame<Real> enclosing_frame(const Bounds<Real, 2>& box) {
    if (box.empty()) {
        return {{Real(0), Real(0)}, Real(-1)};
    }
    const Complex<Real> centre{
        Real(0.5) * (box.min[0] + box.max[0]), Real(0.5) * (box.min[1] + box.max[1])};
    const Real radius =
        length(Real(0.5) * (box.max[0] - box.min[0]), Real(0.5) * (box.max[1] - box.min[1]));
    return {centre, radius};
}

/// How the points of a source box reach those of a target box.
enum class Coupling : std::uint8_t {
    far,  ///< M2L
    near, ///< P2P, or the children decide
    p2l,  ///< source points straight into the local expansion of the (smaller) target box
    m2p,  ///< multipole of the (smaller) source box straight to the target points
    none  ///< one of the boxes is empty
};

/// The theta criterion R + theta r <= theta d [GE12 Eq 2.1]. Coincident centres are never
/// separated.
template <class Real>
STARFMM_HOST_DEVICE bool separated(Real larger, Real smaller, Real distance, Real theta) {
    return distance > Real(0) && fma(theta, smaller, larger) <= theta * distance;
}

/// Coupling above the finest level: far or near.
template <class Real>
STARFMM_HOST_DEVICE Coupling
coupling(const Frame<Real>& source, const Frame<Real>& target, Real theta) {
    if (source.radius < Real(0) || target.radius < Real(0)) {
        return Coupling::none;
    }
    const Real d = length(source.centre.re - target.centre.re, source.centre.im - target.centre.im);
    const bool source_larger = source.radius > target.radius;
    const Real larger = source_larger ? source.radius : target.radius;
    const Real smaller = source_larger ? target.radius : source.radius;
    return separated(larger, smaller, d, theta) ? Coupling::far : Coupling::near;
}

/// Coupling of near leaves: the criterion with the roles of r and R interchanged [GE12 Sec 2], used
/// where an expansion of `order` terms costs less than the pairs that it replaces: a term costs
/// about half a pair.
template <class Real>
STARFMM_HOST_DEVICE Coupling leaf_coupling(
    const Frame<Real>& source,
    const Frame<Real>& target,
    Real theta,
    std::uint64_t n_sources,
    std::uint64_t n_targets,
    int order
) {
    const Real d = length(source.centre.re - target.centre.re, source.centre.im - target.centre.im);
    if (source.radius > target.radius) {
        const bool pays = 2 * n_targets > static_cast<std::uint64_t>(order);
        return pays && separated(target.radius, source.radius, d, theta) ? Coupling::p2l
                                                                         : Coupling::near;
    }
    const bool pays = 2 * n_sources > static_cast<std::uint64_t>(order);
    return pays && separated(source.radius, target.radius, d, theta) ? Coupling::m2p
                                                                     : Coupling::near;
}

} // namespace starfmm

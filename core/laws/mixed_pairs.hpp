// SPDX-License-Identifier: BSD-3-Clause
// Which pairs of points in double may be formed in single precision: in coordinates seen from the
// middle of some targets, in a unit of their distances.
//
// Rounding moves a point at distance t from the middle by 2^-24 t at most, which changes a pair's
// distance d by 2^-23 t / d of itself. Pairs with d <= 2^-5 t are formed in double. Of the others
// the value changes by 2^-17 in the worst case, but where many points act on a target, few are as
// close: their sums change by about 1e-7. Of softened pairs d is sqrt(d^2 + epsilon^2). A
// softened point's pair with itself is left out.
#pragma once

#include "core/arithmetic.hpp"
#include "core/host_device.hpp"
#include "core/position.hpp"

namespace starfmm {

/// Units that pairs are formed in: powers of two, so that scaling is exact.
struct MixedUnits {
    double length = 1;
    double strength = 1;
};

/// Largest magnitude of a coordinate, and shortest distance, in that unit: with them inverse cubes
/// of distances lie between 2^-53 and 2^90.
inline constexpr double mixed_farthest = 0x1p16;
inline constexpr float mixed_shortest = 0x1p-30F;

/// Largest magnitude of a strength: no sum overflows.
inline constexpr double mixed_strongest = 0x1p24;

/// Square of the distance up to which a target's pairs are formed in double.
/// \param target its difference from the middle of the targets
template <class T>
STARFMM_HOST_DEVICE T mixed_closest_square(const Vector3<T>& target) {
    using A = Arithmetic<T>;
    return A::max(T(0x1p-10F) * square(target), T(mixed_shortest * mixed_shortest));
}

/// Whether a kernel's pairs are softened.
template <class K>
inline constexpr bool has_softening = requires(const K& kernel) {
    kernel.softening();
};

/// Epsilon; 0 of kernels without.
template <class K>
STARFMM_HOST_DEVICE double softening_of([[maybe_unused]] const K& kernel) {
    if constexpr (has_softening<K>) {
        return kernel.softening();
    } else {
        return 0;
    }
}

/// Whether epsilon keeps inverse cubes of distances within single precision's range.
STARFMM_HOST_DEVICE inline bool may_soften_mixed(double softening, const MixedUnits& units) {
    return softening == 0 || softening >= static_cast<double>(mixed_shortest) * units.length;
}

/// What forms a kernel's pairs in single precision: `K::in_single`, whose parameters are rounded in
/// a unit of length, or, without parameters, the kernel itself.
template <class K>
STARFMM_HOST_DEVICE auto mixed_kernel(const K& kernel, [[maybe_unused]] double per_length) {
    if constexpr (requires { kernel.in_single(per_length); }) {
        return kernel.in_single(per_length);
    } else {
        return kernel;
    }
}

template <class K>
using MixedKernel = decltype(mixed_kernel(K{}, 1.0));

/// p2p, of pairs that count only if they turn out to be farther apart than that: by p2p_apart,
/// which need not look for points that coincide, where the kernel has it.
template <class K, class Position, class T>
STARFMM_HOST_DEVICE auto
mixed_pair(const K& kernel, const Position& target, const Position& source, const T& q) {
    if constexpr (requires { kernel.p2p_apart(target, source, q); }) {
        return kernel.p2p_apart(target, source, q);
    } else {
        return kernel.p2p(target, source, q);
    }
}

} // namespace starfmm

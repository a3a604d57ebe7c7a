// SPDX-License-Identifier: BSD-3-Clause
// What a source does to a target by Newton's law: potential and gradient, from the inverse
// distance.
#pragma once

#include "core/expansions/values.hpp"
#include "core/host_device.hpp"
#include "core/position.hpp"

namespace starfmm {

/// q / r and its gradient by the target, q d / r^3.
/// \param d       from target to source
/// \param inverse 1 / r, with r = |d| or a softened distance, whose cube is within T's range
template <class T>
STARFMM_HOST_DEVICE WithGradient<T, 3>
newton_pair(const Vector3<T>& d, const T& inverse, const T& q) {
    const T potential = q * inverse;
    return {potential, (potential * inverse * inverse) * d};
}

/// The same as newton_pair(), but for points that may be as close as Real can tell. Single
/// precision does not form the inverse cube, which is out of its range at distances below 2^-42: d
/// / r is at most 1, and q / r^2 is in range where the gradient is. That takes two more
/// multiplications.
/// \tparam Real the law's numbers; T is that or a batch of it
template <class Real, class T>
STARFMM_HOST_DEVICE WithGradient<T, 3>
newton_close_pair(const Vector3<T>& d, const T& inverse, const T& q) {
    if constexpr (sizeof(Real) == sizeof(float)) {
        const T potential = q * inverse;
        return {potential, (potential * inverse) * (inverse * d)};
    } else {
        return newton_pair(d, inverse, q);
    }
}

} // namespace starfmm

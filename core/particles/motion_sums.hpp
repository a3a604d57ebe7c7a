// SPDX-License-Identifier: BSD-3-Clause
// What moving bodies conserve, body by body: plain numbers, for tasks on any worker.
#pragma once

#include "core/host_device.hpp"
#include "core/position.hpp"

#include <cmath>

namespace starfmm {

/// Sums over bodies, as Conserved has them.
struct MotionSums {
    double kinetic = 0;
    double potential = 0;
    Vector3<double> momentum{};
    Vector3<double> angular{};
    double momentum_scale = 0;
    double angular_scale = 0;
};

STARFMM_HOST_DEVICE inline MotionSums operator+(const MotionSums& a, const MotionSums& b) {
    return {
        a.kinetic + b.kinetic,
        a.potential + b.potential,
        a.momentum + b.momentum,
        a.angular + b.angular,
        a.momentum_scale + b.momentum_scale,
        a.angular_scale + b.angular_scale};
}

STARFMM_HOST_DEVICE inline Vector3<double>
cross(const Vector3<double>& a, const Vector3<double>& b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

/// The terms of one body at `x` that moves with velocity `v`.
/// \param potential what all other bodies make at x
STARFMM_HOST_DEVICE inline MotionSums
motion_of(double mass, const Vector3<double>& x, const Vector3<double>& v, double potential) {
    const Vector3<double> angular = cross(x, v);
    const double square_v = square(v);
    return {
        0.5 * mass * square_v,
        0.5 * mass * potential,
        mass * v,
        mass * angular,
        mass * std::sqrt(square_v),
        mass * std::sqrt(square(angular))};
}

} // namespace starfmm

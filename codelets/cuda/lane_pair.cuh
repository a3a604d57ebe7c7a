// SPDX-License-Identifier: BSD-3-Clause
// Two numbers of one lane: a value that is loaded once serves both, and each computes while the
// other waits.
#pragma once

#include "core/arithmetic.hpp"
#include "core/position.hpp"

namespace starfmm {

template <class Real>
struct LanePair {
    Real first;
    Real second;

    LanePair() = default;

    __device__ LanePair(Real a, Real b) : first(a), second(b) {}

    __device__ explicit LanePair(Real both) : first(both), second(both) {}
};

template <class Real>
__device__ LanePair<Real> operator+(const LanePair<Real>& a, const LanePair<Real>& b) {
    return {a.first + b.first, a.second + b.second};
}

template <class Real>
__device__ LanePair<Real> operator-(const LanePair<Real>& a, const LanePair<Real>& b) {
    return {a.first - b.first, a.second - b.second};
}

template <class Real>
__device__ LanePair<Real> operator*(const LanePair<Real>& a, const LanePair<Real>& b) {
    return {a.first * b.first, a.second * b.second};
}

/// The part of Arithmetic that harmonics ask for.
template <class Real>
struct Arithmetic<LanePair<Real>> {
    using Pair = LanePair<Real>;

    __device__ static Pair fused(const Pair& a, const Pair& b, const Pair& c) {
        return {fma(a.first, b.first, c.first), fma(a.second, b.second, c.second)};
    }

    __device__ static Pair multiply_add(const Pair& a, const Pair& b, const Pair& c) {
        return fused(a, b, c);
    }
};

template <class Real>
__device__ Vector3<LanePair<Real>> paired(const Vector3<Real>& a, const Vector3<Real>& b) {
    return {{a.x, b.x}, {a.y, b.y}, {a.z, b.z}};
}

} // namespace starfmm

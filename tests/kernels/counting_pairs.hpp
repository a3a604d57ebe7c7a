// SPDX-License-Identifier: BSD-3-Clause
// The counting pairs are a kernel without expansions: with unit strengths, a sum counts the other
// points that act on a target.
#pragma once

#include "core/arithmetic.hpp"
#include "core/host_device.hpp"
#include "core/position.hpp"

#include <string_view>

struct CountingPairs {
    using Real = float;
    static constexpr int dimension = 3;
    template <class T>
    using Strength = T;
    template <class T>
    using Value = T;
    static constexpr std::string_view name = "counting_pairs";
    static constexpr int parity = 1;

    /// Returns 1, or 0 where all coordinates are 0.
    template <class T>
    STARFMM_HOST_DEVICE static T pair(const starfmm::Vector3<T>& d) {
        using A = starfmm::Arithmetic<T>;
        const T largest = A::max(A::max(d.x, T(0) - d.x), A::max(d.y, T(0) - d.y));
        const T size = A::max(largest, A::max(d.z, T(0) - d.z));
        return starfmm::zero_if_greater(T(1), T(1e-30F), size);
    }

    template <class T>
    STARFMM_HOST_DEVICE static T
    p2p(const starfmm::Vector3<T>& target, const starfmm::Vector3<T>& source, const T& q) {
        return q * pair(source - target);
    }
};

// SPDX-License-Identifier: BSD-3-Clause
// The counting law is a pair law: with unit strengths, a sum counts the other points in the near
// field.
#pragma once

#include "core/arithmetic.hpp"
#include "core/host_device.hpp"

#include <array>
#include <string_view>

struct CountingLaw {
    using Real = float;
    static constexpr int dimension = 3;
    static constexpr int n_values = 1;
    static constexpr std::string_view name = "counting";
    static constexpr std::array<int, 1> parity{1};

    /// Returns 1, or 0 where all coordinates are 0.
    template <class T>
    STARFMM_HOST_DEVICE static std::array<T, 1> pair(const std::array<T, 3>& d) {
        using A = starfmm::Arithmetic<T>;
        const T largest = A::max(A::max(d[0], T(0) - d[0]), A::max(d[1], T(0) - d[1]));
        const T size = A::max(largest, A::max(d[2], T(0) - d[2]));
        return {starfmm::zero_if_greater(T(1), T(1e-30F), size)};
    }
};

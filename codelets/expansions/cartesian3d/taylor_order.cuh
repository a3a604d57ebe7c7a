// SPDX-License-Identifier: BSD-3-Clause
// Cartesian Taylor expansions of low order on GPUs, whose coefficients have room in registers.
#pragma once

#include "codelets/cuda/cuda_check.cuh"
#include "core/expansions/cartesian_taylor3d.hpp"

#include <concepts>

namespace starfmm {

/// Kernels whose expansions are CartesianTaylor3D's.
template <class K>
inline constexpr bool has_taylor_expansions =
    std::derived_from<K, CartesianTaylor3D<typename K::Real>>;

/// Highest order of which three expansions have room in a thread's registers.
template <class Real>
inline constexpr int largest_taylor_order =
    std::same_as<Real, float> ? largest_unrolled_order : largest_unrolled_order - 2;

/// Highest order of which two have, or nearly: 840 bytes are spilled of 7.
template <class Real>
inline constexpr int largest_taylor_m2l_order = largest_taylor_order<Real> + 2;

/// Calls `launch` with an order known to the compiler.
/// \returns false, and does nothing, of orders higher than `largest`
template <int largest, int P = 1, class Launch>
bool with_taylor_order(int order, const Launch& launch) {
    if constexpr (P <= largest) {
        if (order != P) {
            return with_taylor_order<largest, P + 1>(order, launch);
        }
        launch(Order<P>{});
        return true;
    } else {
        return false;
    }
}

} // namespace starfmm

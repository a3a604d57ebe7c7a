// SPDX-License-Identifier: BSD-3-Clause
// Cartesian Taylor expansions of low order on GPUs, whose coefficients have room in registers.
#pragma once

#include "codelets/cuda/cuda_check.cuh"
#include "core/expansions/cartesian_taylor3d.hpp"

#include <concepts>

namespace starfmm {

/// Whether a kernel's expansions are CartesianTaylor3D's.
template <class K>
inline constexpr bool has_taylor_expansions =
    std::derived_from<K, CartesianTaylor3D<typename K::Real>>;

/// The highest order of which two expansions have room in a thread's registers, or nearly: M2L of
/// orders 7 and 8 spills 840 and 2248 bytes of them.
template <class Real>
inline constexpr int largest_taylor_order =
    std::same_as<Real, float> ? largest_cartesian_order : largest_unrolled_order;

/// Calls `launch` with an order known to the compiler.
/// \returns false, and does nothing, for orders that are too high
template <class K, int P = 1, class Launch>
bool with_taylor_order(int order, const Launch& launch) {
    if constexpr (P <= largest_taylor_order<typename K::Real>) {
        if (order != P) {
            return with_taylor_order<K, P + 1>(order, launch);
        }
        launch(Order<P>{});
        return true;
    } else {
        return false;
    }
}

/// One expansion a thread: of any kernel by a compiled order, or a Taylor expansion of order P.
template <int P, bool is_taylor>
struct ThreadExpansion {
    static constexpr int last = is_taylor ? n_cartesian(P) - 1 : P; ///< last coefficient, or 0: any
    static constexpr int blocks = is_taylor ? 1 : P <= 24 ? 4 : 2;

    /// Returns the number of coefficients, `n`, which of Taylor expansions the compiler knows.
    __device__ static constexpr int size(int n) { return is_taylor ? n_cartesian(P) : n; }

    __device__ static auto order(int order) {
        if constexpr (is_taylor) {
            return CartesianOrder<P>{P};
        } else {
            return compiled_order<P>(order);
        }
    }
};

/// Calls `launch` with the ThreadExpansion of an order: of Taylor expansions as
/// with_taylor_order() does, else as with_order_of_one() does.
template <class K, class Launch>
void with_thread_expansion(int order, const Launch& launch) {
    if constexpr (has_taylor_expansions<K>) {
        const auto of_taylor = [&](auto P) { launch(ThreadExpansion<P(), true>{}); };
        if (with_taylor_order<K>(order, of_taylor)) {
            return;
        }
    }
    with_order_of_one<K>(order, [&](auto P) { launch(ThreadExpansion<P(), false>{}); });
}

} // namespace starfmm

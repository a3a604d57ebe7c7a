// SPDX-License-Identifier: BSD-3-Clause
// The constant matrix of the Laurent-to-Taylor translation.
#pragma once

#include "core/host_device.hpp"

namespace starfmm {

inline constexpr int max_order = 64;

/// The number of coefficients behind an expansion's that SIMD batches may read: they load four at a
/// time.
inline constexpr int coefficient_slack = 3;

namespace detail {

/// The entries entry[l][k] = C(l + k - 1, k - 1), k >= 1, found by Pascal's rule:
///
/// entry[l][k] = entry[l - 1][k] + entry[l][k - 1]
template <class Real>
struct PascalTable {
    Real entry[max_order + 1][max_order + 1] = {};

    constexpr PascalTable() {
        for (int l = 0; l <= max_order; ++l) {
            for (int k = 1; k <= max_order; ++k) {
                entry[l][k] =
                    l == 0 ? Real(1) : entry[l - 1][k] + (k > 1 ? entry[l][k - 1] : Real(0));
            }
        }
    }
};

template <class Real>
inline constexpr PascalTable<Real> pascal_host{};

#ifdef __CUDACC__
template <class Real>
static const __device__ PascalTable<Real>
    pascal_device{}; // whole-program CUDA allows no other linkage
#endif

} // namespace detail

/// Returns row `l` of C(l + k - 1, k - 1), indexed by k in [1, max_order].
template <class Real>
STARFMM_HOST_DEVICE inline const Real* pascal_row(int l) {
#ifdef __CUDA_ARCH__
    return detail::pascal_device<Real>.entry[l];
#else
    return detail::pascal_host<Real>.entry[l];
#endif
}

} // namespace starfmm

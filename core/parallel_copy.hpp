// SPDX-License-Identifier: BSD-3-Clause
// How many threads copy the user's arrays.
#pragma once

#include <omp.h>

#include <algorithm>
#include <cstddef>

namespace starfmm {

/// Below it, waking threads takes longer than copying.
inline constexpr std::ptrdiff_t few_values = 100'000;

/// A quarter of the cores saturates memory; the runtime's polling workers need theirs, and a team
/// that shares a core with one waits for whole time slices.
inline int copy_threads() {
    return std::clamp(omp_get_num_procs() / 4, 1, 8);
}

} // namespace starfmm

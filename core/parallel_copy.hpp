// SPDX-License-Identifier: BSD-3-Clause
// How many threads copy the user's arrays.
#pragma once

#include <omp.h>

#include <algorithm>
#include <cstddef>

namespace starfmm {

/// Below it, waking threads takes longer than copying.
inline constexpr std::ptrdiff_t few_values = 100'000;

/// Values that a thread takes at a time: cores of a shared machine are not equally fast.
inline constexpr std::ptrdiff_t copy_block = 1 << 14;

/// Some cores saturate memory; the runtime's polling workers need theirs, and a team that shares a
/// core with one waits for whole time slices.
inline int copy_threads() {
    return std::clamp(omp_get_num_procs() / 2, 1, 8);
}

} // namespace starfmm

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

/// The runtime's polling workers need their cores, and a team that shares a core with one waits for
/// whole time slices. Eight are faster than a GPU's link; of very many values, which several GPUs
/// take, there is a thread for each 2^20.
/// \param n values
inline int copy_threads(std::ptrdiff_t n) {
    const auto most = static_cast<int>(std::clamp<std::ptrdiff_t>(n >> 20, 8, 32));
    return std::clamp(omp_get_num_procs() / 2, 1, most);
}

} // namespace starfmm

// SPDX-License-Identifier: BSD-3-Clause
// Copies of the user's arrays, and the number of threads that make them.
#pragma once

#include <cstddef>

namespace starfmm {

/// The number of values below which waking threads takes longer than copying.
inline constexpr std::ptrdiff_t few_values = 100'000;

/// The number of values that a thread takes at a time: cores of a shared machine are not equally
/// fast.
inline constexpr std::ptrdiff_t copy_block = 1 << 14;

/// Returns the number of threads that copy; one in a process that was forked, which has none of
/// OpenMP's threads. The runtime's polling workers need their cores, and a
/// team that shares a core with one waits for whole time slices. Eight threads are faster than a
/// GPU's link; very many values, which several GPUs take, have a thread for each 2^20.
/// \param n  number of values
[[nodiscard]] int copy_threads(std::ptrdiff_t n);

/// Copies bytes, by several threads if they are many.
void copy_bytes(const void* from, std::size_t n_bytes, void* to);

} // namespace starfmm

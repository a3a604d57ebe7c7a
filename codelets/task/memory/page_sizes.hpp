// SPDX-License-Identifier: BSD-3-Clause
// Sizes of the pages in which the system gives memory.
#pragma once

#include <cstddef>

namespace starfmm {

inline constexpr std::size_t page_size = 4096;

/// The size of huge pages, which fault, and are mapped, as a whole, where the system has them to
/// give.
inline constexpr std::size_t huge_page_size = std::size_t(1) << 21U;

} // namespace starfmm

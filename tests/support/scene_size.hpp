// SPDX-License-Identifier: BSD-3-Clause
// Smaller scenes under tools that slow programs down.
#pragma once

#include <cstddef>
#include <cstdlib>

/// The points that a test asks for, or a sixth of them where STARFMM_SMALL_SCENES is set:
/// sanitizers take a hundred times as long, those of a GPU's memory a thousand times.
inline std::size_t scene_size(std::size_t n) {
    return std::getenv("STARFMM_SMALL_SCENES") == nullptr ? n : (n + 5) / 6;
}

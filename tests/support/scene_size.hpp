// SPDX-License-Identifier: BSD-3-Clause
// Smaller scenes under tools that slow programs down.
#pragma once

#include <cstddef>
#include <cstdlib>

/// Sanitizers take a hundred times as long, those of a GPU's memory a thousand times.
inline bool small_scenes() {
    return std::getenv("STARFMM_SMALL_SCENES") != nullptr;
}

/// The points that a test asks for, or a sixth of them.
inline std::size_t scene_size(std::size_t n) {
    return small_scenes() ? (n + 5) / 6 : n;
}

/// Which cases of a long product of options a test takes: all, or one in seven of small scenes.
class TakesTurns {
public:
    bool operator()() { return n_asked_++ % 7 == 0 || !small_scenes(); }

private:
    int n_asked_ = 0;
};

// SPDX-License-Identifier: BSD-3-Clause
// Scenes are smaller under tools that slow programs down.
#pragma once

#include <cstddef>
#include <cstdlib>

/// Whether scenes are small: sanitizers take a hundred times as long, those of a GPU's memory a
/// thousand times.
inline bool small_scenes() {
    return std::getenv("STARFMM_SMALL_SCENES") != nullptr;
}

/// Returns the number of points that a test asks for, or a sixth of it.
inline std::size_t scene_size(std::size_t n) {
    return small_scenes() ? (n + 5) / 6 : n;
}

/// Chooses the cases of a long product of options that a test takes: all, or one in seven of small
/// scenes.
class TakesTurns {
public:
    bool operator()() { return n_asked_++ % 7 == 0 || !small_scenes(); }

private:
    int n_asked_ = 0;
};

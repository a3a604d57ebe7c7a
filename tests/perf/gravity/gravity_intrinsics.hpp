// SPDX-License-Identifier: BSD-3-Clause
// What a core reaches on softened gravity in single precision by a loop written in intrinsics.
#pragma once

#include <cstddef>

namespace starfmm {

/// Bodies in separate arrays, as such a loop wants them; n a multiple of 64.
struct PlainBodies {
    std::size_t n;
    const float* x;
    const float* y;
    const float* z;
    const float* mass;
    float epsilon_square;
};

/// The widest instruction set of this processor that the loop is written for.
[[nodiscard]] const char* gravity_loop_name();

/// Accelerations of all bodies, [3][n], by the caller. Throws Error on other processors.
void gravity_loop(const PlainBodies& bodies, float* acceleration);

} // namespace starfmm

// SPDX-License-Identifier: BSD-3-Clause
// A loop written in intrinsics shows what a core can do on softened gravity in single precision.
#pragma once

#include <cstddef>

namespace starfmm {

/// Bodies in separate arrays, as the loop takes them; n is a multiple of 64.
struct PlainBodies {
    std::size_t n;
    const float* x;
    const float* y;
    const float* z;
    const float* mass;
    float epsilon_square;
};

/// Returns the widest instruction set of this processor that the loop is written for.
[[nodiscard]] const char* gravity_loop_name();

/// Computes accelerations of all bodies, [3][n], in the caller's thread.
/// \throws Error on processors that the loop is not written for
void gravity_loop(const PlainBodies& bodies, float* acceleration);

} // namespace starfmm

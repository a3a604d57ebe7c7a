// SPDX-License-Identifier: BSD-3-Clause
// The two forms of Laurent2D's M2M, M2L and L2L on a GPU, and the choice between them by what the
// GPU is and by what runs on it.
#pragma once

#include "codelets/task/codelet.hpp"

namespace starfmm {

/// The forms by the numbers that TaskArgs::implementation has for them.
enum class TranslationForm {
    by_device = any_implementation,
    matrix = 0, ///< many boxes at once, on the FP64 matrix units
    lanes = 1   ///< a box or a coefficient a lane
};

/// A GPU as translations see it.
struct GpuTraits {
    int rate_ratio;   ///< operations in single precision in the time of one in double
    int compiled_for; ///< compute capability, times ten, that the code it runs was compiled for:
                      ///< the device's own or, through PTX, an older one
};

/// Whether the code has instructions for FP64 matrix units: from 8.0 on.
constexpr bool has_matrix_code(const GpuTraits& gpu) {
    constexpr int first = 80;
    return gpu.compiled_for >= first;
}

/// Returns the faster form. Matrix units are worth using where double precision is about half as
/// fast as single, as on 8.0, 9.0 and 10.0: elsewhere, 32 or 64 times slower, they are no faster
/// than the rest.
constexpr TranslationForm translation_form(const GpuTraits& gpu) {
    constexpr int highest_ratio = 4;
    return has_matrix_code(gpu) && gpu.rate_ratio <= highest_ratio ? TranslationForm::matrix
                                                                   : TranslationForm::lanes;
}

} // namespace starfmm

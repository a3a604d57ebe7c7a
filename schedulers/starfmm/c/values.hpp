// SPDX-License-Identifier: BSD-3-Clause
// Kernels, options, errors and reports of C as values of the library, and back.
#pragma once

#include "starfmm/starfmm.h"
#include "starfmm/starfmm.hpp"

#include <string>

namespace starfmm::c {

/// Returns the kernel of that name, with its parameters.
/// \throws InputError for a kernel that is not built in, or parameters that it does not have
[[nodiscard]] Kernel kernel(const starfmm_kernel* given);

/// Returns what a sum is asked for, but its points.
/// \param given NULL: the defaults
/// \throws InputError for values that no version knows
[[nodiscard]] SumOptions options(const starfmm_options* given);

/// Returns errors in the struct of this version.
[[nodiscard]] starfmm_errors errors(const Errors& found);

/// Returns a report in one of the formats of starfmm_sum_report().
/// \throws InputError for an unknown format
[[nodiscard]] std::string text(const Report& report, int format);

} // namespace starfmm::c

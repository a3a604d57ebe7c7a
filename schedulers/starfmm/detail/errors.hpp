// SPDX-License-Identifier: BSD-3-Clause
// The errors of values, part by part.
#pragma once

#include "starfmm/detail/sum_engine.hpp"

#include <cstddef>
#include <vector>

namespace starfmm::detail {

/// Compares values of the targets `which` with exact ones. A value that is not finite has an
/// infinite error; where the exact value is zero, so has any other.
/// \returns errors that are allowed where each part is within its share of the tolerance, and what
/// double precision leaves of it
[[nodiscard]] Errors errors_of(
    const KernelShape& shape,
    const Components& values,
    const ExactValues& exact,
    const std::vector<std::size_t>& which,
    const Tolerance& tolerance
);

/// Keeps the larger of both in `worst`, and whether both are allowed.
void keep_larger(const Errors& errors, Errors& worst);

} // namespace starfmm::detail

// SPDX-License-Identifier: BSD-3-Clause
// The errors of values, part by part.
#pragma once

#include "starfmm/detail/sum_engine.hpp"

#include <cstddef>
#include <vector>

namespace starfmm::detail {

/// Compares values of the targets `which` with exact ones. A value that is not finite has an
/// infinite error; where the exact value is zero, so has any other.
[[nodiscard]] Errors errors_of(
    const KernelShape& shape,
    const Components& values,
    const ExactValues& exact,
    const std::vector<std::size_t>& which
);

/// Keeps the larger of both in `worst`.
void keep_larger(const Errors& errors, Errors& worst);

/// Whether each part is within its share of the tolerance.
[[nodiscard]] bool
are_within(const Errors& errors, const KernelShape& shape, const Tolerance& tolerance);

} // namespace starfmm::detail

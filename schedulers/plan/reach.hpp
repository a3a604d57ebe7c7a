// SPDX-License-Identifier: BSD-3-Clause
// Which tolerances an order and a precision can meet.
#pragma once

#include "codelets/sets/kernel_set.hpp"
#include "core/options.hpp"

namespace starfmm {

/// Smallest tolerance for which the kernel's own rule asks for no more than `order` terms.
[[nodiscard]] double reach_of_order(const KernelTraits& kernel, int order, double theta);

/// Smallest tolerance that sums can meet whatever their order: four units in the last place, about
/// what sums of a million terms lose (docs/numerics.md).
[[nodiscard]] double reach_of_precision(const KernelTraits& kernel);

/// \throws InputError if the kernel's precision cannot meet the tolerance
void check_precision(const KernelTraits& kernel, double tolerance);

/// For orders that the tolerance decides. Where the largest order falls short of the rule by no
/// more than the sixteenth that the rule leaves for cancellation, it stands.
/// \throws InputError if no order can meet the tolerance with this theta
void check_order(const KernelTraits& kernel, double tolerance, double theta);

/// For any order: bodies have room for as many coefficients as the largest order of a series has.
/// \throws InputError if a box of this order has more
void check_coefficients(const KernelTraits& kernel, int order);

} // namespace starfmm

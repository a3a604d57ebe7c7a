// SPDX-License-Identifier: BSD-3-Clause
// Which tolerances an order and a precision can meet.
#pragma once

#include "codelets/sets/kernel_set.hpp"
#include "schedulers/costs/order_rule.hpp"

namespace starfmm {

/// Smallest tolerance for which the rule asks for no more than `order` terms.
[[nodiscard]] double reach_of_order(const OrderRule& rule, int order, double theta);

/// Smallest tolerance that sums can meet whatever their order: what the kernel says that they lose
/// in its precision (docs/numerics.md).
[[nodiscard]] double reach_of_precision(const KernelTraits& kernel);

/// \throws InputError if the kernel's precision cannot meet the tolerance
void check_precision(const KernelTraits& kernel, double tolerance);

/// Checks orders that the tolerance decides. Where a rule stops at the largest order, and this
/// falls short by no more than the sixteenth that the rule leaves for cancellation, it stands.
/// \throws InputError if no order can meet the tolerance with this theta
void check_order(const OrderRule& rule, double tolerance, double theta);

/// Checks any order: bodies of codelets have room for as many coefficients as the largest order of
/// the kernel has.
/// \throws InputError if this order is larger, or a box of it has more
void check_coefficients(const KernelTraits& kernel, int order);

} // namespace starfmm

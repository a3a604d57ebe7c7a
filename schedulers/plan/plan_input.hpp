// SPDX-License-Identifier: BSD-3-Clause
// Checks here refuse a plan's points and strengths without looking at their values.
#pragma once

#include "core/particles/points.hpp"
#include "schedulers/graphs/point_sets.hpp"
#include "schedulers/plan/plan.hpp"

#include <cstddef>
#include <string>

namespace starfmm {

/// Checks the number of points.
/// \throws InputError naming `what` if there are no points, more than indices can count, or
/// coordinates of unequal number
void check_sizes(const PointsRef& points, const char* what);

/// Checks the number of strengths.
/// \throws InputError naming `what` unless there are `n_sources` strengths
void check_sizes(const StrengthsRef& strengths, std::size_t n_sources, const std::string& what);

/// Checks the number of lengths.
/// \throws InputError unless sources, and targets that have any, have a length each if the kernel has
/// lengths, and none else
void check_lengths(
    const KernelTraits& kernel, const PointsRef& sources, const PointsRef& targets, PointSets sets
);

/// Checks the field that separations by own error need.
/// \throws InputError unless own_error is in (0, 1), all arrays have a value a source, and the
/// kernel and the options are such that separations may depend on a field
void check_field(
    const KernelTraits& kernel,
    const PlanOptions& options,
    const PointsRef& sources,
    const LastField& field
);

} // namespace starfmm

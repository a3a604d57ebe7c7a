// SPDX-License-Identifier: BSD-3-Clause
// The near field in extended precision, by its definition, and the distance of results from it.
#pragma once

#include "core/particles/points.hpp"
#include "core/tree/uniform_tree.hpp"

#include <cstddef>
#include <vector>

namespace starfmm {

/// The results of a near field: [n_values][n], in the user's order.
using NearValues = std::vector<std::vector<double>>;

/// A pairwise law in extended precision: `values` of the difference source - target, which are zero
/// where the difference is.
struct ExactLaw {
    int n_values;
    void (*pair)(const long double* difference, long double* values);
};

/// The exact values of some targets, and their scale.
struct NearSum {
    std::vector<std::vector<long double>> values;    ///< [n_values][targets]
    std::vector<std::vector<long double>> magnitude; ///< [n_values][targets] sum_j |G_c q_j|
};

/// Returns the near fields of the points `which`, to which all points contribute whose boxes of
/// level `height` touch theirs, on all cores in O(N + targets * (N + pairs)).
template <int D>
NearSum near_sum(
    const ExactLaw& law,
    const Points<D>& points,
    const std::vector<double>& strengths,
    int height,
    const std::vector<std::size_t>& which
);

/// Returns the relative distance in the 2-norm over all targets and components: 0 if both are zero,
/// infinity if a value is not a number.
double relative_error(
    const NearValues& values, const NearSum& exact, const std::vector<std::size_t>& which
);

} // namespace starfmm

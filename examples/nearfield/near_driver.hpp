// SPDX-License-Identifier: BSD-3-Clause
// Runs of the near-field driver, and what they tell their user, are declared here.
#pragma once

#include "core/particles/points.hpp"
#include "examples/cli/report.hpp"
#include "examples/nearfield/near_options.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace starfmm {

/// Times of the repeats, in seconds.
struct NearTimes {
    double topology = 0;       ///< tree and lists
    std::vector<double> sum;   ///< evaluations, from strengths to results
    std::vector<double> tasks; ///< execution times of P2P, summed over workers
};

struct NearReport : RunWorkers {
    NearOptions options;
    std::size_t n = 0;
    double n_pairs = 0; ///< directed pairs: both points of a pair count
    int n_groups = 0;
    NearTimes times;
    std::optional<double> error; ///< relative error in the 2-norm, of potential or gradient
};

/// Makes `per_box` points in every box of a tree over the unit square or cube, in random order.
/// Points are uniform in their boxes, except for the two corners of the domain.
template <int D>
[[nodiscard]] Points<D> points_in_boxes(int height, std::size_t per_box, std::uint64_t seed);

/// Does one run as the options say.
/// \returns the exit code
int run_near_field(const NearOptions& options);

/// Prints [SL13 Table III]: both implementations and the runtime's choice, 8 to 512 points a box.
/// \returns the exit code
int run_near_table(const NearOptions& options);

} // namespace starfmm

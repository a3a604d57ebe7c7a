// SPDX-License-Identifier: BSD-3-Clause
// What a driver sums, in the plane or in space: read from files or generated.
#pragma once

#include "codelets/task/cuda_devices.hpp"
#include "core/particles/points.hpp"
#include "core/reference/cancellation.hpp"
#include "examples/cli/cli.hpp"

#include <deque>
#include <span>
#include <vector>

namespace starfmm {

struct Problem {
    AnyPoints sources;
    std::vector<Strengths> strengths; ///< strengths of each right-hand side
    AnyPoints targets;                ///< empty: the sources
    bool separate_targets = false;
    SpaceCancellation cancellation; ///< how far sums in space cancel

    [[nodiscard]] const AnyPoints& evaluation_points() const {
        return separate_targets ? targets : sources;
    }
};

/// \throws InputError for unreadable files and bad values
[[nodiscard]] Problem make_problem(const DriverOptions& options);

/// Page-locks the arrays for GPUs, as callers do who use them again and again; makes room for the
/// results.
[[nodiscard]] std::deque<PageLock>
page_lock(const Problem& problem, std::span<Potentials> potentials);

} // namespace starfmm

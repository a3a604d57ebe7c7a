// SPDX-License-Identifier: BSD-3-Clause
// The steps of the driver of gravity by a tree.
#pragma once

#include "core/reference/gravity_reference.hpp"
#include "examples/gravity/gravity_options.hpp"
#include "schedulers/plan/plan_info.hpp"
#include "schedulers/trace/trace.hpp"

#include <optional>
#include <string>
#include <vector>

namespace starfmm {

/// What a run tells its user.
struct TreeReport {
    GravityDriverOptions options;
    PlanInfo plan;
    double own_error = 0;   ///< GravityTree::own_error()
    std::string why_direct; ///< GravityTree::why_direct()
    AccelerationErrors allowed{};
    std::size_t n = 0;
    std::vector<double> total; ///< seconds of each repeat, from host memory to host memory
    std::vector<Phase> phases; ///< phases of the last repeat
    std::size_t tasks = 0;     ///< tasks of the last repeat
    int n_cpu = 0;
    int n_cuda = 0;
    int n_opencl = 0;
    std::string scheduler;
    std::optional<GravityErrors> error;
};

/// What the options ask for.
/// \throws InputError as GravityTreeOptions
[[nodiscard]] GravityTreeOptions tree_options(const GravityDriverOptions& options);

/// The tolerances asked for, or what order and theta should reach.
[[nodiscard]] AccelerationErrors
allowed_errors(const GravityDriverOptions& options, const GravityTreeOptions& tree);

/// Evaluates `warmup + repeat` times; the result of the last one is in `out`.
[[nodiscard]] TreeReport
run_gravity_tree(const GravityDriverOptions& options, const Bodies& bodies, Accelerations& out);

/// Writes what the options ask for, prints the report.
/// \returns 1 if the check failed, else 0
int finish(const TreeReport& report, const Accelerations& results);

} // namespace starfmm

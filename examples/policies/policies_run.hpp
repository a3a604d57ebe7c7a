// SPDX-License-Identifier: BSD-3-Clause
// A run is what starfmm-policies measures of one policy.
#pragma once

#include "examples/policies/policies_options.hpp"
#include "schedulers/runtime/runtime.hpp"

#include <nlohmann/json.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace starfmm {

/// Measurements of one evaluation, from host memory to host memory.
struct PolicyRun {
    double makespan_s = 0;
    double path_s = 0;      ///< critical path by predicted times
    double area_s = 0;      ///< time with all workers always busy, by predicted times
    double own_bound_s = 0; ///< the larger bound by the times that the run's tasks took
    double idle = 0;        ///< idle share of the time of workers of the kinds that ran anything
    double moved_bytes = 0; ///< bytes moved between memories
    double tasks = 0;

    /// Lower bound of the makespan: no schedule is faster if predictions are right.
    [[nodiscard]] double bound_s() const;
};

/// Runs the workload under a policy, in this process, which uses StarPU for nothing else.
/// \returns [repeat] timed evaluations
/// \throws as Runtime and plans do
[[nodiscard]] std::vector<PolicyRun>
measure_policy(const PoliciesOptions& options, const std::string& policy);

/// Converts a run to JSON and back, for a pipe between processes.
void to_json(nlohmann::json& json, const PolicyRun& run);
void from_json(const nlohmann::json& json, PolicyRun& run);

} // namespace starfmm

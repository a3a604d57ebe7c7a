// SPDX-License-Identifier: BSD-3-Clause
// What starfmm-policies measures of one policy.
#pragma once

#include "examples/policies/policies_options.hpp"
#include "schedulers/runtime/runtime.hpp"

#include <nlohmann/json.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace starfmm {

/// One evaluation, from host memory to host memory.
struct PolicyRun {
    double makespan_s = 0;
    double path_s = 0;      ///< critical path by predicted times
    double area_s = 0;      ///< all workers always busy, by predicted times
    double own_bound_s = 0; ///< the larger of both by the times that its tasks took
    double idle = 0;        ///< share of the time of workers of the kinds that ran anything
    double moved_bytes = 0; ///< between memories
    double tasks = 0;

    /// No schedule is faster, if predictions are right.
    [[nodiscard]] double bound_s() const;
};

/// The workload under a policy, in this process, whose only use of StarPU it is.
/// \returns [repeat] timed evaluations
/// \throws as Runtime and plans do
[[nodiscard]] std::vector<PolicyRun>
measure_policy(const PoliciesOptions& options, const std::string& policy);

/// For a pipe between processes.
void to_json(nlohmann::json& json, const PolicyRun& run);
void from_json(const nlohmann::json& json, PolicyRun& run);

} // namespace starfmm

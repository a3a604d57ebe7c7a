// SPDX-License-Identifier: BSD-3-Clause
// The table is the comparison that starfmm-policies makes.
#pragma once

#include "examples/policies/policies_run.hpp"

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace starfmm {

/// Result of one policy.
struct PolicyResult {
    std::string policy;
    std::vector<PolicyRun> runs; ///< runs of all rounds
    std::string failure;         ///< why it failed; empty: it did not

    /// Returns the medians of the runs, zeros without runs.
    [[nodiscard]] PolicyRun median() const;
};

/// Measures every policy in turn, each in a process of its own. A policy that fails or hangs has no
/// further turn.
/// \throws InputError for what is wrong under any policy
[[nodiscard]] std::vector<PolicyResult> compare_policies(const PoliciesOptions& options);

/// Returns the least bound of all policies' runs: a policy that shares out less has a larger one.
[[nodiscard]] PolicyRun least_bound(const std::vector<PolicyResult>& results);

[[nodiscard]] std::string
policies_table(const PoliciesOptions& options, const std::vector<PolicyResult>& results);

[[nodiscard]] nlohmann::json
policies_record(const PoliciesOptions& options, const std::vector<PolicyResult>& results);

} // namespace starfmm

// SPDX-License-Identifier: BSD-3-Clause
// The comparison that starfmm-policies makes, and how it says what it found.
#pragma once

#include "examples/policies/policies_run.hpp"

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace starfmm {

/// Of one policy.
struct PolicyResult {
    std::string policy;
    std::vector<PolicyRun> runs; ///< of all rounds
    std::string failure;         ///< empty: none

    /// Its medians; of no runs nothing.
    [[nodiscard]] PolicyRun median() const;
};

/// Every policy in turn, each in a process of its own. One that fails or hangs has no further turn.
/// \throws InputError for what is wrong under any policy
[[nodiscard]] std::vector<PolicyResult> compare_policies(const PoliciesOptions& options);

/// The least bound that any policy's run has: one that shares less out has a larger one.
[[nodiscard]] PolicyRun least_bound(const std::vector<PolicyResult>& results);

[[nodiscard]] std::string
policies_table(const PoliciesOptions& options, const std::vector<PolicyResult>& results);

[[nodiscard]] nlohmann::json
policies_record(const PoliciesOptions& options, const std::vector<PolicyResult>& results);

} // namespace starfmm

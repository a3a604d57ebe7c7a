// SPDX-License-Identifier: BSD-3-Clause
// What the JSON records of all drivers have in common.
#pragma once

#include "core/particles/distributions.hpp"
#include "core/reference/gravity_reference.hpp"
#include "examples/cli/report.hpp"
#include "schedulers/plan/plan_info.hpp"
#include "schedulers/trace/trace.hpp"

#include <nlohmann/json.hpp>

#include <optional>
#include <string>
#include <vector>

namespace starfmm {

/// Names that the command line has for these values.
[[nodiscard]] const char* name_of(Method method);
[[nodiscard]] const char* name_of(CostSource costs);

/// "all" where workers are of one kind.
[[nodiscard]] const char* name_of(Team team);
[[nodiscard]] const char* name_of(PairTerms terms);

/// Null for what was not given.
[[nodiscard]] nlohmann::json file_of(const std::string& name);

/// "input", "distribution" and "sigma": null where they mean nothing.
[[nodiscard]] nlohmann::json distribution_of(
    Distribution distribution, double sigma, const std::string& input, Naming naming = Naming::plane
);

/// The value of "tuning": costs, and predicted times, null where nothing was predicted.
[[nodiscard]] nlohmann::json tuning_of(const PlanInfo& plan);

/// "workers", "scheduler" and "tasks".
[[nodiscard]] nlohmann::json workers_of(const RunWorkers& run);

/// The value of "work" of sums by a tree.
[[nodiscard]] nlohmann::json work_of(const WorkCounts& work);

/// The value of "phase_s": seconds by operator.
[[nodiscard]] nlohmann::json phase_times(const std::vector<Phase>& phases);

/// Errors of accelerations; null where they were not compared.
[[nodiscard]] nlohmann::json error_of(const std::optional<GravityErrors>& error);

/// Largest resident memory of this process so far, in bytes.
[[nodiscard]] std::size_t peak_rss_bytes();

/// JSON, in which what is no UTF-8 is replaced: names of files may be any bytes.
[[nodiscard]] std::string json_text(const nlohmann::json& record, int indent = -1);

/// A file that appears complete or not at all.
/// \throws OutputError naming it
void write_record(const std::string& path, const nlohmann::json& record);

} // namespace starfmm

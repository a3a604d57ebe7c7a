// SPDX-License-Identifier: BSD-3-Clause
// The JSON record of a run, the same for all drivers.
#pragma once

#include "examples/cli/report.hpp"
#include "schedulers/plan/plan_info.hpp"

#include <nlohmann/json.hpp>

#include <string>

namespace starfmm {

/// Names that the command line has for these values.
[[nodiscard]] const char* name_of(Method method);
[[nodiscard]] const char* name_of(Precision precision);
[[nodiscard]] const char* name_of(CostSource costs);
[[nodiscard]] const char* name_of(TreeKind tree, int dimension);

/// "all" where workers are of one kind.
[[nodiscard]] const char* name_of(Team team);

[[nodiscard]] const char* name_of(Softening softening);
[[nodiscard]] const char* name_of(PairScheme pairs);

/// The method of a run, which may be gravity's tree.
[[nodiscard]] const char* method_of(const RunReport& report, Method method);

/// Whether the sum went by an octree.
[[nodiscard]] bool has_octree(const RunReport& report);

/// Whether the sum was of gravity.
[[nodiscard]] bool is_gravity(const RunReport& report);

/// Null for what was not given.
[[nodiscard]] nlohmann::json file_of(const std::string& name);

/// The value of "phase_s": seconds by operator.
[[nodiscard]] nlohmann::json phase_times(const std::vector<Phase>& phases);

/// The record of design "Command line": null is what means nothing.
[[nodiscard]] nlohmann::json record_of(const RunReport& report);

/// JSON, in which what is no UTF-8 is replaced: names of files may be any bytes.
[[nodiscard]] std::string json_text(const nlohmann::json& record, int indent = -1);

/// A file that appears complete or not at all.
/// \throws OutputError naming it
void write_record(const std::string& path, const nlohmann::json& record);

} // namespace starfmm

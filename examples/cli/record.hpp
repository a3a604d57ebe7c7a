// SPDX-License-Identifier: BSD-3-Clause
// The JSON record of a run, the same for all drivers.
#pragma once

#include "examples/cli/report.hpp"

#include <nlohmann/json.hpp>

#include <string>

namespace starfmm {

/// Null for what was not given.
[[nodiscard]] nlohmann::json file_of(const std::string& name);

/// The value of "phase_s": seconds by operator.
[[nodiscard]] nlohmann::json phase_times(const std::vector<Phase>& phases);

/// The record of design "Command line": null is what means nothing.
[[nodiscard]] nlohmann::json record_of(const RunReport& report);

/// The name of a method, which may be gravity's tree.
[[nodiscard]] const char* method_of(const RunReport& report, Method method);

/// JSON, in which what is no UTF-8 is replaced: names of files may be any bytes.
[[nodiscard]] std::string json_text(const nlohmann::json& record, int indent = -1);

/// A file that appears complete or not at all.
/// \throws OutputError naming it
void write_record(const std::string& path, const nlohmann::json& record);

} // namespace starfmm

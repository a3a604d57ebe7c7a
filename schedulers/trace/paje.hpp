// SPDX-License-Identifier: BSD-3-Clause
// Paje is the trace format that ViTE, pajeng and StarVZ's tools read.
#pragma once

#include "schedulers/trace/model.hpp"

#include <string>

namespace starfmm {

/// Writes a container for each worker, whose state is the operator that it runs; the number of
/// ready tasks; and a link for each dependency. O(n log n) for n tasks and dependencies.
/// \throws OutputError naming `path`, WriteError
void write_paje(const std::string& path, const Trace& trace);

} // namespace starfmm

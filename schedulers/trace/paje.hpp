// SPDX-License-Identifier: BSD-3-Clause
// Traces in the format of Paje, which ViTE, pajeng and StarVZ's tools read.
#pragma once

#include "schedulers/trace/model.hpp"

#include <string>

namespace starfmm {

/// A container a worker, whose state is the operator that it runs; the number of ready tasks; a
/// link a dependency. O(n log n) for n tasks and dependencies.
/// \throws OutputError naming `path`, WriteError
void write_paje(const std::string& path, const Trace& trace);

} // namespace starfmm

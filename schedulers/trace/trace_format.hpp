// SPDX-License-Identifier: BSD-3-Clause
// What tells traces of this library from other JSON files.
#pragma once

namespace starfmm {

inline constexpr const char* trace_format_name = "starfmm trace";

/// Counts changes that earlier readers cannot read.
inline constexpr int trace_format_version = 1;

} // namespace starfmm

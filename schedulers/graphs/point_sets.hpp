// SPDX-License-Identifier: BSD-3-Clause
// Whether a sum has targets of its own.
#pragma once

namespace starfmm {

/// Whether the targets are the sources (one set) or points of their own (two sets).
enum class PointSets { one, two };

} // namespace starfmm

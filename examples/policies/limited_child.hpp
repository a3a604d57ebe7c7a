// SPDX-License-Identifier: BSD-3-Clause
// Work in a process of its own, which ends at a time limit at the latest.
#pragma once

#include <functional>
#include <string>

namespace starfmm {

/// What became of a child.
struct ChildResult {
    enum class End { returned, failed, timed_out } end = End::failed;
    std::string text; ///< what the work returned, or why there is nothing
};

/// Calls `work` in a copy of this process, which must have neither threads nor GPUs in use, and
/// waits for the text that it returns. A child that hangs is killed.
/// \param limit_s seconds
/// \throws Error if no process can be made
[[nodiscard]] ChildResult run_in_child(const std::function<std::string()>& work, double limit_s);

} // namespace starfmm

// SPDX-License-Identifier: BSD-3-Clause
// A child does work in a process of its own, which ends at a time limit at the latest.
#pragma once

#include <functional>
#include <string>

namespace starfmm {

/// The outcome of a child.
struct ChildResult {
    enum class End { returned, failed, timed_out } end = End::failed;
    std::string text; ///< text that the work returned, or why there is none
};

/// Calls `work` in a copy of this process, which must use neither threads nor GPUs, and waits for
/// the text that it returns. A child that hangs is killed.
/// \param limit_s time limit in seconds
/// \throws Error if no process can be made
[[nodiscard]] ChildResult run_in_child(const std::function<std::string()>& work, double limit_s);

} // namespace starfmm

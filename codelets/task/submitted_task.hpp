// SPDX-License-Identifier: BSD-3-Clause
// What a task that was submitted tells those who schedule it, beside predicted_seconds().
#pragma once

#include "codelets/task/codelet.hpp"

namespace starfmm {

/// What a Codelet's task was told; null for tasks of others, as StarPU has some of its own. The
/// operator is task.cl->name.
[[nodiscard]] const TaskArgs* args_of(const starpu_task& task);

} // namespace starfmm

// SPDX-License-Identifier: BSD-3-Clause
// The data that a submitted task gives those who schedule it, beside predicted_seconds().
#pragma once

#include "codelets/task/codelet.hpp"

namespace starfmm {

/// Returns the arguments of a Codelet's task; null for tasks of others, as StarPU has some of its
/// own. The operator is task.cl->name.
[[nodiscard]] const TaskArgs* args_of(const starpu_task& task);

} // namespace starfmm

// SPDX-License-Identifier: BSD-3-Clause
// Workers that find nothing to do leave their cores to others.
#pragma once

#include "schedulers/runtime/session.hpp"

#include <chrono>
#include <string>

struct starpu_sched_policy;

namespace starfmm {

/// Returns the policy of that name, with workers that rest. Without rests, workers ask for tasks
/// all the time, and a thread that submits tasks or drives a GPU on the same core waits for a time
/// slice of the system's. A CPU worker sleeps for moments once it has found nothing for a while. A
/// worker of a kind that is not engaged sleeps for longer, and still runs what it is given.
/// \param name one of policy_names()
[[nodiscard]] starpu_sched_policy* with_rests(const std::string& name);

/// Has the last CPU worker rest for some time, if there are others; 0 ends the rest. Callers that
/// submit tasks use it: where each core has a worker, they would wait for a time slice, or make the
/// thread that drives a GPU wait for one. The policy's cores must share a queue, so that no task
/// waits for that worker.
void leave_core(std::chrono::milliseconds time);

/// Says which of a session's workers have work.
/// \param engaged number of engaged workers of each kind
void let_rest(const WorkerCounts& engaged);

} // namespace starfmm

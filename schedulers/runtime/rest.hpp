// SPDX-License-Identifier: BSD-3-Clause
// Workers that find nothing to do leave their cores to others.
#pragma once

#include "schedulers/runtime/session.hpp"

#include <chrono>
#include <string>

struct starpu_sched_policy;

namespace starfmm {

/// The policy of that name, whose workers rest. Without, they ask for tasks all the time, and
/// who submits tasks or drives a GPU on the same core waits for a time slice of the system's. A CPU
/// worker sleeps for moments once it has found nothing for a while; a worker of a kind that is not
/// engaged sleeps for longer, and does what it is given all the same.
/// \param name one of policy_names()
[[nodiscard]] starpu_sched_policy* with_rests(const std::string& name);

/// The last CPU worker, if there are others, rests for some time, 0: no longer. For callers that
/// submit tasks: where each core has a worker, they would wait for a time slice, or make who drives
/// a GPU wait for one. For policies whose cores share a queue: no task waits for that worker.
void leave_core(std::chrono::milliseconds time);

/// Says which of a session's workers have work.
/// \param engaged how many of each kind
void let_rest(const WorkerCounts& engaged);

} // namespace starfmm

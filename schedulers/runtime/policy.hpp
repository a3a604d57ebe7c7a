// SPDX-License-Identifier: BSD-3-Clause
// This header finds scheduling policies by name: StarPU's, ours, and users' own.
#pragma once

#include "schedulers/runtime/policies/policy_type.hpp"
#include "schedulers/runtime/session.hpp"

#include <string>
#include <vector>

namespace starfmm {

/// Names of all known policies: StarPU's, `starfmm`, and those that were registered.
[[nodiscard]] std::vector<std::string> policy_names();

/// Makes a policy known by its name, as `scheduler` of runtimes that start from here on.
/// \param policy description whose strings outlive the program's runtimes
/// \throws InputError if the policy has no name, or another policy's
void register_policy(const starpu_sched_policy& policy);

/// Registers a policy that is written as a type.
template <SchedulingPolicy P>
void register_policy() {
    register_policy(starpu_policy<P>());
}

/// Returns a copy of the policy of that name.
/// \param name one of policy_names()
[[nodiscard]] starpu_sched_policy policy_of_name(const std::string& name);

/// Whether cores take tasks from one queue under that policy, so that no task waits for one certain
/// CPU worker. Under `lws`, cores steal from each other, and some tasks of a resting worker stay
/// with it.
[[nodiscard]] bool shares_among_cores(const std::string& name);

/// Chooses the policy to start StarPU with.
/// \param wanted a name, or empty for that of STARPU_SCHED. Without one the policy is `dmdas` where
/// there is a GPU (StarPU's default left CUDA-only tasks unscheduled), else `lws`, which keeps a
/// group's tasks on the core that has its data in cache, or `starfmm` for eight cores or more
/// \throws InputError listing the names if `wanted` is none of them
[[nodiscard]] std::string choose_policy(const std::string& wanted, const WorkerCounts& workers);

} // namespace starfmm

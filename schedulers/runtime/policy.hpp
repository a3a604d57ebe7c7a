// SPDX-License-Identifier: BSD-3-Clause
// Scheduling policies by name: StarPU's, ours, and users' own.
#pragma once

#include "schedulers/runtime/policies/policy_type.hpp"
#include "schedulers/runtime/session.hpp"

#include <string>
#include <vector>

namespace starfmm {

/// Names of the policies that there are: StarPU's, `starfmm`, and those that were registered.
[[nodiscard]] std::vector<std::string> policy_names();

/// Makes a policy known by its name, as `scheduler` of runtimes that start from here on.
/// \param policy whose strings outlive the program's runtimes
/// \throws InputError if it has no name, or another's
void register_policy(const starpu_sched_policy& policy);

/// Likewise, of a type.
template <SchedulingPolicy P>
void register_policy() {
    register_policy(starpu_policy<P>());
}

/// A copy of the policy of that name.
/// \param name one of policy_names()
[[nodiscard]] starpu_sched_policy policy_of_name(const std::string& name);

/// Whether under that policy no task waits for one certain CPU worker: cores take tasks from one
/// queue. Under `lws`, where they steal from each other, some of a worker that rests stay where
/// they are.
[[nodiscard]] bool shares_among_cores(const std::string& name);

/// The policy to start StarPU with.
/// \param wanted a name, or empty: that of STARPU_SCHED; without one `dmdas` where there is a GPU
/// (StarPU's default left CUDA-only tasks unscheduled), else
///        `lws`, which keeps a group's tasks on the core that has its data in cache, or `starfmm`
///        for eight cores or more
/// \throws InputError listing the names if `wanted` is none of them
[[nodiscard]] std::string choose_policy(const std::string& wanted, const WorkerCounts& workers);

} // namespace starfmm

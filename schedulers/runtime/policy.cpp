// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/runtime/policy.hpp"

#include "core/error.hpp"
#include "schedulers/runtime/policies/starfmm_policy.hpp"
#include "schedulers/runtime/starpu_environment.hpp"

#include <starpu.h>

#include <algorithm>
#include <array>
#include <mutex>
#include <string_view>

namespace starfmm {

namespace {

std::mutex policies_mutex;

/// The registered policies that are not StarPU's.
std::vector<starpu_sched_policy>& own_policies() {
    static std::vector<starpu_sched_policy> policies{starpu_policy<StarfmmPolicy>()};
    return policies;
}

/// Lists all policies, StarPU's first.
std::vector<starpu_sched_policy> all_policies() {
    std::vector<starpu_sched_policy> all;
    for (starpu_sched_policy** policy = starpu_sched_get_predefined_policies(); *policy != nullptr;
         ++policy) {
        all.push_back(**policy);
    }
    const std::scoped_lock lock(policies_mutex);
    const std::vector<starpu_sched_policy>& own = own_policies();
    all.insert(all.end(), own.begin(), own.end());
    return all;
}

} // namespace

std::vector<std::string> policy_names() {
    std::vector<std::string> names;
    for (const starpu_sched_policy& policy : all_policies()) {
        names.emplace_back(policy.policy_name);
    }
    return names;
}

void register_policy(const starpu_sched_policy& policy) {
    const std::string name = policy.policy_name != nullptr ? policy.policy_name : "";
    if (name.empty()) {
        throw InputError("scheduling policy '': must have a name");
    }
    const std::vector<std::string> names = policy_names();
    if (std::ranges::find(names, name) != names.end()) {
        throw InputError("scheduling policy " + name + ": there is one of that name");
    }
    const std::scoped_lock lock(policies_mutex);
    own_policies().push_back(policy);
}

starpu_sched_policy policy_of_name(const std::string& name) {
    const std::vector<starpu_sched_policy> all = all_policies();
    const auto found = std::ranges::find_if(all, [&name](const starpu_sched_policy& policy) {
        return name == policy.policy_name;
    });
    if (found == all.end()) {
        throw InputError("scheduling policy " + name + ": is none of policy_names()");
    }
    return *found;
}

bool shares_among_cores(const std::string& name) {
    constexpr std::array<std::string_view, 3> sharing{StarfmmPolicy::name, "eager", "prio"};
    return std::ranges::find(sharing, name) != sharing.end();
}

std::string choose_policy(const std::string& wanted, const WorkerCounts& workers) {
    const std::string set = environment("STARPU_SCHED");
    const std::string& name = wanted.empty() ? set : wanted;
    if (name.empty()) {
        // cores from which on lws keeps some of them waiting where tasks are few
        constexpr int many = 8;
        return workers.n_cuda > 0 ? "dmdas" : workers.n_cpu >= many ? StarfmmPolicy::name : "lws";
    }
    const std::vector<std::string> names = policy_names();
    if (std::find(names.begin(), names.end(), name) != names.end()) {
        return name;
    }
    const char* const what = wanted.empty() ? "STARPU_SCHED" : "scheduler";
    std::string message = what + (" = " + name) + ": must be one of";
    for (const std::string& known : names) {
        message += " " + known;
    }
    throw InputError(message);
}

} // namespace starfmm

// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/runtime/policy.hpp"

#include "core/error.hpp"
#include "schedulers/runtime/starpu_environment.hpp"

#include <starpu.h>

#include <algorithm>

namespace starfmm {

std::vector<std::string> policy_names() {
    std::vector<std::string> names;
    for (starpu_sched_policy** policy = starpu_sched_get_predefined_policies(); *policy != nullptr;
         ++policy) {
        names.emplace_back((*policy)->policy_name);
    }
    return names;
}

std::string choose_policy(const std::string& wanted, bool has_cuda) {
    const std::string set = environment("STARPU_SCHED");
    const std::string& name = wanted.empty() ? set : wanted;
    if (name.empty()) {
        return has_cuda ? "dmdas" : "lws";
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

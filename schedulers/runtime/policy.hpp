// SPDX-License-Identifier: BSD-3-Clause
// StarPU scheduling policies by name.
#pragma once

#include <string>
#include <vector>

namespace starfmm {

/// Names of the policies that this StarPU offers.
[[nodiscard]] std::vector<std::string> policy_names();

/// The policy to start StarPU with.
/// \param wanted a name, or empty: that of STARPU_SCHED; without one `dmdas` where there is a GPU
/// (StarPU's default left CUDA-only tasks unscheduled), else
///        `lws`, which keeps a group's tasks on the core that has its data in cache
/// \throws InputError listing the names if `wanted` is none of them
[[nodiscard]] std::string choose_policy(const std::string& wanted, bool has_cuda);

} // namespace starfmm

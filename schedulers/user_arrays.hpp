// SPDX-License-Identifier: BSD-3-Clause
// The user's arrays as data of tasks: where they are, or by way of pinned memory where there is a
// GPU.
#pragma once

#include "codelets/handle.hpp"
#include "schedulers/runtime.hpp"

#include <string>
#include <vector>

namespace starfmm {

/// A handle that tasks only read; empty for no values. The array, or its pinned copy, must not
/// change before the handle is gone.
/// \param what name of the array in messages;
/// \param limit largest magnitude
/// \throws InputError naming the first value that is not finite or exceeds the limit
[[nodiscard]] Handle user_input(
    Runtime& runtime,
    const std::vector<double>& values,
    Runtime::Staging role,
    const std::string& what,
    double limit
);

/// A handle that tasks write; empty for no values. Results are in `values` after finish_output(),
/// once it is gone.
[[nodiscard]] Handle
user_output(Runtime& runtime, std::vector<double>& values, Runtime::Staging role);

/// Copies results out of pinned memory, if they are there.
void finish_output(Runtime& runtime, std::vector<double>& values, Runtime::Staging role);

} // namespace starfmm

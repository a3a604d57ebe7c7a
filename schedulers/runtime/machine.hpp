// SPDX-License-Identifier: BSD-3-Clause
// What the machine has.
#pragma once

#include <string>

namespace starfmm {

/// "AuthenticAMD family 26, AMD EPYC ...": what the cores are; empty where the system does not say.
[[nodiscard]] std::string core_name();

/// Cores that this process may run on: those that it is bound to, if it is.
[[nodiscard]] int available_cores();

/// Cores worth using: no more than the time that a container grants, rounded down.
[[nodiscard]] int default_cores();

/// CUDA devices that this process sees; 0 without a driver.
[[nodiscard]] int available_gpus();

} // namespace starfmm

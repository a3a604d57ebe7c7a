// SPDX-License-Identifier: BSD-3-Clause
// The machine's cores and GPUs are found here.
#pragma once

#include <string>

namespace starfmm {

/// Returns what the cores are, as "AuthenticAMD family 26, AMD EPYC ...", or an empty string where
/// the system does not say.
[[nodiscard]] std::string core_name();

/// Number of cores that this process may run on: those that the process is bound to, if it is
/// bound.
[[nodiscard]] int available_cores();

/// Number of cores worth using: available_cores(), but no more than the processor time that a
/// container grants, rounded down.
[[nodiscard]] int default_cores();

/// Number of CUDA devices that this process sees; 0 without a driver.
[[nodiscard]] int available_gpus();

} // namespace starfmm

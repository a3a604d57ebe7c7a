// SPDX-License-Identifier: BSD-3-Clause
// What the system lets this process have of the machine's memory and cores.
#pragma once

#include <cstddef>
#include <string>

namespace starfmm {

/// Bytes that this process may still take without being killed or refused them: of what is free, of
/// its control groups' limits (versions 1 and 2), of its address space. The largest number where
/// the system says nothing.
/// \param root what /proc and /sys are read below
[[nodiscard]] std::size_t available_memory(const std::string& root = "");

/// Bytes of its address space alone; the largest number without a limit.
/// \param root what /proc and /sys are read below
[[nodiscard]] std::size_t available_addresses(const std::string& root = "");

/// Cores' worth of time that the control groups of this process allow, > 0; infinity without a
/// limit.
/// \param root what /proc and /sys are read below
[[nodiscard]] double cpu_quota(const std::string& root = "");

} // namespace starfmm

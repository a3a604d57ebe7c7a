// SPDX-License-Identifier: BSD-3-Clause
// Whether points fit the memory, before they are drawn.
#pragma once

#include "core/host_limits.hpp"

#include <cstddef>
#include <string>

namespace starfmm {

/// The system would end a process that takes more than there is, without a word.
/// \param what the options that ask for so much, as "--n 1000000000"
/// \param bytes size of the caller's own arrays: plans need more, and refuse it themselves
/// \param available bytes that this process may take
/// \throws InputError if there is less
void check_room(const std::string& what, double bytes, std::size_t available = available_memory());

} // namespace starfmm

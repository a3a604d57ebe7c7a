// SPDX-License-Identifier: BSD-3-Clause
// Files that are read: regular ones.
#pragma once

#include <fstream>
#include <string>

namespace starfmm {

/// Whether `path`, links followed, is a file that has an end: a device may have none, and a pipe
/// lets its reader wait.
[[nodiscard]] bool is_regular_file(const std::string& path);

/// Opens such a file.
/// \throws InputError `PATH: cannot be read: why`
[[nodiscard]] std::ifstream open_input(const std::string& path);

} // namespace starfmm

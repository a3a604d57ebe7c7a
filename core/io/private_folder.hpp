// SPDX-License-Identifier: BSD-3-Clause
// Where files go that are kept for later runs, if the user's home cannot hold them.
#pragma once

#include <string>

namespace starfmm {

/// Whether `path` is a folder, made now if need be, in which files can be made.
[[nodiscard]] bool is_usable_folder(const std::string& path);

/// A folder of this user alone among the system's temporary files, the same one in every run as
/// long as nobody else has taken its name.
/// \throws WriteError if none can be made
[[nodiscard]] std::string private_folder();

} // namespace starfmm

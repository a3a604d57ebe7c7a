// SPDX-License-Identifier: BSD-3-Clause
// StarPU keeps what it measured of a machine's links in these files.
#pragma once

#include <string>

namespace starfmm {

/// Removes what StarPU measured of a machine's links if one of the files is missing, empty or
/// damaged, as a full disk leaves them. StarPU would abort on such a file, and measures again where
/// there are no files.
/// \param models StarPU's folder of performance models
void remove_damaged_link_files(const std::string& models);

} // namespace starfmm

// SPDX-License-Identifier: BSD-3-Clause
// The files in which StarPU keeps what it measured of a machine's links.
#pragma once

#include <string>

namespace starfmm {

/// Removes what StarPU measured of a machine's links if one of its files is missing, empty or
/// damaged, as a disk that was full leaves them: StarPU would abort, and where there are no files
/// it measures again. \param models StarPU's folder of performance models
void remove_damaged_link_files(const std::string& models);

} // namespace starfmm

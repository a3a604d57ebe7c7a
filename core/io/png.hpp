// SPDX-License-Identifier: BSD-3-Clause
// Images in PNG files.
#pragma once

#include "core/io/image.hpp"

#include <string>

namespace starfmm {

/// Whether this build writes the files below.
/// \throws InputError naming the file, and the cure, if not
void check_png(const std::string& path);

/// Writes 8 bits a channel, without time stamps; the file appears complete or not at all.
/// \throws OutputError
void write_png(const std::string& path, const Image& image);

} // namespace starfmm

// SPDX-License-Identifier: BSD-3-Clause
// Images in PNG files.
#pragma once

#include "core/io/image.hpp"

#include <string>

namespace starfmm {

/// Writes 8 bits a channel, without time stamps; the file appears complete or not at all.
/// \throws InputError if the image's sizes contradict each other; OutputError
void write_png(const std::string& path, const Image& image);

} // namespace starfmm

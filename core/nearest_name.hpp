// SPDX-License-Identifier: BSD-3-Clause
// What a misspelt name was meant to be.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace starfmm {

/// Returns the name of nearest spelling; empty if none is near.
[[nodiscard]] std::string nearest_name(std::string_view name, std::span<const std::string> offered);

} // namespace starfmm

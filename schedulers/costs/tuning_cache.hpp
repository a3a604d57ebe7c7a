// SPDX-License-Identifier: BSD-3-Clause
// Measured costs on disk, a small JSON file for each machine, kernel and precision.
#pragma once

#include "schedulers/costs/unit_costs.hpp"

#include <optional>
#include <string>

namespace starfmm {

/// The folder of costs: $STARFMM_CACHE_DIR, else $XDG_CACHE_HOME/starfmm, else
/// $HOME/.cache/starfmm; empty if none of the variables is set.
[[nodiscard]] std::string cache_folder();

/// cache_folder(); where it is not the user's explicit choice and cannot be used, a private folder
/// if one can be made.
[[nodiscard]] std::string usable_cache_folder();

/// File of the costs of `key` in `folder`.
[[nodiscard]] std::string cache_file(const std::string& folder, const std::string& key);

/// Costs that `file` holds for `key`; nothing if there is no such file, or one that is damaged, of
/// another key or of another format. Their age is that of the file.
[[nodiscard]] std::optional<MeasuredCosts>
read_costs(const std::string& file, const std::string& key);

/// Replaces `file`, creating its folder.
/// \throws OutputError or WriteError naming it
void write_costs(const std::string& file, const std::string& key, const MeasuredCosts& measured);

} // namespace starfmm

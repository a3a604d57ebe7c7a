// SPDX-License-Identifier: BSD-3-Clause
// Names of options: near-misses, and fields of the library that options set.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace starfmm {

/// A field of the library's and the option that sets it.
struct FieldOption {
    std::string_view field;
    std::string_view option;
};

/// What the library says of its fields, said of the options that set them: "leaf_size = 0" becomes
/// "--ndirect 0".
/// \param own options of one driver, where others have another option for a field
[[nodiscard]] std::string
in_options(const std::string& message, std::span<const FieldOption> own = {});

/// The option that was meant by one that there is not: a synonym, else the one of nearest spelling;
/// empty if none is near.
[[nodiscard]] std::string
nearest_option(const std::string& name, std::span<const std::string> offered);

} // namespace starfmm

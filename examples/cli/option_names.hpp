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
/// "--leaf-size 0".
[[nodiscard]] std::string in_options(const std::string& message);

/// What "--ncrit", an option of the last version, is called now: "--leaf-size". Empty for others.
[[nodiscard]] std::string_view renamed_option(std::string_view option);

/// What "log", a kernel of the last version, is called now: "log2d". Empty for others.
[[nodiscard]] std::string_view renamed_kernel(std::string_view kernel);

/// The option that was meant by one that there is not: a synonym, else the one of nearest spelling;
/// empty if none is near.
[[nodiscard]] std::string
nearest_option(const std::string& name, std::span<const std::string> offered);

} // namespace starfmm

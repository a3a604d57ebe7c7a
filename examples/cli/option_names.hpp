// SPDX-License-Identifier: BSD-3-Clause
// Names of options: near-misses, and fields of the library that options set; names of values.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace starfmm {

/// @{ Names that the command line and records have for values, in the order of their types.
inline constexpr const char* method_names[]{"fmm", "direct", "auto", "near_field"};
inline constexpr const char* precision_names[]{"double", "single", "mixed", "auto"};
inline constexpr const char* team_names[]{"auto", "gpus", "cores", "all"};
inline constexpr const char* cost_names[]{"none", "builtin", "cached", "measured"};
inline constexpr const char* pair_names[]{"auto", "bpb", "improved"};
inline constexpr const char* softening_names[]{"plummer", "spline", "spline"};
inline constexpr const char* summation_names[]{"any", "fixed"};
inline constexpr const char* strength_names[]{"real", "complex"};
inline constexpr const char* sign_names[]{"random", "positive"};

/// @}

template <class E, std::size_t n>
[[nodiscard]] const char* name_of(const char* const (&names)[n], E value) {
    return names[static_cast<std::size_t>(value)];
}

/// What the library says of its fields, said of the options that set them: "leaf_size = 0" becomes
/// "--leaf-size 0".
[[nodiscard]] std::string in_options(const std::string& message);

/// What "ncrit", an option of the last version, is called now: "leaf-size"; so "log", a kernel:
/// "log2d". Empty for others.
[[nodiscard]] std::string_view name_now(std::string_view name);

/// The option that was meant by one that there is not: a synonym, else the one of nearest spelling;
/// empty if none is near.
[[nodiscard]] std::string
nearest_option(const std::string& name, std::span<const std::string> offered);

} // namespace starfmm

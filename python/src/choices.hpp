// SPDX-License-Identifier: BSD-3-Clause
// Options of a sum by their names in Python.
#pragma once

#include "starfmm/sum.hpp"

#include <nanobind/nanobind.h>

#include <string>

namespace starfmm::python {

/// \throws InputError naming the option, the value and those that are allowed
[[nodiscard]] Method method_named(const std::string& name);
[[nodiscard]] Precision precision_named(const std::string& name);

[[nodiscard]] std::string name_of(Method method);
[[nodiscard]] std::string name_of(Precision precision);
[[nodiscard]] std::string name_of(TreeKind tree);

/// \param given by the names of Choices' fields; None chooses nothing
/// \throws InputError for another name, or a value of another type
[[nodiscard]] Choices choices_of(const nanobind::dict& given);

/// What was chosen, by the same names.
[[nodiscard]] nanobind::dict as_dict(const Choices& choices);

} // namespace starfmm::python

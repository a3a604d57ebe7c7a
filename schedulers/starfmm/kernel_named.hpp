// SPDX-License-Identifier: BSD-3-Clause
// Kernels are found by name, with their parameters: from the command line, files, other languages.
#pragma once

#include "starfmm/kernels.hpp"

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace starfmm {

/// The value of a kernel's parameter: whether, how much, or which.
using ParameterValue = std::variant<bool, double, std::string>;

/// Parameters of a kernel by name.
using NamedParameters = std::map<std::string, ParameterValue, std::less<>>;

/// A kernel that is found by name.
struct NamedKernel {
    std::string name;
    NamedParameters defaults; ///< every parameter, with the value of one that is left out
    std::function<Kernel(const NamedParameters& all)> make;

    /// Makes the kernel with these parameters, and the defaults of others.
    /// \throws InputError for a parameter that the kernel does not have, or a value of another type
    [[nodiscard]] Kernel with(const NamedParameters& parameters) const;
};

/// The kernels of the plane, in the library of that name: Log2d and Harmonic2d.
[[nodiscard]] std::vector<NamedKernel> plane_kernels();

/// All kernels: those of the plane, Laplace3d and Gravity, and the ones that were registered. Their
/// parameters are the fields of these types; gravity's are softening, "plummer" or "spline", its
/// epsilon, g and potential.
[[nodiscard]] std::vector<NamedKernel> named_kernels();

/// Adds a kernel to those that are found by name, for the whole program.
/// \throws InputError if there is one of its name
void register_kernel(NamedKernel kernel);

/// Returns the one of the kernels that has the name.
/// \throws InputError if none has it, naming the nearest one and all
[[nodiscard]] NamedKernel
find_kernel(const std::vector<NamedKernel>& kernels, std::string_view name);

/// Returns a kernel by its name and parameters: kernel_named("laplace3d", {{"gradient", true}}).
/// \throws InputError for names and parameters that there are not
[[nodiscard]] Kernel kernel_named(std::string_view name, const NamedParameters& parameters = {});

} // namespace starfmm

// SPDX-License-Identifier: BSD-3-Clause
// One kernel among those that are found by name.
#include "core/error.hpp"
#include "core/nearest_name.hpp"
#include "starfmm/kernel_named.hpp"

#include <algorithm>
#include <array>

namespace starfmm {

namespace {

/// "did you mean b?; there are a, b and c"
std::string suggestion(std::string_view name, const std::vector<std::string>& offered) {
    const std::string nearest = nearest_name(name, offered);
    std::string text = nearest.empty() ? "" : "did you mean " + nearest + "?; ";
    text += offered.empty() ? "there are none" : offered.size() == 1 ? "there is " : "there are ";
    for (std::size_t i = 0; i < offered.size(); ++i) {
        text += i == 0 ? "" : i + 1 < offered.size() ? ", " : " and ";
        text += offered[i];
    }
    return text;
}

std::vector<std::string> names_of(const NamedParameters& parameters) {
    std::vector<std::string> names;
    names.reserve(parameters.size());
    for (const auto& [name, value] : parameters) {
        names.push_back(name);
    }
    return names;
}

} // namespace

Kernel NamedKernel::with(const NamedParameters& parameters) const {
    constexpr std::array<std::string_view, 3> types{"true or false", "a number", "a word"};
    NamedParameters all = defaults;
    for (const auto& [parameter, value] : parameters) {
        const auto found = all.find(parameter);
        if (found == all.end()) {
            throw InputError(
                parameter + ": no parameter of kernel " + name + ": " +
                suggestion(parameter, names_of(defaults))
            );
        }
        if (found->second.index() != value.index()) {
            throw InputError(
                parameter + ": of kernel " + name + " it is " +
                std::string(types.at(found->second.index()))
            );
        }
        found->second = value;
    }
    return make(all);
}

NamedKernel find_kernel(const std::vector<NamedKernel>& kernels, std::string_view name) {
    const auto found = std::ranges::find(kernels, name, &NamedKernel::name);
    if (found != kernels.end()) {
        return *found;
    }
    std::vector<std::string> names;
    names.reserve(kernels.size());
    for (const NamedKernel& kernel : kernels) {
        names.push_back(kernel.name);
    }
    throw InputError(
        "kernel = " + std::string(name) + ": no kernel has this name: " + suggestion(name, names)
    );
}

} // namespace starfmm

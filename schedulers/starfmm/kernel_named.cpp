// SPDX-License-Identifier: BSD-3-Clause
// All kernels that are found by name.
#include "starfmm/kernel_named.hpp"

#include "core/error.hpp"

#include <algorithm>
#include <iterator>
#include <mutex>
#include <utility>

namespace starfmm {

namespace {

Kernel make_laplace(const NamedParameters& all) {
    return Laplace3d{.gradient = std::get<bool>(all.at("gradient"))};
}

Kernel make_gravity(const NamedParameters& all) {
    const double epsilon = std::get<double>(all.at("epsilon"));
    const auto& softening = std::get<std::string>(all.at("softening"));
    if (softening != "plummer" && softening != "spline") {
        throw InputError("softening = " + softening + ": must be plummer or spline");
    }
    Gravity gravity{
        .softening = Plummer{epsilon},
        .g = std::get<double>(all.at("g")),
        .potential = std::get<bool>(all.at("potential"))};
    if (softening == "spline") {
        gravity.softening = Spline{epsilon};
    }
    return gravity;
}

/// The kernels that programs have registered, which any thread may look for.
struct Registered {
    std::mutex mutex;
    std::vector<NamedKernel> kernels;
};

Registered& registered() {
    static Registered kernels;
    return kernels;
}

/// The table of what the library ships: a linker keeps all of it, in a static library, too.
std::vector<NamedKernel> shipped_kernels() {
    std::vector<NamedKernel> kernels = plane_kernels();
    kernels.push_back({"laplace3d", {{"gradient", false}}, make_laplace});
    kernels.push_back(
        {"gravity",
         {{"softening", "plummer"}, {"epsilon", 0.0}, {"g", 1.0}, {"potential", false}},
         make_gravity}
    );
    return kernels;
}

} // namespace

std::vector<NamedKernel> named_kernels() {
    std::vector<NamedKernel> all = shipped_kernels();
    Registered& others = registered();
    const std::lock_guard lock(others.mutex);
    std::ranges::copy(others.kernels, std::back_inserter(all));
    return all;
}

void register_kernel(NamedKernel kernel) {
    std::vector<NamedKernel> shipped = shipped_kernels();
    Registered& others = registered();
    const std::lock_guard lock(others.mutex);
    for (const std::vector<NamedKernel>* const kernels : {&shipped, &others.kernels}) {
        if (std::ranges::find(*kernels, kernel.name, &NamedKernel::name) != kernels->end()) {
            throw InputError("kernel = " + kernel.name + ": there is one of this name");
        }
    }
    others.kernels.push_back(std::move(kernel));
}

Kernel kernel_named(std::string_view name, const NamedParameters& parameters) {
    return find_kernel(named_kernels(), name).with(parameters);
}

} // namespace starfmm

// SPDX-License-Identifier: BSD-3-Clause
// What programs choose of a kernel when they run, and the kernel that it makes.
#pragma once

#include "core/host_device.hpp"

#include <concepts>

namespace starfmm {

/// Same for all pairs of a sum.
struct KernelParameters {
    double epsilon_square = 0; ///< of softened expansions; unit: the square of the points'
    double support = 0;        ///< distance up to which pairs are not what expansions are of, and
                               ///< which boxes that are far from each other keep; unit: the points'
};

/// Kernels that take them; bodies call what `K::of` makes. All others have no state.
template <class K>
concept ParametricKernel = requires(KernelParameters parameters) {
    { K::of(parameters) } -> std::same_as<K>;
};

/// Those of a softening length: the kernel's own, or that length.
template <class K>
KernelParameters parameters_of(double epsilon) {
    if constexpr (requires { K::parameters(epsilon); }) {
        return K::parameters(epsilon);
    } else {
        return {epsilon * epsilon, 0};
    }
}

/// Of parameters without which a kernel without any is the same.
template <class K>
STARFMM_HOST_DEVICE K kernel_of(const KernelParameters& parameters) {
    if constexpr (ParametricKernel<K>) {
        return K::of(parameters);
    } else {
        return K{};
    }
}

} // namespace starfmm

// SPDX-License-Identifier: BSD-3-Clause
// The parameters of a kernel that programs choose when they run, and the kernel that they make.
#pragma once

#include "core/host_device.hpp"

#include <concepts>

namespace starfmm {

/// The parameters that all pairs of a sum share.
struct KernelParameters {
    /// Square of softened expansions' epsilon; unit: the square of the points'.
    double epsilon_square = 0;
    /// Distance up to which pairs differ from what expansions stand for, and which boxes that are
    /// far from each other keep; unit: the points'.
    double support = 0;
    /// Whether each point has a support of its own (has_lengths), not all the same.
    bool has_lengths = false;
};

/// A kernel that takes parameters; bodies call the members of `K::of(parameters)`. All other
/// kernels have no state.
template <class K>
concept ParametricKernel = requires(KernelParameters parameters) {
    { K::of(parameters) } -> std::same_as<K>;
};

/// Returns the parameters that a softening length makes: the kernel's own, or that length.
template <class K>
KernelParameters parameters_of(double epsilon) {
    if constexpr (requires { K::parameters(epsilon); }) {
        return K::parameters(epsilon);
    } else {
        return {epsilon * epsilon, 0};
    }
}

/// Returns the kernel that the parameters make; a kernel without parameters is always the same.
template <class K>
STARFMM_HOST_DEVICE K kernel_of(const KernelParameters& parameters) {
    if constexpr (ParametricKernel<K>) {
        return K::of(parameters);
    } else {
        return K{};
    }
}

} // namespace starfmm

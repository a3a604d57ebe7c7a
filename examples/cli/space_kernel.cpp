// SPDX-License-Identifier: BSD-3-Clause
// The shipped kernels of space, by the drivers' options, and those of either.
#include "core/expansions/kernels3d.hpp"
#include "examples/cli/driver.hpp"

namespace starfmm {

KernelSet& space_kernel(const DriverOptions& options, const Problem& problem) {
    const Precision precision = choose_precision(options, problem);
    const auto in = [precision](auto& in_double, auto& in_single) -> KernelSet& {
        return precision == Precision::single_precision ? in_single() : in_double();
    };
    if (precision == Precision::mixed_precision) {
        return options.gradient ? kernel_set<MixedLaplaceGradient>() : kernel_set<MixedLaplace>();
    }
    if (options.gradient) {
        return in(kernel_set<LaplaceGradient<double>>, kernel_set<LaplaceGradient<float>>);
    }
    return in(kernel_set<Laplace<double>>, kernel_set<Laplace<float>>);
}

KernelSet& choose_kernel(const DriverOptions& options, const Problem& problem) {
    const bool in_space = options.kernel == KernelKind::laplace;
    return in_space ? space_kernel(options, problem) : plane_kernel(options, problem);
}

} // namespace starfmm

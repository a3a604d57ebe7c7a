// SPDX-License-Identifier: BSD-3-Clause
// The shipped kernels of the plane, by the drivers' options.
#include "core/expansions/kernels2d.hpp"
#include "examples/cli/driver.hpp"

namespace starfmm {

KernelSet& plane_kernel(const DriverOptions& options, const Problem& problem) {
    const auto in = [&options](auto& in_double, auto& in_single) -> KernelSet& {
        return options.precision == Precision::single_precision ? in_single() : in_double();
    };
    if (options.gradient) {
        return in(kernel_set<LogGradient<double>>, kernel_set<LogGradient<float>>);
    }
    if (options.kernel == KernelKind::log) {
        return in(kernel_set<Log<double>>, kernel_set<Log<float>>);
    }
    if (problem.strengths.front().is_complex()) {
        return in(kernel_set<Harmonic<double, true>>, kernel_set<Harmonic<float, true>>);
    }
    return in(kernel_set<Harmonic<double, false>>, kernel_set<Harmonic<float, false>>);
}

} // namespace starfmm

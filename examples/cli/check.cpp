// SPDX-License-Identifier: BSD-3-Clause
#include "examples/cli/check.hpp"

#include "core/reference/direct_sum.hpp"

#include <algorithm>
#include <cstdio>
#include <optional>

namespace starfmm {

namespace {

/// The largest errors of any right-hand side.
void keep_worst(std::optional<ErrorNorms>& worst, const ErrorNorms& error) {
    if (!worst) {
        worst = error;
    }
    worst->max_rel = std::max(worst->max_rel, error.max_rel);
    worst->l2_rel = std::max(worst->l2_rel, error.l2_rel);
}

/// What a gradient's error may be, in terms of the tolerance.
double gradient_allowance(const DriverOptions& options) {
    return options.dimension == 2 ? 1 : gradient_allowance_in_space;
}

} // namespace

void check(
    const ExactKernel& kernel,
    const Problem& problem,
    std::span<const Potentials> potentials,
    RunReport& report
) {
    const DriverOptions& options = report.options;
    const AnyPoints& targets = problem.evaluation_points();
    const auto which = random_targets(targets.size(), options.check, options.seed);
    for (std::size_t i = 0; i < potentials.size(); ++i) {
        const DirectSum exact =
            direct_sum(kernel, problem.sources, problem.strengths[i], targets, which);
        keep_worst(report.error, compare(potentials[i], exact, which));
        if (options.gradient) {
            keep_worst(report.gradient_error, compare_gradient(potentials[i], exact, which));
        }
    }
}

int verdict(const RunReport& report) {
    if (!report.error) {
        return 0;
    }
    const DriverOptions& options = report.options;
    const double allowance = gradient_allowance(options);
    const double of_gradient = report.gradient_error ? report.gradient_error->l2_rel : 0;
    const double of_potential =
        options.kernel == KernelKind::harmonic ? report.error->max_rel : report.error->l2_rel;
    const bool is_gradient = of_gradient > allowance * of_potential;
    const double error = is_gradient ? of_gradient : of_potential;
    const double allowed =
        is_gradient ? allowance * options.plan.tolerance : options.plan.tolerance;
    if (error <= allowed) {
        return 0;
    }
    const char* const what =
        allowed > options.plan.tolerance ? "30 times the tolerance" : "the tolerance";
    std::printf("check failed: %.3e exceeds %s %.3e\n", error, what, options.plan.tolerance);
    return 1;
}

} // namespace starfmm

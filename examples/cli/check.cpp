// SPDX-License-Identifier: BSD-3-Clause
#include "examples/cli/check.hpp"

#include <cstdio>
#include <vector>

namespace starfmm {

int verdict(const RunReport& report) {
    if (!report.error) {
        return 0;
    }
    const DriverOptions& options = report.options;
    const std::vector<ValuePart>& parts = report.kernel.values;
    const double allowance = parts.back().allowance;
    const double of_gradient = report.gradient_error ? report.gradient_error->l2_rel : 0;
    // a complex potential vanishes at points alone; real ones cross zero along lines
    const double of_potential =
        parts.front().size > 1 ? report.error->max_rel : report.error->l2_rel;
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

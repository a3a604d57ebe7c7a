// SPDX-License-Identifier: BSD-3-Clause
// Whether what a run has found is near enough.
#include "examples/cli/record.hpp"

#include <cstdio>

namespace starfmm {

namespace {

/// Says what exceeds what.
bool is_within(const std::string& what, double error, double tolerance, double allowance = 1) {
    const bool is_met = error <= allowance * tolerance;
    if (!is_met) {
        const std::string times = allowance > 1 ? with_prefix(allowance) + "times " : "";
        std::printf(
            "check failed: %s %.3e exceeds %sthe tolerance %.3e\n",
            what.c_str(),
            error,
            times.c_str(),
            tolerance
        );
    }
    return is_met;
}

} // namespace

int verdict(const RunReport& report) {
    bool passes = true;
    if (report.errors && is_gravity(report)) {
        const PartErrors& error = report.errors->parts.front();
        const DriverOptions& allowed = report.options;
        passes = is_within("median error", error.median, allowed.plan.tolerance);
        if (report.plan.method != Method::direct) {
            passes = is_within("99th percentile error", error.p99, allowed.tolerance99) && passes;
        }
        return passes ? 0 : 1;
    }
    for (std::size_t i = 0; report.errors && i < report.errors->parts.size(); ++i) {
        const PartErrors& error = report.errors->parts[i];
        const ValuePart& part = report.kernel.values[i];
        // a complex potential vanishes at points alone; real ones cross zero along lines
        const bool is_complex = i == 0 && part.size > 1;
        const double tolerance = report.options.plan.tolerance;
        const bool is_met =
            is_complex
                ? is_within("largest error of the " + part.name, error.max, tolerance)
                : is_within("L2 error of the " + part.name, error.l2, tolerance, part.allowance);
        passes = is_met && passes;
    }
    return passes ? 0 : 1;
}

} // namespace starfmm

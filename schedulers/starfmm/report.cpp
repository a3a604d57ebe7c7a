// SPDX-License-Identifier: BSD-3-Clause
// Reports and errors as text.
#include "starfmm/sum.hpp"

#include <ostream>
#include <sstream>

namespace starfmm {

namespace {

const char* name_of(Precision precision) {
    switch (precision) {
    case Precision::single_precision:
        return "single";
    case Precision::mixed_precision:
        return "mixed";
    default:
        return "double";
    }
}

void write_tree(std::ostream& out, const Report& report) {
    out << (report.tree == TreeKind::pyramid ? "a pyramid" : "an adaptive tree") << " of "
        << report.levels << " levels and " << report.leaves << " leaves, order " << report.order
        << ", theta " << report.theta;
}

} // namespace

std::ostream& operator<<(std::ostream& out, const Report& report) {
    std::ostringstream text; // of the stream's own format
    text.precision(3);
    text << report.kernel << ": " << report.n_sources << " sources, " << report.n_targets
         << " targets, " << name_of(report.precision) << " precision"
         << (report.why_precision.empty() ? "" : " (" + report.why_precision + ')') << ", by ";
    if (report.method == Method::direct) {
        text << "every pair" << (report.why_direct.empty() ? "" : ": ") << report.why_direct;
    } else if (report.method == Method::near_field) {
        text << "the pairs in boxes of level " << report.levels << " that are the same or touch";
    } else {
        write_tree(text, report);
    }
    text << "\n  tolerance " << report.tolerance;
    if (report.reachable_tolerance > 0) {
        text << " (these choices reach " << report.reachable_tolerance << ')';
    }
    text << "; " << report.cores << " cores, " << report.gpus << " GPUs\n  seconds: plan "
         << report.plan_s << ", evaluation " << report.evaluate_s;
    if (report.predicted_fmm_s > 0 && report.predicted_direct_s > 0) {
        text << "; predicted together: by expansions " << report.predicted_fmm_s
             << ", by every pair " << report.predicted_direct_s;
    }
    return out << text.str() << '\n';
}

std::ostream& operator<<(std::ostream& out, const Errors& errors) {
    constexpr double least_rounding = 1e-9; // that is worth a word
    std::ostringstream text;
    text.precision(2);
    text << "errors at " << errors.checked << " targets, "
         << (errors.are_allowed ? "within the tolerance:" : "BEYOND the tolerance:");
    for (const PartErrors& part : errors.parts) {
        text << "\n  " << part.name << ": L2 " << part.l2 << ", median " << part.median << ", 99 % "
             << part.p99 << ", largest " << part.max;
        if (part.rounding > least_rounding) {
            text << " (terms cancel: double precision leaves " << part.rounding << ')';
        }
    }
    return out << text.str() << '\n';
}

} // namespace starfmm

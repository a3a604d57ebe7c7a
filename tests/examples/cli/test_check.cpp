// SPDX-License-Identifier: BSD-3-Clause
#include "examples/cli/check.hpp"

#include <doctest/doctest.h>

using starfmm::ErrorNorms;
using starfmm::KernelKind;
using starfmm::RunReport;
using starfmm::verdict;

namespace {

RunReport report_of(KernelKind kernel, int dimension, double tolerance) {
    RunReport report;
    report.options.kernel = kernel;
    report.options.dimension = dimension;
    report.options.plan.tolerance = tolerance;
    return report;
}

} // namespace

TEST_CASE("check: without a comparison everything is near enough") {
    CHECK(verdict(report_of(KernelKind::laplace, 3, 1e-6)) == 0);
}

TEST_CASE("check: harmonic sums are judged by the largest error, others in L2") {
    RunReport report = report_of(KernelKind::harmonic, 2, 1e-6);
    report.error = ErrorNorms{2e-6, 1e-7, 10};
    CHECK(verdict(report) == 1);
    for (const KernelKind kernel : {KernelKind::log, KernelKind::laplace}) {
        report.options.kernel = kernel;
        CHECK(verdict(report) == 0);
    }
    report.error = ErrorNorms{2e-6, 1.1e-6, 10};
    CHECK(verdict(report) == 1);
}

TEST_CASE("check: gradients may have the tolerance in the plane, 30 times as much in space") {
    RunReport report = report_of(KernelKind::log, 2, 1e-6);
    report.error = ErrorNorms{0, 1e-7, 10};
    report.gradient_error = ErrorNorms{1, 1e-6, 10};
    CHECK(verdict(report) == 0);
    report.gradient_error = ErrorNorms{1, 1.1e-6, 10};
    CHECK(verdict(report) == 1);
    report.options = report_of(KernelKind::laplace, 3, 1e-6).options;
    CHECK(verdict(report) == 0);
    report.gradient_error = ErrorNorms{1, 29e-6, 10};
    CHECK(verdict(report) == 0);
    report.gradient_error = ErrorNorms{1, 31e-6, 10};
    CHECK(verdict(report) == 1);
    // a potential that fails does so with any gradient
    report.gradient_error = ErrorNorms{1, 29e-6, 10};
    report.error = ErrorNorms{1, 2e-6, 10};
    CHECK(verdict(report) == 1);
}

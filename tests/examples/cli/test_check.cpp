// SPDX-License-Identifier: BSD-3-Clause
#include "examples/cli/check.hpp"

#include <doctest/doctest.h>

using starfmm::ErrorNorms;
using starfmm::Harmonic2d;
using starfmm::Kernel;
using starfmm::Laplace3d;
using starfmm::Log2d;
using starfmm::RunReport;
using starfmm::verdict;

namespace {

RunReport report_of(const Kernel& kernel, double tolerance) {
    RunReport report;
    report.kernel = kernel.shape();
    report.options.plan.tolerance = tolerance;
    return report;
}

} // namespace

TEST_CASE("check: without a comparison everything is near enough") {
    CHECK(verdict(report_of(Laplace3d{}, 1e-6)) == 0);
}

TEST_CASE("check: harmonic sums are judged by the largest error, others in L2") {
    RunReport report = report_of(Harmonic2d{}, 1e-6);
    report.error = ErrorNorms{2e-6, 1e-7, 10};
    CHECK(verdict(report) == 1);
    for (const Kernel& kernel : {Kernel(Log2d{}), Kernel(Laplace3d{})}) {
        report.kernel = kernel.shape();
        CHECK(verdict(report) == 0);
    }
    report.error = ErrorNorms{2e-6, 1.1e-6, 10};
    CHECK(verdict(report) == 1);
}

TEST_CASE("check: gradients may have the tolerance in the plane, 30 times as much in space") {
    RunReport report = report_of(Log2d{.gradient = true}, 1e-6);
    report.error = ErrorNorms{0, 1e-7, 10};
    report.gradient_error = ErrorNorms{1, 1e-6, 10};
    CHECK(verdict(report) == 0);
    report.gradient_error = ErrorNorms{1, 1.1e-6, 10};
    CHECK(verdict(report) == 1);
    report.kernel = Kernel(Laplace3d{.gradient = true}).shape();
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

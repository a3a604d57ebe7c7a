// SPDX-License-Identifier: BSD-3-Clause
#include "core/expansions/kernels3d.hpp"
#include "examples/cli/check.hpp"

#include <doctest/doctest.h>

using starfmm::check;
using starfmm::ErrorNorms;
using starfmm::KernelKind;
using starfmm::Potentials;
using starfmm::Problem;
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

/// Makes two charges at a distance of 5.
Problem two_charges() {
    Problem problem;
    problem.sources.x = {{0, 3}, {0, 0}, {0, 4}};
    problem.strengths = {{{1, 2}, {}}, {{10, 0}, {}}};
    return problem;
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

TEST_CASE("check: the report has the largest errors of any right-hand side, gradients apart") {
    const auto kernel = starfmm::exact_kernel<starfmm::LaplaceGradient<double>>();
    const Problem problem = two_charges();
    RunReport report = report_of(KernelKind::laplace, 3, 1e-6);
    report.options.check = 2;
    report.options.gradient = true;
    std::vector<Potentials> exact{
        {{0.4, 0.2}, {}, {{{0.048, -0.024}, {0, 0}, {0.064, -0.032}}}},
        {{0, 2}, {}, {{{0, -0.24}, {0, 0}, {0, -0.32}}}}};
    check(kernel, problem, exact, report);
    REQUIRE(report.error.has_value());
    REQUIRE(report.gradient_error.has_value());
    CHECK(report.error->max_rel < 1e-15);
    CHECK(report.gradient_error->max_rel < 1e-15);
    CHECK(report.error->checked == 2);
    exact[1].re[1] = 3;
    exact[0].gradient[1][0] = 0.08; // the error is as large as the gradient
    check(kernel, problem, exact, report);
    CHECK(report.error->max_rel == doctest::Approx(0.5));
    CHECK(report.gradient_error->max_rel == doctest::Approx(1));
}

// SPDX-License-Identifier: BSD-3-Clause
#include "examples/cli/report.hpp"

#include <doctest/doctest.h>

#include <utility>
#include <vector>

using starfmm::Errors;
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

/// Errors of the parts of values: the largest, and those in L2.
Errors errors(const std::vector<std::pair<double, double>>& parts) {
    Errors all{10, {}, true};
    for (const auto& [max, l2] : parts) {
        all.parts.push_back({"part", l2, 0, 0, max, 0});
    }
    return all;
}

} // namespace

TEST_CASE("check: without a comparison everything is near enough") {
    CHECK(verdict(report_of(Laplace3d{}, 1e-6)) == 0);
}

TEST_CASE("check: harmonic sums are judged by the largest error, others in L2") {
    RunReport report = report_of(Harmonic2d{}, 1e-6);
    report.errors = errors({{2e-6, 1e-7}});
    CHECK(verdict(report) == 1);
    for (const Kernel& kernel : {Kernel(Log2d{}), Kernel(Laplace3d{})}) {
        report.kernel = kernel.shape();
        CHECK(verdict(report) == 0);
    }
    report.errors = errors({{2e-6, 1.1e-6}});
    CHECK(verdict(report) == 1);
}

TEST_CASE("check: gradients may have the tolerance in the plane, 30 times as much in space") {
    RunReport report = report_of(Log2d{.gradient = true}, 1e-6);
    report.errors = errors({{0, 1e-7}, {1, 1e-6}});
    CHECK(verdict(report) == 0);
    report.errors = errors({{0, 1e-7}, {1, 1.1e-6}});
    CHECK(verdict(report) == 1);
    report.kernel = Kernel(Laplace3d{.gradient = true}).shape();
    CHECK(verdict(report) == 0);
    report.errors = errors({{0, 1e-7}, {1, 29e-6}});
    CHECK(verdict(report) == 0);
    report.errors = errors({{0, 1e-7}, {1, 31e-6}});
    CHECK(verdict(report) == 1);
    // a potential that fails does so with any gradient
    report.errors = errors({{1, 2e-6}, {1, 29e-6}});
    CHECK(verdict(report) == 1);
}

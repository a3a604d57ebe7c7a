// SPDX-License-Identifier: BSD-3-Clause
#include "core/expansions/kernels2d.hpp"
#include "core/particles/distributions.hpp"
#include "core/tree/pyramid.hpp"
#include "schedulers/costs/work_estimate.hpp"
#include "schedulers/plan/plan.hpp"

#include <doctest/doctest.h>

#include <initializer_list>

using starfmm::estimate_work;
using starfmm::WorkEstimate;

TEST_CASE("work_estimate: a root meets itself") {
    const WorkEstimate work = estimate_work(100, 30, 0, 0.5);
    CHECK(work.boxes == 1);
    CHECK(work.far == 0);
    CHECK(work.near == 1);
    CHECK(work.pairs == 3000);
}

TEST_CASE("work_estimate: lists grow with levels and shrink with theta, and near boxes have near "
          "parents") {
    for (int levels = 1; levels <= 8; ++levels) {
        double near_before = 0;
        for (const double theta : {0.9, 0.62, 0.5, 0.45, 0.2}) {
            const WorkEstimate work = estimate_work(1'000'000, 1'000'000, levels, theta);
            const WorkEstimate above = estimate_work(1'000'000, 1'000'000, levels - 1, theta);
            const auto leaves = static_cast<double>(starfmm::n_boxes<2>(levels));
            CHECK(work.boxes == above.boxes + leaves);
            CHECK(work.near >= leaves);
            CHECK(work.near <= leaves * leaves);
            CHECK(work.near >= near_before);
            CHECK(work.far >= above.far);
            CHECK(work.pairs <= above.pairs);
            CHECK(work.pairs == doctest::Approx(work.near * 1e12 / (leaves * leaves)));
            near_before = work.near;
        }
    }
}

TEST_CASE("work_estimate: counts of uniform points, within a tenth from a few levels on") {
    starfmm::Runtime runtime({}, starfmm::Execution::in_order);
    for (const int levels : {4, 5}) {
        const std::size_t n = 30 * starfmm::n_boxes<2>(levels);
        const auto points = starfmm::make_points<2>(starfmm::Distribution::uniform, n, 0.1, 7);
        for (const double theta : {0.5, 0.55, 0.6, 0.65, 0.7}) {
            starfmm::PlanOptions options;
            options.levels = levels;
            options.theta = theta;
            options.order = 64; // no leaf is large enough for P2L or M2P
            const starfmm::Plan plan(
                runtime, starfmm::kernel_set<starfmm::Harmonic<double, false>>(), points, options
            );
            const WorkEstimate work = estimate_work(n, n, levels, theta);
            const auto& counted = plan.info().work;
            CAPTURE(levels);
            CAPTURE(theta);
            CHECK(work.pairs == doctest::Approx(counted.p2p_pairs).epsilon(0.1));
            CHECK(work.far == doctest::Approx(counted.m2l_shifts).epsilon(0.1));
        }
    }
}

// SPDX-License-Identifier: BSD-3-Clause
// Tests of what bodies keep in a device's memory, where StarPU is shut down and started again.
#include "codelets/sets/backend.hpp"
#include "core/expansions/kernels3d.hpp"
#include "core/particles/distributions.hpp"
#include "schedulers/plan/plan.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace {

/// Returns potentials by M2M, L2L and M2L, whose constants a device keeps.
std::vector<double> sum_on_gpu(const starfmm::Points<3>& points) {
    starfmm::Runtime runtime(starfmm::RuntimeOptions{0, 1, "", false});
    starfmm::PlanOptions options;
    options.tree = starfmm::TreeKind::orthtree;
    options.method = starfmm::Method::fmm;
    options.plane_waves = starfmm::PlaneWaves::always;
    options.tuning = starfmm::Tuning::builtin;
    starfmm::KernelSet& kernel = starfmm::kernel_set<starfmm::Laplace<double>>();
    starfmm::Plan plan(runtime, kernel, points, options);
    const auto strengths = starfmm::make_strengths(
        points.size(), starfmm::StrengthSign::random, starfmm::StrengthType::real, 1
    );
    return plan.evaluate(strengths).re;
}

} // namespace

TEST_CASE("restart: a second runtime does not use what the first one left on a GPU") {
    const auto points = starfmm::make_points<3>(starfmm::Distribution::uniform, 30'000, 0.1, 1);
    const std::vector<double> first = sum_on_gpu(points);
    const std::vector<double> second = sum_on_gpu(points);
    double difference = 0;
    double size = 0;
    for (std::size_t i = 0; i < first.size(); ++i) {
        difference = std::max(difference, std::abs(second[i] - first[i]));
        size = std::max(size, std::abs(first[i]));
    }
    CHECK(size > 0);
    CHECK(difference <= 1e-12 * size);
}

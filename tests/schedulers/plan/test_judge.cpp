// SPDX-License-Identifier: BSD-3-Clause
// Tests show that the verdict of the accuracy tests can fail: they judge sums by kernels whose
// pairs are wrong.
#include "core/expansions/kernels2d.hpp"
#include "tests/kernels/drops_pairs.hpp"
#include "tests/support/accuracy.hpp"
#include "tests/support/shapes.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

using starfmm::Method;
using starfmm::PlanOptions;
using starfmm::Points;
using starfmm::Potentials;
using starfmm::Strengths;

namespace {

PlanOptions options(Method method) {
    PlanOptions options;
    options.method = method;
    options.leaf_size = method == Method::fmm ? 30 : 0;
    return options;
}

/// A scene of 5000 points with strengths of random signs, at which all sums are known.
struct Scene {
    Points<2> points = make_shape("uniform", 5000, 1);
    Strengths q = starfmm::make_strengths(
        5000, starfmm::StrengthSign::random, starfmm::StrengthType::real, 1
    );
    Reference reference{"harmonic2d", points, q, points, 5000};
    starfmm::Runtime runtime{{}, starfmm::Execution::in_order};

    Scene() { reference.signs = true; }

    /// Returns the potentials by `kernel`, and the verdict on them.
    std::pair<Potentials, Verdict> sum(starfmm::KernelSet& kernel, Method method) {
        starfmm::Plan plan(runtime, kernel, points, options(method));
        Potentials potentials = plan.evaluate(q);
        const Computation how = computation_of(plan.info(), 5000, 5000, false);
        const Verdict verdict = judge(reference, potentials, 1e-6, how);
        return {std::move(potentials), verdict};
    }
};

} // namespace

TEST_CASE("judge: exact sums pass, and so do the kernel's with all its pairs") {
    Scene scene;
    Potentials exact{std::vector<double>(5000), std::vector<double>(5000)};
    for (std::size_t i = 0; i < 5000; ++i) {
        exact.re[i] = static_cast<double>(scene.reference.sums[i].re);
        exact.im[i] = static_cast<double>(scene.reference.sums[i].im);
    }
    const Verdict verdict = judge(scene.reference, exact, 0, {});
    CHECK(verdict.worst < 0.5); // one rounding of sums that are a few standard deviations
    CHECK(verdict.judged == 5000);
    auto& harmonic = starfmm::kernel_set<starfmm::Harmonic<double, false>>();
    CHECK(scene.sum(harmonic, Method::fmm).second.worst <= 1);
    CHECK(scene.sum(harmonic, Method::direct).second.worst <= 1);
}

TEST_CASE("judge: a P2P that drops one pair in 1e5 fails, although the direct sum drops it, too") {
    Scene scene;
    auto& kernel = starfmm::kernel_set<DropsPairs>();
    const auto [fmm, verdict] = scene.sum(kernel, Method::fmm);
    const auto [direct, direct_verdict] = scene.sum(kernel, Method::direct);
    CHECK(verdict.worst > 10);
    CHECK(direct_verdict.worst > 10);
    std::size_t n_wrong = 0;
    std::size_t n_shared = 0;
    for (std::size_t i = 0; i < 5000; ++i) {
        const ExactSum& sum = scene.reference.sums[i];
        const long double allowed = 2e-6 * sum.value();
        const bool is_wrong = scene.reference.error(fmm, i, i) > allowed;
        const double apart = std::hypot(fmm.re[i] - direct.re[i], fmm.im[i] - direct.im[i]);
        n_wrong += is_wrong ? 1 : 0;
        n_shared += is_wrong && apart <= allowed ? 1 : 0;
    }
    MESSAGE(n_wrong << " of 5000 FMM sums wrong, " << n_shared << " with the direct sum");
    CHECK(n_wrong > 0);
    CHECK(n_wrong < 100); // about 300 near pairs a target
    CHECK(n_shared > 0);  // a comparison of the two methods accepts these
}

TEST_CASE("judge: a number that is not one fails, and so does an infinite one") {
    Reference reference("harmonic2d", {{{{0, 1}, {0, 0}}}}, {{1, 1}, {}}, {{{{0, 1}, {0, 0}}}}, 2);
    for (const double bad : {double(NAN), HUGE_VAL}) {
        CHECK(judge(reference, {{1, -1}, {0, 0}}, 1e-3, {}).worst == 0);
        CHECK(!(judge(reference, {{1, bad}, {0, 0}}, 1e-3, {}).worst <= 1));
        CHECK(!(judge(reference, {{1, -1}, {bad, 0}}, 1e-3, {}).worst <= 1));
    }
}

TEST_CASE("judge: where rounding decides, it is counted, and too many are too many") {
    Verdict verdict;
    verdict.add(1e-16, 1e-12, 1e-15);
    CHECK(verdict.excused == 0);
    verdict.add(1e-16, 1e-16, 1e-15);
    CHECK(verdict.excused == 1);
    CHECK(verdict.worst == doctest::Approx(1 / 11.0));
    verdict.may_be_excused = 1e-4;
    CHECK(verdict.excused <= verdict.most_excused());
    for (int i = 0; i < 3; ++i) {
        verdict.add(0, 0, 1e-15);
    }
    CHECK(!(static_cast<double>(verdict.excused) <= verdict.most_excused()));
}

TEST_CASE("judge: exact sums are right by hand") {
    const Points<2> source{{{{3}, {4}}}};
    const ExactSum one = exact_sum("harmonic2d", source, {{1}, {2}}, 0, 0);
    CHECK(
        static_cast<double>(one.re) == doctest::Approx(0.44).epsilon(1e-15)
    ); // (1 + 2i) / (3 + 4i)
    CHECK(static_cast<double>(one.im) == doctest::Approx(0.08).epsilon(1e-15));
    CHECK(static_cast<double>(one.magnitude) == doctest::Approx(std::sqrt(0.2)).epsilon(1e-15));
    CHECK(static_cast<double>(one.slope) == doctest::Approx(std::sqrt(0.2) / 5).epsilon(1e-15));
    const ExactSum log = exact_sum("log2d", source, {{1}, {2}}, 0, 0);
    CHECK(static_cast<double>(log.re) == doctest::Approx(std::log(5)).epsilon(1e-15));
    CHECK(static_cast<double>(log.im) == doctest::Approx(2 * std::log(5)).epsilon(1e-15));
    CHECK(exact_sum("log2d", source, {{1}, {}}, 3, 4).magnitude == 0);
}

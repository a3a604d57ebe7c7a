// SPDX-License-Identifier: BSD-3-Clause
#include "tests/accuracy.hpp"

#include <doctest/doctest.h>

#include <initializer_list>
#include <memory>

using starfmm::Execution;
using starfmm::KernelKind;
using starfmm::Plan;
using starfmm::PlanOptions;
using starfmm::Points;
using starfmm::Runtime;
using starfmm::Strengths;
using starfmm::StrengthSign;
using starfmm::StrengthType;

namespace {

struct Tally {
    std::size_t cases = 0;
    std::size_t excused = 0;
    double worst = 0;
};

/// One set of points and strengths, at every tolerance.
struct Case {
    KernelKind kernel;
    std::string shape;
    std::size_t n;
    std::size_t m; ///< 0: the sources
    StrengthSign sign;
    double leaf_size; ///< 0: automatic
};

PlanOptions options(double tolerance, double leaf_size) {
    PlanOptions options;
    options.tolerance = tolerance;
    options.leaf_size = leaf_size;
    return options;
}

std::unique_ptr<Plan> make_plan(
    Runtime& runtime,
    const Reference& reference,
    const Points<2>& sources,
    const Points<2>* targets,
    const PlanOptions& options
) {
    starfmm::KernelSet& kernel = reference.kernel_set();
    return targets == nullptr ? std::make_unique<Plan>(runtime, kernel, sources, options)
                              : std::make_unique<Plan>(runtime, kernel, sources, *targets, options);
}

void check(Runtime& runtime, const Case& which, Tally& tally) {
    const auto sources = make_shape(which.shape, which.n, 1);
    const auto targets = which.m == 0 ? sources : make_shape(which.shape, which.m, 2);
    const Strengths q = starfmm::make_strengths(which.n, which.sign, StrengthType::real, 1);
    const std::size_t checked = which.n >= 10000 ? 300 : 2000;
    const Reference reference(runtime, which.kernel, sources, q, targets, checked);
    for (const double tolerance : {1e-3, 1e-6, 1e-9, 1e-12}) {
        const auto plan = make_plan(
            runtime,
            reference,
            sources,
            which.m == 0 ? nullptr : &targets,
            options(tolerance, which.leaf_size)
        );
        const Verdict verdict = judge(reference, plan->evaluate(q), tolerance, plan->info().levels);
        CAPTURE(which.shape);
        CAPTURE(which.n);
        CAPTURE(which.m);
        CAPTURE(static_cast<int>(which.sign));
        CAPTURE(tolerance);
        CAPTURE(plan->info().order);
        CHECK(verdict.worst <= 1);
        CHECK(verdict.worst_excused <= 1);
        ++tally.cases;
        tally.excused += verdict.excused;
        tally.worst = std::max(tally.worst, verdict.worst);
    }
}

void check_all(KernelKind kernel, std::size_t n, std::size_t m) {
    Runtime runtime({}, Execution::in_order);
    Tally tally;
    for (const std::string& shape : shape_names) {
        for (const StrengthSign sign : {StrengthSign::random, StrengthSign::positive}) {
            check(runtime, {kernel, shape, n, 0, sign, 0}, tally);
            check(runtime, {kernel, shape, n, m, sign, 0}, tally);
        }
    }
    MESSAGE(
        n << " sources: " << tally.cases << " sums, largest error over tolerance " << tally.worst
          << "; " << tally.excused << " beyond double precision"
    );
}

/// Error over the sum of magnitudes |q_j G|, in small leaves.
void check_magnitudes(Runtime& runtime, const Case& which) {
    const auto sources = make_shape(which.shape, which.n, 1);
    const Strengths q = starfmm::make_strengths(which.n, which.sign, StrengthType::real, 1);
    const Reference reference(runtime, which.kernel, sources, q, sources, 300);
    for (const double tolerance : {1e-3, 1e-6, 1e-9, 1e-12}) {
        Plan plan(runtime, reference.kernel_set(), sources, options(tolerance, which.leaf_size));
        CHECK(plan.info().work.m2l_shifts > 0);
        const auto potentials = plan.evaluate(q);
        double worst = 0;
        for (std::size_t i = 0; i < reference.which.size(); ++i) {
            const long double error = reference.error(potentials, reference.which[i], i);
            const long double magnitude = reference.exact.magnitude[i];
            worst = std::max(worst, static_cast<double>(error / magnitude));
        }
        CAPTURE(which.shape);
        CHECK(worst <= tolerance);
    }
}

} // namespace

TEST_CASE("accuracy: harmonic sums of few points") {
    for (const std::size_t n : {1, 2, 3, 31, 1000}) {
        check_all(KernelKind::harmonic, n, n + n / 2 + 1);
    }
}

TEST_CASE("accuracy: log sums of few points") {
    for (const std::size_t n : {1, 2, 3, 31, 1000}) {
        check_all(KernelKind::log, n, n + n / 2 + 1);
    }
}

TEST_CASE("accuracy: sums of few points in small leaves, relative to their magnitudes") {
    // Where q_j G cancel in all but the last digits, a number of terms that is fixed beforehand
    // cannot know it; the sum of their magnitudes is what the series' tails are relative to.
    Runtime runtime({}, Execution::in_order);
    for (const KernelKind kernel : {KernelKind::harmonic, KernelKind::log}) {
        for (const std::string& shape : shape_names) {
            for (const StrengthSign sign : {StrengthSign::random, StrengthSign::positive}) {
                check_magnitudes(runtime, {kernel, shape, 31, 0, sign, 2});
                check_magnitudes(runtime, {kernel, shape, 1000, 0, sign, 35});
                check_magnitudes(runtime, {kernel, shape, 5000, 0, sign, 8});
            }
        }
    }
}

TEST_CASE("accuracy: harmonic sums of 100000 points") {
    check_all(KernelKind::harmonic, 100000, 50000);
}

TEST_CASE("accuracy: log sums of 100000 points") {
    check_all(KernelKind::log, 100000, 50000);
}

// SPDX-License-Identifier: BSD-3-Clause
#include "core/expansions/kernels2d.hpp"
#include "tests/support/accuracy.hpp"
#include "tests/support/scene_size.hpp"
#include "tests/support/shapes.hpp"

#include <doctest/doctest.h>

#include <initializer_list>
#include <map>
#include <memory>
#include <utility>

using starfmm::Execution;
using starfmm::Harmonic;
using starfmm::kernel_set;
using starfmm::KernelSet;
using starfmm::Log;
using starfmm::Method;
using starfmm::Plan;
using starfmm::PlanOptions;
using starfmm::Points;
using starfmm::Runtime;
using starfmm::Strengths;
using starfmm::StrengthSign;
using starfmm::StrengthType;
using starfmm::TreeKind;

namespace {

/// The number of points up to which nearly all targets are checked; of more, some are.
constexpr std::size_t few_points = 1000;

/// One set of points and strengths.
struct Case {
    std::string_view kernel;
    std::string shape;
    std::size_t n;
    std::size_t m; ///< number of targets; 0: the sources
    StrengthSign sign;
    double leaf_size = 0; ///< 0: automatic
    bool single = false;
};

KernelSet& kernel_of(const Case& which) {
    if (which.kernel == "log2d") {
        return which.single ? kernel_set<Log<float>>() : kernel_set<Log<double>>();
    }
    return which.single ? kernel_set<Harmonic<float, false>>()
                        : kernel_set<Harmonic<double, false>>();
}

/// Points, strengths and exact sums of a case.
struct Scene {
    Case which;
    Points<2> sources;
    Points<2> targets;
    Strengths q;
    Reference reference;

    Scene(Case wanted, std::size_t n_checked)
        : which(std::move(wanted)), sources(make_shape(which.shape, which.n, 1)),
          targets(which.m == 0 ? sources : make_shape(which.shape, which.m, 2)),
          q(starfmm::make_strengths(which.n, which.sign, StrengthType::real, 1)),
          reference(which.kernel, sources, q, targets, n_checked) {
        reference.signs = which.sign == StrengthSign::random;
        reference.on_a_line = which.shape == "line" || which.n <= 2;
    }

    /// Drops all targets that are not checked.
    void keep_checked() {
        Points<2> some;
        for (std::size_t& target : reference.which) {
            some.x[0].push_back(targets.x[0][target]);
            some.x[1].push_back(targets.x[1][target]);
            target = some.size() - 1;
        }
        targets = some;
        which.m = some.size();
    }

    [[nodiscard]] std::unique_ptr<Plan> plan(Runtime& runtime, const PlanOptions& options) const {
        return which.m == 0
                   ? std::make_unique<Plan>(runtime, kernel_of(which), sources, options)
                   : std::make_unique<Plan>(runtime, kernel_of(which), sources, targets, options);
    }

    [[nodiscard]] Computation computation(const Plan& plan) const {
        return computation_of(plan.info(), sources.size(), targets.size(), which.single);
    }
};

PlanOptions options(double tolerance, double leaf_size, Method method = Method::automatic) {
    PlanOptions options;
    options.tolerance = tolerance;
    options.leaf_size = leaf_size;
    options.method = method;
    return options;
}

/// Verdicts by tolerance; 0 stands for direct sums, which have none.
using Tally = std::map<double, Verdict>;

void check_direct(Runtime& runtime, Scene scene, Tally& tally) {
    scene.keep_checked();
    const auto plan = scene.plan(runtime, options(1e-6, 0, Method::direct));
    const Verdict verdict =
        judge(scene.reference, plan->evaluate(scene.q), 0, scene.computation(*plan));
    CHECK(verdict.worst <= 1);
    tally[0].add(verdict);
}

constexpr std::pair<double, TreeKind> all_fmm[]{
    {1e-3, TreeKind::pyramid},
    {1e-6, TreeKind::pyramid},
    {1e-9, TreeKind::pyramid},
    {1e-12, TreeKind::pyramid},
    {1e-3, TreeKind::orthtree},
    {1e-6, TreeKind::orthtree},
    {1e-12, TreeKind::orthtree}};

void check(Runtime& runtime, const Case& which, Tally& tally) {
    const Scene scene(which, which.n > few_points ? 60 : 2000);
    CAPTURE(which.shape);
    CAPTURE(which.n);
    CAPTURE(which.m);
    CAPTURE(static_cast<int>(which.sign));
    check_direct(runtime, scene, tally);
    for (const auto& run : all_fmm) {
        const double tolerance = run.first;
        const TreeKind tree = run.second;
        PlanOptions asked = options(tolerance, which.leaf_size);
        asked.tree = tree;
        const auto plan = scene.plan(runtime, asked);
        const Verdict verdict =
            judge(scene.reference, plan->evaluate(scene.q), tolerance, scene.computation(*plan));
        CAPTURE(tolerance);
        CAPTURE(static_cast<int>(tree));
        CAPTURE(plan->info().order);
        CHECK(verdict.worst <= 1);
        tally[tolerance].add(verdict);
    }
}

void check_all(std::string_view kernel, std::size_t n, std::size_t m, TakesTurns& taken) {
    Runtime runtime({}, Execution::in_order);
    Tally tally;
    for (const std::string& shape : shape_names) {
        for (const StrengthSign sign : {StrengthSign::random, StrengthSign::positive}) {
            if (!taken()) {
                continue;
            }
            check(runtime, {kernel, shape, n, 0, sign}, tally);
            if (n <= few_points || sign == StrengthSign::random) { // where sums cancel
                check(runtime, {kernel, shape, n, m, sign}, tally);
            }
        }
    }
    for (const auto& [tolerance, verdict] : tally) {
        MESSAGE(
            n << " sources, tolerance " << tolerance << ": largest error over what is allowed "
              << verdict.worst << "; rounding decides in " << verdict.excused << " of "
              << verdict.judged << ", may in " << verdict.most_excused()
        );
        if (tolerance > 0) {
            CHECK(static_cast<double>(verdict.excused) <= verdict.most_excused());
        }
    }
}

/// Judges errors in small leaves, relative to the sums of magnitudes |q_j G|. Where the terms q_j G
/// cancel in all but the last digits, a number of terms that is fixed beforehand cannot account for
/// it; the sum of their magnitudes is what the series' remainders are relative to.
void check_magnitudes(
    Runtime& runtime, const Case& which, const std::initializer_list<double> tolerances
) {
    const Scene scene(which, 300);
    CAPTURE(which.shape);
    CAPTURE(which.n);
    for (const double tolerance : tolerances) {
        const auto plan = scene.plan(runtime, options(tolerance, which.leaf_size));
        CHECK(plan->info().work.m2l_shifts > 0);
        const Verdict verdict = judge_magnitudes(
            scene.reference, plan->evaluate(scene.q), tolerance, scene.computation(*plan)
        );
        CAPTURE(tolerance);
        CHECK(verdict.worst <= 1);
        CHECK(verdict.excused == 0);
    }
}

/// Judges small leaves for all shapes and signs.
void check_small_leaves(const std::initializer_list<double> tolerances, bool single) {
    Runtime runtime({}, Execution::in_order);
    TakesTurns taken;
    for (const char* const kernel : {"harmonic2d", "log2d"}) {
        for (const std::string& shape : shape_names) {
            for (const StrengthSign sign : {StrengthSign::random, StrengthSign::positive}) {
                if (!taken()) {
                    continue;
                }
                check_magnitudes(runtime, {kernel, shape, 31, 0, sign, 2, single}, tolerances);
                check_magnitudes(runtime, {kernel, shape, 1000, 0, sign, 35, single}, tolerances);
                check_magnitudes(runtime, {kernel, shape, 5000, 0, sign, 8, single}, tolerances);
            }
        }
    }
}

} // namespace

TEST_CASE("accuracy: harmonic sums of few points") {
    TakesTurns taken;
    for (const std::size_t n : {1, 2, 3, 31, 1000}) {
        check_all("harmonic2d", n, n + n / 2 + 1, taken);
    }
}

TEST_CASE("accuracy: log sums of few points") {
    TakesTurns taken;
    for (const std::size_t n : {1, 2, 3, 31, 1000}) {
        check_all("log2d", n, n + n / 2 + 1, taken);
    }
}

TEST_CASE("accuracy: sums of few points in small leaves, relative to their magnitudes") {
    check_small_leaves({1e-3, 1e-6, 1e-9, 1e-12}, false);
}

TEST_CASE("accuracy: the same in single precision") {
    check_small_leaves({1e-1, 1e-2, 1e-3}, true);
}

TEST_CASE("accuracy: harmonic sums of 100000 points") {
    TakesTurns taken;
    check_all("harmonic2d", scene_size(100000), scene_size(50000), taken);
}

TEST_CASE("accuracy: log sums of 50000 points") {
    TakesTurns taken;
    check_all("log2d", scene_size(50000), scene_size(70000), taken);
}

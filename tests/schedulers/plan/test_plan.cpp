// SPDX-License-Identifier: BSD-3-Clause
#include "core/error.hpp"
#include "core/expansions/kernels2d.hpp"
#include "schedulers/plan/user_arrays.hpp"
#include "schedulers/runtime/machine.hpp"
#include "tests/support/accuracy.hpp"
#include "tests/support/scene_size.hpp"
#include "tests/support/shapes.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <initializer_list>
#include <optional>

using starfmm::Execution;
using starfmm::Harmonic;
using starfmm::InputError;
using starfmm::kernel_set;
using starfmm::KernelSet;
using starfmm::Log;
using starfmm::Method;
using starfmm::Plan;
using starfmm::PlanOptions;
using starfmm::Points;
using starfmm::Potentials;
using starfmm::Runtime;
using starfmm::RuntimeOptions;
using starfmm::Strengths;
using starfmm::StrengthSign;
using starfmm::StrengthType;

namespace {

Strengths strengths(std::size_t n, std::uint64_t seed = 1, StrengthType type = StrengthType::real) {
    return starfmm::make_strengths(n, StrengthSign::random, type, seed);
}

KernelSet& harmonic() {
    return kernel_set<Harmonic<double, false>>();
}

KernelSet& kernel_of(std::string_view kernel) {
    return kernel == "log2d" ? kernel_set<Log<double>>() : harmonic();
}

/// Largest difference over largest value.
double difference(const Potentials& a, const Potentials& b) {
    REQUIRE(a.re.size() == b.re.size());
    REQUIRE(a.im.size() == b.im.size());
    double largest = 0;
    double apart = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        const double im = a.im.empty() ? 0 : a.im[i];
        const double other_im = b.im.empty() ? 0 : b.im[i];
        largest = std::max(largest, std::hypot(a.re[i], im));
        apart = std::max(apart, std::hypot(a.re[i] - b.re[i], im - other_im));
    }
    return largest > 0 ? apart / largest : apart;
}

PlanOptions options(int groups = 0, double leaf_size = 30, double tolerance = 1e-9) {
    PlanOptions options;
    options.groups = groups;
    options.leaf_size = leaf_size;
    options.tolerance = tolerance;
    return options;
}

RuntimeOptions workers(int cpus, int gpus = 0, const std::string& scheduler = "") {
    return {cpus, gpus, scheduler, false};
}

/// A sum of 20000 sources of `K` at 15000 targets, or at the sources; small scenes have fewer.
template <class K>
Potentials sum(Runtime& runtime, bool two_sets, const PlanOptions& options) {
    const auto sources = make_shape("plummer", scene_size(20000), 1);
    const auto q = strengths(sources.size());
    if (two_sets) {
        return Plan(
                   runtime,
                   kernel_set<K>(),
                   sources,
                   make_shape("layer", scene_size(15000), 2),
                   options
        )
            .evaluate(q);
    }
    return Plan(runtime, kernel_set<K>(), sources, options).evaluate(q);
}

template <class Make>
std::string message_of(Make make) {
    try {
        make();
    } catch (const InputError& error) {
        return error.what();
    }
    return "no InputError";
}

} // namespace

TEST_CASE("plan: results do not depend on groups, nor on who executes") {
    using K = Harmonic<double, false>;
    for (const bool two_sets : {false, true}) {
        std::optional<Potentials> expected;
        {
            Runtime runtime({}, Execution::in_order);
            expected = sum<K>(runtime, two_sets, options(1));
            for (const int groups : {4, 16, 64}) {
                CHECK(difference(sum<K>(runtime, two_sets, options(groups)), *expected) <= 1e-12);
            }
        }
        for (int cpus = 1; cpus <= std::min(2, starfmm::available_cores()); ++cpus) {
            for (const std::string scheduler : {"lws", "dmdas", "eager", "random"}) {
                Runtime runtime(workers(cpus, 0, scheduler));
                for (const int groups : {1, 16}) {
                    const auto potentials = sum<K>(runtime, two_sets, options(groups));
                    CHECK(difference(potentials, *expected) <= 1e-12);
                }
            }
        }
    }
}

TEST_CASE("plan: chunks change no bit of the results") {
    for (const int groups : {1, 16}) {
        PlanOptions chosen = options(groups);
        for (const Execution execution : {Execution::in_order, Execution::tasks}) {
            Runtime runtime(workers(1, 0), execution);
            chosen.chunks = 1;
            const auto harmonics = sum<Harmonic<double, false>>(runtime, false, chosen);
            PlanOptions coarse = chosen;
            coarse.tolerance = 1e-5; // a tolerance that single precision can meet
            const auto logs = sum<Log<float>>(runtime, false, coarse);
            for (const int chunks : {2, 7}) {
                chosen.chunks = coarse.chunks = chunks;
                CHECK(
                    difference(sum<Harmonic<double, false>>(runtime, false, chosen), harmonics) == 0
                );
                CHECK(difference(sum<Log<float>>(runtime, false, coarse), logs) == 0);
            }
        }
    }
}

TEST_CASE("plan: chunks of a quadtree change no bit either") {
    const auto points =
        starfmm::make_points<2>(starfmm::Distribution::normal, scene_size(20'000), 0.1, 1);
    const auto q = strengths(points.size());
    PlanOptions chosen;
    chosen.tree = starfmm::TreeKind::orthtree;
    for (const int groups : {4, 64}) {
        chosen.groups = groups;
        for (const Execution execution : {Execution::in_order, Execution::tasks}) {
            Runtime runtime(workers(1, 0), execution);
            chosen.chunks = 1;
            const auto expected = Plan(runtime, harmonic(), points, chosen).evaluate(q);
            for (const int chunks : {2, 7}) {
                chosen.chunks = chunks;
                Plan plan(runtime, harmonic(), points, chosen);
                CHECK(difference(plan.evaluate(q), expected) == 0);
                CHECK(plan.info().chunks == chunks);
            }
        }
    }
}

TEST_CASE("plan: chunks of points that share coordinates change no bit either") {
    constexpr std::size_t side = 200;
    Points<2> lattice{{std::vector<double>(side * side), std::vector<double>(side * side)}};
    for (std::size_t i = 0; i < side * side; ++i) {
        lattice.x[0][i] = static_cast<double>(i % side);
        const std::size_t row = i / side;
        lattice.x[1][i] = i < side * side * 2 / 3 ? 0 : static_cast<double>(row);
    }
    Runtime runtime(workers(1, 0));
    PlanOptions chosen = options(16);
    const auto q = strengths(side * side);
    const auto expected = Plan(runtime, harmonic(), lattice, chosen).evaluate(q);
    chosen.chunks = 3;
    CHECK(difference(Plan(runtime, harmonic(), lattice, chosen).evaluate(q), expected) == 0);
}

TEST_CASE("plan: a quadtree is cut into groups on cores") {
    // so many points are sorted into cells in two parts
    const auto points = starfmm::make_points<2>(starfmm::Distribution::normal, 70'000, 0.1, 1);
    const auto q = strengths(points.size());
    Runtime runtime(workers(2, 0));
    PlanOptions chosen;
    chosen.tree = starfmm::TreeKind::orthtree;
    chosen.groups = 1;
    Plan one(runtime, harmonic(), points, chosen);
    const auto expected = one.evaluate(q);
    CHECK(one.info().groups == 1);
    chosen.groups = 0;
    CHECK(Plan(runtime, harmonic(), points, chosen).info().groups >= 4);
    TakesTurns taken;
    for (const int groups : {4, 16, 64}) {
        if (!taken()) {
            continue;
        }
        chosen.groups = groups;
        Plan several(runtime, harmonic(), points, chosen);
        // each side is that far from the sum at most
        CHECK(difference(several.evaluate(q), expected) <= 2 * chosen.tolerance);
        CHECK(several.info().groups >= groups);
        CHECK(several.info().leaves == one.info().leaves);
        CHECK(several.info().levels == one.info().levels);
    }
}

TEST_CASE("plan: a quadtree is cut into groups on GPUs, and is one group on one") {
    const int gpus = std::min(2, starfmm::available_gpus());
    if (gpus == 0) {
        MESSAGE("skipped: no CUDA worker");
        return;
    }
    const auto points = starfmm::make_points<2>(starfmm::Distribution::normal, 70'000, 0.1, 1);
    const auto q = strengths(points.size());
    PlanOptions chosen;
    chosen.tree = starfmm::TreeKind::orthtree;
    chosen.tuning = starfmm::Tuning::builtin; // an emulated GPU has no speed to be measured
    std::optional<Potentials> expected;
    for (const RuntimeOptions& each : {workers(0, 1), workers(2, 1), workers(0, gpus)}) {
        Runtime runtime(each);
        chosen.groups = 0;
        Plan one(runtime, harmonic(), points, chosen);
        if (!expected) {
            expected = one.evaluate(q);
        }
        CHECK(one.info().groups == 1); // too few points for two GPUs
        for (const int groups : {4, 16, 64}) {
            chosen.groups = groups;
            for (const int chunks : {1, 3}) {
                chosen.chunks = chunks;
                Plan several(runtime, harmonic(), points, chosen);
                CHECK(difference(several.evaluate(q), *expected) <= 2 * chosen.tolerance);
                CHECK(several.info().groups >= groups);
            }
        }
    }
}

TEST_CASE("plan: direct sums reach arrays that stay on a GPU") {
    if (starfmm::available_gpus() == 0) {
        MESSAGE("skipped: no CUDA worker");
        return;
    }
    Runtime runtime(workers(0, 1));
    const auto points = make_shape("uniform", 2000, 1);
    PlanOptions direct;
    direct.method = Method::direct;
    const Potentials expected = Plan(runtime, harmonic(), points, direct).evaluate(strengths(2000));
    Potentials phi{std::vector<double>(2000), std::vector<double>(2000)};
    starfmm::Resident re(runtime, phi.re);
    starfmm::Resident im(runtime, phi.im);
    Plan(runtime, harmonic(), points, options()).evaluate(strengths(2000, 2), phi);
    Plan(runtime, harmonic(), points, direct).evaluate(strengths(2000), phi);
    re.bring_home();
    im.bring_home();
    CHECK(difference(phi, expected) == 0);
}

TEST_CASE("plan: CPU and CUDA workers agree") {
    if (starfmm::available_gpus() == 0) {
        MESSAGE("skipped: no CUDA worker");
        return;
    }
    for (const bool two_sets : {false, true}) {
        for (const auto& [groups, chunks] : {std::pair(1, 1), {4, 1}, {16, 1}, {1, 3}, {16, 3}}) {
            PlanOptions chosen = options(groups);
            chosen.chunks = chunks;
            std::vector<Potentials> harmonics;
            std::vector<Potentials> logs;
            for (const int gpus : {0, 1}) {
                Runtime runtime(workers(1 - gpus, gpus));
                harmonics.push_back(sum<Harmonic<double, false>>(runtime, two_sets, chosen));
                logs.push_back(sum<Log<double>>(runtime, two_sets, chosen));
            }
            CHECK(difference(harmonics[0], harmonics[1]) <= 1e-12);
            CHECK(difference(logs[0], logs[1]) <= 1e-12);
        }
    }
}

TEST_CASE("plan: one plan evaluates many strengths, linearly") {
    Runtime runtime(workers(1));
    const auto sources = make_shape("uniform", 5000, 1);
    Plan plan(runtime, harmonic(), sources, options(4));
    const auto a = plan.evaluate(strengths(5000, 1));
    const auto b = plan.evaluate(strengths(5000, 2));
    auto q = strengths(5000, 1);
    const auto other = strengths(5000, 2);
    auto expected = a;
    for (std::size_t i = 0; i < 5000; ++i) {
        q.re[i] += 2 * other.re[i];
        expected.re[i] += 2 * b.re[i];
        expected.im[i] += 2 * b.im[i];
    }
    CHECK(difference(plan.evaluate(q), expected) <= 1e-13);
    const auto again = plan.evaluate(strengths(5000, 1));
    CHECK(again.re == a.re); // nothing of the last sum remains
    CHECK(again.im == a.im);
    Potentials into;
    plan.evaluate(strengths(5000, 1), into);
    CHECK(into.re == a.re);
    CHECK(into.im == a.im);
    const auto zero = plan.evaluate({std::vector<double>(5000, 0), {}});
    CHECK(std::all_of(zero.re.begin(), zero.re.end(), [](double v) { return v == 0; }));
}

TEST_CASE("plan: rebuilt, it is as a new plan") {
    Runtime runtime(workers(1));
    const auto first = make_shape("uniform", 3000, 1);
    const auto second = make_shape("circle", 7001, 2);
    const auto targets = make_shape("normal", 900, 3);
    Plan plan(runtime, harmonic(), first, options(4));
    (void)plan.evaluate(strengths(3000));
    plan.rebuild(second);
    Plan fresh(runtime, harmonic(), second, options(4));
    CHECK(difference(plan.evaluate(strengths(7001)), fresh.evaluate(strengths(7001))) == 0);
    CHECK(plan.info().levels == fresh.info().levels);
    plan.rebuild(second, targets);
    Plan two(runtime, harmonic(), second, targets, options(4));
    CHECK(difference(plan.evaluate(strengths(7001)), two.evaluate(strengths(7001))) == 0);
    plan.rebuild(first);
    CHECK(plan.evaluate(strengths(3000)).size() == 3000);
}

TEST_CASE("plan: one target, and targets far outside the sources") {
    Runtime runtime({}, Execution::in_order);
    const auto sources = make_shape("uniform", 4000, 1);
    const auto q = strengths(4000);
    auto outside = make_shape("normal", 500, 2);
    for (std::size_t i = 0; i < 500; ++i) {
        outside.x[0][i] += 1000;
        outside.x[1][i] -= 300;
    }
    for (const char* const kernel : {"harmonic2d", "log2d"}) {
        for (const Points<2>& targets : {make_shape("uniform", 1, 5), outside}) {
            for (const int groups : {1, 16}) {
                const Reference reference(kernel, sources, q, targets, 500);
                const auto chosen = options(groups, 30, 1e-6);
                Plan plan(runtime, kernel_of(kernel), sources, targets, chosen);
                const auto how = computation_of(plan.info(), 4000, targets.size(), false);
                const auto verdict = judge(reference, plan.evaluate(q), 1e-6, how);
                CHECK(verdict.worst <= 1);
                CHECK(verdict.excused == 0); // sums that do not cancel
            }
        }
    }
}

TEST_CASE("plan: targets far from the sources of their own group") {
    Runtime runtime({}, Execution::in_order);
    const auto q = strengths(31);
    for (const std::uint64_t seed : {1, 2, 3, 4, 5, 6, 7, 8}) {
        const auto sources = make_shape("line", 31, seed);
        const auto targets = make_shape("line", 61, seed + 100);
        Plan plan(runtime, harmonic(), sources, targets, options(16, 1));
        Plan one_group(runtime, harmonic(), sources, targets, options(1, 1));
        CHECK(difference(plan.evaluate(q), one_group.evaluate(q)) <= 1e-12);
    }
}

TEST_CASE("plan: complex strengths, by kernels of complex and of real ones") {
    Runtime runtime({}, Execution::in_order);
    const auto sources = make_shape("normal", 3000, 1);
    const Strengths q = strengths(3000, 1, StrengthType::complex);
    const Strengths re{q.re, {}};
    const Strengths im{q.im, {}};
    for (const Method method : {Method::fmm, Method::direct}) {
        auto chosen = options();
        chosen.method = method;
        Plan complex(runtime, kernel_set<Harmonic<double, true>>(), sources, chosen);
        Plan real(runtime, harmonic(), sources, chosen);
        CHECK(difference(complex.evaluate(q), real.evaluate(q)) <= 1e-13);
        CHECK(difference(complex.evaluate(re), real.evaluate(re)) <= 1e-13);
        Plan log(runtime, kernel_set<Log<double>>(), sources, chosen);
        const auto both = log.evaluate(q); // part by part
        CHECK(both.re == log.evaluate(re).re);
        CHECK(both.im == log.evaluate(im).re);
        CHECK(log.evaluate(re).im.empty());
    }
}

TEST_CASE("plan: single precision is as exact as distances within a leaf") {
    Runtime runtime({}, Execution::in_order);
    for (const bool two_sets : {false, true}) {
        const auto expected = sum<Harmonic<double, false>>(runtime, two_sets, options(1));
        const auto single = sum<Harmonic<float, false>>(runtime, two_sets, options(16, 30, 1e-6));
        CHECK(difference(single, expected) <= 1e-5);
        const auto log = sum<Log<double>>(runtime, two_sets, options(1));
        const auto single_log = sum<Log<float>>(runtime, two_sets, options(16, 30, 1e-6));
        CHECK(difference(single_log, log) <= 1e-5);
    }
}

TEST_CASE("plan: single precision does not see where the points are, nor how small their set is") {
    Runtime runtime({}, Execution::in_order);
    const auto q = strengths(3000);
    for (const std::string& shape : shape_names) {
        CAPTURE(shape);
        auto points = make_shape(shape, 3000, 1);
        for (auto& x : points.x) {
            for (double& coordinate : x) {
                coordinate += 100;
            }
        }
        Plan plan(runtime, harmonic(), points, options(1));
        const auto expected = plan.evaluate(q);
        Plan single(runtime, kernel_set<Harmonic<float, false>>(), points, options(1, 30, 1e-6));
        CHECK(difference(single.evaluate(q), expected) <= 1e-5);
    }
}

TEST_CASE("plan: direct summation is the exact sum") {
    Runtime runtime(workers(-1));
    const auto sources = make_shape("twice", 3000, 1);
    const auto targets = make_shape("twice", 2000, 1);
    auto chosen = options();
    chosen.method = Method::direct;
    for (const char* const kernel : {"harmonic2d", "log2d"}) {
        Reference reference(kernel, sources, strengths(3000), targets, 2000);
        reference.signs = true;
        Plan plan(runtime, kernel_of(kernel), sources, targets, chosen);
        const auto potentials = plan.evaluate(strengths(3000));
        const auto how = computation_of(plan.info(), 3000, 2000, false);
        CHECK(judge(reference, potentials, 0, how).worst <= 1);
        CHECK(plan.info().work.p2p_pairs == 6'000'000);
        CHECK(plan.mesh(0).empty());
    }
}

TEST_CASE("plan: bad input is rejected, and the plan or runtime still works") {
    Runtime runtime(workers(1));
    const auto sources = make_shape("uniform", 10, 1);
    const auto make = [&](const Points<2>& points, const PlanOptions& chosen) {
        return message_of([&] { const Plan plan(runtime, harmonic(), points, chosen); });
    };
    CHECK(make({}, {}) == "no sources: at least one point is needed");
    auto bad = sources;
    bad.x[1][7] = NAN;
    const std::string finite = ": must be finite";
    CHECK(make(bad, {}) == "sources.y[7] = nan" + finite);
    bad.x[1][7] = -INFINITY;
    CHECK(make(bad, {}) == "sources.y[7] = -inf" + finite);
    bad.x[1].pop_back();
    CHECK(make(bad, {}) == "sources.y has 9 values, sources.x has 10: must be equal");
    CHECK(make(sources, options(3)) == "groups = 3: must be 1, 4, 16 or 64 (or 0: automatic)");
    PlanOptions deep;
    deep.levels = 2;
    CHECK(make(sources, deep) == "levels = 2: more leaves than the 10 sources, at most 1 levels");
    CHECK(message_of([&] {
              const Plan plan(runtime, harmonic(), sources, Points<2>{}, {});
          }) == "no targets: at least one point is needed");
    Plan plan(runtime, harmonic(), sources, options());
    CHECK(message_of([&] {
              (void)plan.evaluate(strengths(9));
          }) == "strengths: 9 values, must be 10, as many as sources");
    auto q = strengths(10);
    q.im.assign(11, 0.5);
    CHECK(message_of([&] {
              (void)plan.evaluate(q);
          }) == "imaginary strengths: 11 values, must be 10, as many as sources");
    q.im.clear();
    q.re[3] = INFINITY;
    CHECK(message_of([&] { (void)plan.evaluate(q); }) == "strengths[3] = inf" + finite);
    CHECK(plan.evaluate(strengths(10)).size() == 10);
}

TEST_CASE("plan: points that stay are refused while they are split, and the runtime still works") {
    const bool has_gpus = starfmm::available_gpus() > 1;
    Runtime runtime(workers(has_gpus ? 0 : 1, has_gpus ? 2 : 0));
    constexpr std::size_t n = 20'000;
    const auto good = make_shape("uniform", n, 1);
    PlanOptions chosen = options(16);
    chosen.chunks = 4;
    for (const auto tree : {starfmm::TreeKind::pyramid, starfmm::TreeKind::orthtree}) {
        chosen.tree = tree;
        auto bad = good;
        bad.x[1][n - 1] = NAN;
        {
            const starfmm::Resident x(runtime, bad.x[0]);
            const starfmm::Resident y(runtime, bad.x[1]);
            CHECK(message_of([&] {
                      const Plan plan(runtime, harmonic(), bad, chosen);
                  }) == "sources.y[19999] = nan: must be finite");
        }
        const Plan plan(runtime, harmonic(), good, chosen);
        CHECK(plan.info().chunks == 4);
    }
}

TEST_CASE("plan: a rebuild that is refused leaves the plan as it was") {
    Runtime runtime(workers(1));
    const auto sources = make_shape("uniform", 3000, 1);
    const auto q = strengths(3000);
    PlanOptions chosen = options();
    chosen.levels = 3;
    Plan plan(runtime, harmonic(), sources, chosen);
    const Potentials before = plan.evaluate(q);
    auto ragged = make_shape("uniform", 4000, 2);
    ragged.x[1].pop_back();
    const auto few = make_shape("uniform", 10, 1); // fewer than leaves
    for (const Points<2>& bad : {ragged, few, Points<2>{}}) {
        CHECK_THROWS_AS(plan.rebuild(bad), InputError);
        CHECK_THROWS_AS(plan.rebuild(sources, bad.size() == 10 ? Points<2>{} : bad), InputError);
        const Potentials after = plan.evaluate(q);
        CHECK(after.re == before.re);
        CHECK(after.im == before.im);
    }
    CHECK(plan.info().levels == 3);
}

TEST_CASE("plan: after a rebuild that failed there are no points, until one succeeds") {
    Runtime runtime(workers(1));
    const auto sources = make_shape("uniform", 3000, 1);
    const auto q = strengths(3000);
    for (const Method method : {Method::fmm, Method::direct}) {
        PlanOptions chosen = options();
        chosen.method = method;
        Plan plan(runtime, harmonic(), sources, chosen);
        const Potentials before = plan.evaluate(q);
        auto bad = sources;
        bad.x[0][2999] = NAN;
        CHECK_THROWS_AS(plan.rebuild(bad), InputError);
        CHECK(message_of([&] {
                  (void)plan.evaluate(q);
              }) == "the plan has no points: its last rebuild or evaluation failed");
        CHECK(plan.mesh(0).empty());
        CHECK(plan.info().work.p2p_pairs == 0);
        plan.rebuild(sources);
        CHECK(plan.evaluate(q).re == before.re);
    }
}

// SPDX-License-Identifier: BSD-3-Clause
#include "core/error.hpp"
#include "core/expansions/kernels2d.hpp"
#include "core/expansions/kernels3d.hpp"
#include "core/particles/distributions.hpp"
#include "core/tree/pyramid.hpp"
#include "schedulers/costs/calibration.hpp"
#include "schedulers/costs/tuning.hpp"
#include "schedulers/costs/tuning_cache.hpp"
#include "schedulers/plan/plan.hpp"
#include "tests/support/environment.hpp"
#include "tests/support/temporary_folder.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <initializer_list>
#include <string>
#include <utility>

using namespace starfmm;

namespace {

KernelSet& harmonic() {
    return kernel_set<Harmonic<double, false>>();
}

Choice choose_for(std::size_t n, const PlanOptions& options, const UnitCosts& costs) {
    return choose(options, harmonic().traits, {n, n, false}, costs, {1, 0});
}

Choice choose_for(std::size_t n, const PlanOptions& options = {}) {
    return choose_for(n, options, builtin_costs({1, 0}));
}

KernelSet& laplace() {
    return kernel_set<LaplaceGradient<double>>();
}

PlanOptions in_space(double tolerance = 1e-6) {
    PlanOptions options;
    options.tolerance = tolerance;
    options.tree = TreeKind::orthtree;
    return options;
}

Choice choose_in_space(std::size_t n, const PlanOptions& options, const UnitCosts& costs) {
    return choose(options, laplace().traits, {n, n, false}, costs, {1, 0});
}

Choice choose_in_space(std::size_t n, const PlanOptions& options) {
    return choose_in_space(n, options, builtin_costs({1, 0}, 3));
}

/// A tree of uniform points, as the cost model sees it.
PlanShape shape_in_space(std::size_t n, double tolerance, double theta, int roots, int levels) {
    const int order = laplace().traits.order(tolerance, theta);
    PlanShape shape{n, n, false, levels, theta, order, 3, roots};
    shape.terms_besides = laplace().traits.terms_besides;
    return shape;
}

RuntimeOptions one_worker() {
    return {1, 0, "", false};
}

} // namespace

TEST_CASE("tuning: few points are summed directly, many by a tree") {
    CHECK(choose_for(1).method == Method::direct);
    CHECK(choose_for(300).method == Method::direct);
    CHECK(choose_for(300).levels == 0);
    for (const std::size_t n : {10'000, 100'000, 10'000'000}) {
        const Choice choice = choose_for(n);
        CHECK(choice.method == Method::fmm);
        CHECK(choice.fmm_s < choice.direct_s);
        const auto leaf = static_cast<double>(n) / static_cast<double>(n_boxes<2>(choice.levels));
        CHECK(leaf >= 8);
        CHECK(leaf <= 200);
    }
}

TEST_CASE("tuning: no other levels or theta are predicted to be faster") {
    const UnitCosts& costs = builtin_costs({1, 0});
    for (const double tolerance : {1e-3, 1e-6, 1e-12}) {
        PlanOptions options;
        options.tolerance = tolerance;
        const Choice choice = choose_for(50'000, options);
        for (const double theta : {0.5, 0.55, 0.6, 0.65}) {
            const int order = harmonic().traits.order(tolerance, theta);
            for (int levels = 0; levels <= 7 && order < 64; ++levels) {
                const PlanShape shape{50'000, 50'000, false, levels, theta, order};
                CHECK(predict_fmm(costs, shape, {1, 0}) >= choice.fmm_s);
            }
        }
        CHECK(choice.order == harmonic().traits.order(tolerance, choice.theta));
    }
}

TEST_CASE("tuning: dear pairs ask for small leaves, dear translations for large ones") {
    UnitCosts pairs = builtin_costs({1, 0});
    pairs.fmm[static_cast<std::size_t>(Unit::near_pair)] *= 20;
    UnitCosts shifts = builtin_costs({1, 0});
    shifts.fmm[static_cast<std::size_t>(Unit::shift_coefficient)] *= 20;
    CHECK(choose_for(100'000, {}, pairs).levels > choose_for(100'000).levels);
    CHECK(choose_for(100'000, {}, shifts).levels < choose_for(100'000).levels);
}

TEST_CASE("tuning: what is given stays") {
    PlanOptions options;
    options.theta = 0.4;
    CHECK(choose_for(50'000, options).theta == 0.4);
    options.theta = -1;
    options.order = 13;
    CHECK(choose_for(50'000, options).theta == 0.5);
    CHECK(choose_for(50'000, options).order == 13);
    options.order = 0;
    options.levels = 3;
    CHECK(choose_for(50'000, options).theta == 0.5);
    CHECK(choose_for(100, options).levels == 3);
    CHECK(choose_for(100, options).method == Method::fmm);
    options.levels = -1;
    options.leaf_size = 45;
    CHECK(choose_for(1000, options).levels == levels_for_leaf_size(2, 1000, 45));
    CHECK(choose_for(1000, options).method == Method::fmm);
    options.method = Method::direct;
    CHECK(choose_for(50'000, options).method == Method::direct);
    options = {};
    options.method = Method::fmm;
    CHECK(choose_for(10, options).method == Method::fmm);
    CHECK(choose_for(10, options).levels == 0);
    options.levels = 4;
    CHECK_THROWS_WITH_AS(
        choose_for(100, options),
        "levels = 4: more leaves than the 100 sources, at most 3 levels",
        InputError
    );
}

TEST_CASE("tuning: an order that is cut off is not for a larger theta") {
    PlanOptions options;
    options.tolerance = 1e-15; // 54 terms at 0.5, 62 at 0.55, beyond 64 above
    for (const std::size_t n : {3000, 30'000, 300'000}) {
        CHECK(choose_for(n, options).theta <= 0.55);
    }
}

TEST_CASE("tuning: in space few points are summed directly, many by a tree") {
    CHECK(choose_in_space(1, in_space()).method == Method::direct);
    CHECK(choose_in_space(300, in_space()).method == Method::direct);
    for (const std::size_t n : {10'000, 100'000, 10'000'000}) {
        const Choice choice = choose_in_space(n, in_space());
        CHECK(choice.method == Method::fmm);
        CHECK(choice.fmm_s < choice.direct_s);
        CHECK(choice.fmm_s > 0);
        const PlanShape shape{n, n, false, choice.levels, 0.5, 1, 3, choice.roots};
        CHECK(points_of_octree_leaf(shape) >= 8);
        CHECK(points_of_octree_leaf(shape) <= 300);
        CHECK(choice.leaf_size > points_of_octree_leaf(shape));
    }
}

TEST_CASE("tuning: no other octree or theta is predicted to be faster") {
    const UnitCosts& costs = builtin_costs({1, 0}, 3);
    for (const std::size_t n : {20'000, 50'000, 120'000}) {
        for (const double tolerance : {1e-3, 1e-6, 1e-9}) {
            const Choice choice = choose_in_space(n, in_space(tolerance));
            for (const double theta : {0.45, 0.5, 0.55, 0.6, 0.64, 0.7, 0.75}) {
                for (int roots = min_roots; roots <= max_roots; ++roots) {
                    for (int levels = 3; levels <= 5; ++levels) {
                        const PlanShape shape = shape_in_space(n, tolerance, theta, roots, levels);
                        if (points_of_octree_leaf(shape) >= 8 && shape.order <= 40) {
                            // orders of single pairs vary a little between thetas of equal lists
                            CHECK(predict_fmm(costs, shape, {1, 0}) >= 0.98 * choice.fmm_s);
                        }
                    }
                }
            }
            CHECK(choice.order == laplace().traits.order(tolerance, choice.theta));
        }
    }
}

TEST_CASE("tuning: numbers of points a factor of two apart get different trees with alike leaves") {
    double smallest = 1e9;
    double largest = 0;
    for (std::size_t n = 50'000; n <= 800'000; n += n / 4) {
        const Choice choice = choose_in_space(n, in_space());
        const double leaf =
            points_of_octree_leaf(shape_in_space(n, 1e-6, choice.theta, choice.roots, choice.levels)
            );
        smallest = std::min(smallest, leaf);
        largest = std::max(largest, leaf);
    }
    CHECK(largest < 4 * smallest); // a factor of eight by powers of two alone
}

TEST_CASE("tuning: in space dear pairs ask for small leaves, dear translations for large ones") {
    UnitCosts pairs = builtin_costs({1, 0}, 3);
    pairs.fmm[static_cast<std::size_t>(Unit::near_pair)] *= 10;
    UnitCosts shifts = builtin_costs({1, 0}, 3);
    shifts.fmm[static_cast<std::size_t>(Unit::shift_product)] *= 10;
    const std::uint32_t usual = choose_in_space(100'000, in_space()).leaf_size;
    CHECK(choose_in_space(100'000, in_space(), pairs).leaf_size < usual);
    CHECK(choose_in_space(100'000, in_space(), shifts).leaf_size > usual);
}

TEST_CASE("tuning: in space what is given stays") {
    PlanOptions options = in_space();
    options.theta = 0.42;
    CHECK(choose_in_space(50'000, options).theta == 0.42);
    options.roots = 7;
    CHECK(choose_in_space(50'000, options).theta == 0.42);
    CHECK(choose_in_space(50'000, options).roots == 7);
    options.theta = -1;
    options.order = 13;
    CHECK(choose_in_space(50'000, options).theta == 0.765);
    CHECK(choose_in_space(50'000, options).order == 13);
    options = in_space();
    options.leaf_size = 45;
    CHECK(choose_in_space(50'000, options).leaf_size == 45);
    CHECK(choose_in_space(50'000, options).roots == min_roots);
    CHECK(choose_in_space(50'000, options).theta == 0.765);
    CHECK(choose_in_space(100, options).method == Method::fmm);
    CHECK(choose_in_space(50'000, options).fmm_s == 0);
    options.roots = 6;
    CHECK(choose_in_space(50'000, options).roots == 6);
}

TEST_CASE("tuning: in space a separation whose order would be cut off is not chosen") {
    for (const double tolerance : {1e-9, 1e-12, 1e-13, 1e-15}) {
        for (const std::size_t n : {3000, 300'000}) {
            const Choice choice = choose_in_space(n, in_space(tolerance));
            CHECK(choice.order == laplace().traits.order(tolerance, choice.theta));
            CHECK(choice.order <= 40);
        }
    }
}

TEST_CASE("tuning: a GPU alone takes all terms of many cubes, and plane waves") {
    const auto of = [](std::size_t n, const PlanOptions& options, const WorkerCounts& workers) {
        return choose(options, laplace().traits, {n, n, false}, builtin_costs(workers, 3), workers);
    };
    const WorkerCounts gpu{0, 1};
    PlanOptions options = in_space();
    CHECK(of(1'000'000, options, gpu).terms == PairTerms::all);
    CHECK(of(1'000'000, options, gpu).order == 14);
    CHECK(of(1'000'000, options, gpu).theta == 0.765);
    CHECK(of(30'000, options, gpu).terms == PairTerms::by_distance);
    CHECK(of(1'000'000, options, {1, 0}).terms == PairTerms::by_distance);
    CHECK(of(1'000'000, options, {1, 1}).terms == PairTerms::by_distance);
    CHECK(of(1'000'000, options, {0, 2}).terms == PairTerms::all);
    CHECK(of(200'000, options, gpu).terms == PairTerms::all);
    CHECK(of(200'000, options, {0, 2}).terms == PairTerms::by_distance); // too few for each group
    options.plane_waves = PlaneWaves::always;
    CHECK(of(30'000, options, gpu).terms == PairTerms::all);
    options.theta = 0.5; // for which more cubes are near than waves take for granted
    CHECK(of(1'000'000, options, gpu).terms == PairTerms::by_distance);
    options = in_space();
    options.plane_waves = PlaneWaves::never;
    CHECK(of(1'000'000, options, gpu).terms == PairTerms::by_distance);
    options = in_space();
    options.order = 11;
    CHECK(of(1'000'000, options, gpu).terms == PairTerms::by_distance);
    options.terms = PairTerms::all;
    CHECK(of(1'000'000, options, gpu).terms == PairTerms::all);
    CHECK(of(1'000'000, options, gpu).order == 11);
    options = in_space();
    options.leaf_size = 50;
    CHECK(of(1'000'000, options, gpu).order == 14);
    CHECK(of(50'000, options, gpu).order == 17);
    CHECK(of(1'000'000, in_space(1e-12), gpu).terms == PairTerms::by_distance); // no waves serve
}

TEST_CASE("tuning: targets of their own count") {
    const UnitCosts& costs = builtin_costs({1, 0}, 3);
    const auto of = [&](std::size_t n, std::size_t m) {
        return choose(in_space(), laplace().traits, {n, m, true}, costs, {1, 0});
    };
    CHECK(of(100'000, 1).method == Method::direct); // each source once
    CHECK(of(1, 100'000).method == Method::direct);
    CHECK(of(100'000, 100'000).method == Method::fmm);
    CHECK(of(100'000, 1'000'000).fmm_s > of(100'000, 100'000).fmm_s);
    CHECK(of(1'000'000, 100'000).leaf_size == of(100'000, 1'000'000).leaf_size);
}

TEST_CASE("tuning: measured costs in space are finite, and most of them positive") {
    Runtime runtime({1, 0, "", true});
    const MeasuredCosts measured = measure_costs(runtime, laplace());
    CHECK(are_plausible(measured.costs, {1, 0}, 3));
    CHECK(runtime.records().empty());
    const auto is_positive = [](double cost) { return cost > 0; };
    CHECK(std::ranges::count_if(measured.costs.fmm, is_positive) > 6);
    CHECK(measured.costs.direct[2] > 0);
}

TEST_CASE("tuning: small plans measure nothing, large ones once, and other runtimes remember") {
    const TemporaryFolder folder;
    const Environment cache("STARFMM_CACHE_DIR", folder.file("cache"));
    const ProblemSize small{1000, 1000, false};
    const ProblemSize large{100'000, 100'000, false};
    UnitCosts measured;
    {
        Runtime runtime(one_worker());
        CHECK(tuned_costs(runtime, harmonic(), {}, small).source == CostSource::builtin);
        CHECK(folder.n_files() == 0);
        PlanOptions builtin;
        builtin.tuning = Tuning::builtin;
        CHECK(tuned_costs(runtime, harmonic(), builtin, large).source == CostSource::builtin);
        const TunedCosts first = tuned_costs(runtime, harmonic(), {}, large);
        CHECK(first.source == CostSource::measured);
        CHECK(first.notice.empty());
        measured = first.costs;
        CHECK(tuned_costs(runtime, harmonic(), {}, large).costs.fmm == measured.fmm);
        CHECK(tuned_costs(runtime, harmonic(), {}, small).source == CostSource::measured);
    }
    Runtime runtime(one_worker());
    const TunedCosts cached = tuned_costs(runtime, harmonic(), {}, small);
    CHECK(cached.source == CostSource::cached);
    CHECK(cached.costs.fmm == measured.fmm);
    const std::string other = tuned_costs(runtime, kernel_set<Log<float>>(), {}, small).file;
    CHECK(other.empty()); // no costs of that kernel
    PlanOptions again;
    again.tuning = Tuning::again;
    CHECK(tuned_costs(runtime, harmonic(), again, small).source == CostSource::measured);
    CHECK(tuned_costs(runtime, harmonic(), again, small).source == CostSource::measured);
}

TEST_CASE("tuning: measured costs are finite, and most of them positive") {
    Runtime runtime({1, 0, "", true});
    const MeasuredCosts measured = measure_costs(runtime, harmonic());
    const UnitCosts& costs = measured.costs;
    CHECK(measured.busy > 0.9);
    CHECK(are_plausible(costs, {1, 0}));
    CHECK(runtime.records().empty());
    int positive = 0;
    for (const double cost : costs.fmm) {
        CHECK(std::isfinite(cost));
        CHECK(cost >= 0);
        positive += cost > 0 ? 1 : 0;
    }
    CHECK(positive > static_cast<int>(costs.fmm.size()) / 2);
    CHECK(costs.direct[2] > 0);
    CHECK(costs.task > 0);
}

TEST_CASE("tuning: costs that no machine can have are measured anew") {
    const TemporaryFolder folder;
    const Environment cache("STARFMM_CACHE_DIR", folder.file("cache"));
    const ProblemSize large{25'000, 25'000, false};
    std::string file;
    {
        Runtime runtime(one_worker());
        file = tuned_costs(runtime, harmonic(), {}, large).file;
    }
    std::string key = folder.bytes("cache/" + file.substr(file.rfind('/') + 1));
    key = key.substr(key.find(R"("key": ")") + 8);
    key = key.substr(0, key.find('"'));
    REQUIRE(read_costs(file, key).has_value());
    UnitCosts dear = builtin_costs({1, 0});
    dear.fmm[static_cast<std::size_t>(Unit::shift)] = 1e300; // finite, and sums of it are not
    UnitCosts free;
    UnitCosts slow = builtin_costs({1, 0});
    slow.task = 100;
    for (const UnitCosts& absurd : {dear, free, slow}) {
        write_costs(file, key, {{absurd, {}, {}}});
        Runtime runtime(one_worker());
        const TunedCosts found = tuned_costs(runtime, harmonic(), {}, large);
        CHECK(found.source == CostSource::measured);
        CHECK(are_plausible(found.costs, {1, 0}));
    }
    UnitCosts other = builtin_costs({1, 0});
    std::ranges::for_each(other.fmm, [](double& cost) { cost *= 50; });
    write_costs(file, key, {{other, {}, {}}});
    Runtime runtime(one_worker());
    CHECK(tuned_costs(runtime, harmonic(), {}, large).costs.fmm == other.fmm); // just a slow one
}

TEST_CASE("tuning: costs measured on a busy machine are measured anew, a few times") {
    const MachineCosts builtin{builtin_costs({1, 0}), {}, {}};
    const MeasuredCosts disturbed{builtin, 2.0, 1};
    CHECK(is_worth_repeating(disturbed));
    CHECK_FALSE(is_worth_repeating({builtin, 2.0, 3}));
    CHECK_FALSE(is_worth_repeating({builtin, 1.1, 1}));
    CHECK_FALSE(is_worth_repeating({builtin, 1.1, 1, 7200}));
    CHECK_FALSE(is_worth_repeating({builtin, 2.0, 3, 1800}));
    CHECK(is_worth_repeating({builtin, 2.0, 3, 7200}));
    const TemporaryFolder folder;
    const Environment cache("STARFMM_CACHE_DIR", folder.file("cache"));
    const ProblemSize large{25'000, 25'000, false};
    const ProblemSize small{25, 25, false};
    std::string file;
    {
        Runtime runtime(one_worker());
        file = tuned_costs(runtime, harmonic(), {}, large).file;
    }
    const std::string name = "cache/" + file.substr(file.rfind('/') + 1);
    std::string text = folder.bytes(name);
    const auto set = [&](const std::string& field, const std::string& value) {
        const std::size_t at = text.find("\"" + field + "\": ") + field.size() + 4;
        text.replace(at, text.find_first_of(",\n", at) - at, value);
    };
    set("busy", "1e8");
    set("attempts", "1");
    REQUIRE(folder.file(name, text) == file);
    {
        Runtime runtime(one_worker());
        CHECK(tuned_costs(runtime, harmonic(), {}, small).source == CostSource::cached);
        CHECK(tuned_costs(runtime, harmonic(), {}, small).source == CostSource::cached);
    }
    {
        Runtime runtime(one_worker());
        CHECK(tuned_costs(runtime, harmonic(), {}, large).source == CostSource::measured);
    }
    text = folder.bytes(name);
    CHECK(text.find("\"attempts\": 2") != std::string::npos);
    CHECK(text.find("\"busy\": 100000000") == std::string::npos); // the better of both stays
    set("busy", "1e-9");
    set("attempts", "1");
    REQUIRE(folder.file(name, text) == file);
    Runtime runtime(one_worker());
    CHECK(tuned_costs(runtime, harmonic(), {}, large).source == CostSource::cached);
}

TEST_CASE("tuning: costs that sums contradict are measured anew, records or none") {
    const TemporaryFolder folder;
    const Environment cache("STARFMM_CACHE_DIR", folder.file("cache"));
    const std::size_t n = 25'000;
    const ProblemSize large{n, n, false};
    const auto points = make_points<2>(Distribution::uniform, n, 0.1, 1);
    const Strengths strengths = make_strengths(n, StrengthSign::random, StrengthType::real, 1);
    std::string file;
    std::string key;
    {
        Runtime runtime(one_worker());
        file = tuned_costs(runtime, harmonic(), {}, large).file;
        key = folder.bytes("cache/" + file.substr(file.rfind('/') + 1));
        key = key.substr(key.find(R"("key": ")") + 8);
        key = key.substr(0, key.find('"'));
    }
    const auto kept = read_costs(file, key);
    REQUIRE(kept);
    MeasuredCosts dear = *kept;
    dear.busy = 1; // as if this machine had been idle
    std::ranges::for_each(dear.costs.fmm, [](double& cost) { cost *= 100; });
    std::ranges::for_each(dear.costs.direct, [](double& cost) { cost *= 100; });
    // Costs of the plan after that of two evaluations, and how many measurements there were then.
    const auto after_two = [&](int attempts, std::chrono::hours age, bool profiles) {
        dear.attempts = attempts;
        write_costs(file, key, dear);
        const auto now = std::filesystem::file_time_type::clock::now();
        std::filesystem::last_write_time(file, now - age);
        RuntimeOptions options = one_worker();
        options.profile = profiles;
        Runtime runtime(options);
        Potentials out;
        Plan plan(runtime, harmonic(), points, {});
        CHECK(plan.info().costs == CostSource::cached);
        plan.evaluate(strengths, out);
        plan.evaluate(strengths, out);
        const CostSource source = Plan(runtime, harmonic(), points, {}).info().costs;
        const auto now_kept = read_costs(file, key);
        REQUIRE(now_kept);
        return std::pair(source, now_kept->attempts);
    };
    using std::chrono::hours;
    CHECK(after_two(3, hours(0), false) == std::pair(CostSource::measured, 4));
    CHECK(after_two(3, hours(0), true) == std::pair(CostSource::measured, 4));
    CHECK(after_two(6, hours(0), false) == std::pair(CostSource::cached, 6));
    CHECK(after_two(6, hours(2), false) == std::pair(CostSource::measured, 7));
    std::ranges::for_each(dear.costs.fmm, [](double& cost) { cost /= 100; });
    std::ranges::for_each(dear.costs.direct, [](double& cost) { cost /= 100; });
    // Costs as they are kept after measuring those again that a sum had contradicted.
    const auto measured_again = [&](const MeasuredCosts& contradicted) {
        MeasuredCosts before = contradicted;
        before.busy = 1e9;
        before.attempts = 1;
        write_costs(file, key, before);
        Runtime runtime(one_worker());
        CHECK(tuned_costs(runtime, harmonic(), {}, large).source == CostSource::measured);
        return read_costs(file, key).value();
    };
    const MeasuredCosts same = measured_again(dear); // found again: they stay, unless in doubt
    CHECK((same.attempts > 100) == (same.busy <= undisturbed));
    dear.tasks.at("starfmm_p2p").cpu.unit /= 3; // sums cost the same, tasks do not
    CHECK(measured_again(dear).attempts == 2);
}

TEST_CASE("tuning: a folder that cannot be written is noticed, and costs are used all the same") {
    const TemporaryFolder folder;
    const Environment cache("STARFMM_CACHE_DIR", folder.file("a.txt", "no folder"));
    Runtime runtime(one_worker());
    const std::size_t n = 25'000;
    const auto points = make_points<2>(Distribution::uniform, n, 0.1, 1);
    const Plan plan(runtime, harmonic(), points, {});
    CHECK(plan.info().costs == CostSource::measured);
    CHECK(plan.info().tuning_notice.starts_with("costs are not kept: "));
    CHECK(plan.info().method == Method::fmm);
    CHECK(plan.info().predicted_fmm_s > 0);
}

TEST_CASE("tuning: plans executed in order choose the same everywhere") {
    const TemporaryFolder folder;
    const Environment cache("STARFMM_CACHE_DIR", folder.file("cache"));
    Runtime runtime({}, Execution::in_order);
    const auto points = make_points<2>(Distribution::uniform, 25'000, 0.1, 1);
    const Plan plan(runtime, harmonic(), points, {});
    CHECK(plan.info().costs == CostSource::builtin);
    CHECK(plan.info().levels == choose_for(25'000).levels);
    CHECK(folder.n_files() == 0);
}

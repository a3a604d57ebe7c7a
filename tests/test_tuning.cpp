// SPDX-License-Identifier: BSD-3-Clause
#include "core/distributions.hpp"
#include "core/error.hpp"
#include "core/expansions/kernels2d.hpp"
#include "core/pyramid.hpp"
#include "schedulers/calibration.hpp"
#include "schedulers/plan.hpp"
#include "schedulers/tuning.hpp"
#include "schedulers/tuning_cache.hpp"
#include "tests/environment.hpp"
#include "tests/temporary_folder.hpp"

#include <doctest/doctest.h>

#include <initializer_list>
#include <string>

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
    shifts.fmm[static_cast<std::size_t>(Unit::shift_order)] *= 20;
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
    CHECK(choose_for(1000, options).levels == levels_for_leaf_size<2>(1000, 45));
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
    const UnitCosts costs = measure_costs(runtime, harmonic());
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

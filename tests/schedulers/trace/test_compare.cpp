// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/trace/compare.hpp"
#include "tests/support/traces.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <random>

using doctest::Approx;
using starfmm::OperatorChange;
using starfmm::Trace;

namespace {

/// Makes a trace of m2l on two cores. A unit of work takes a second but for noise, and longer by a
/// factor on the second core.
Trace noisy_trace(unsigned seed, double noise, double factor) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> spread(-noise, noise);
    Trace trace = made_up_trace({"CPU 0", "CPU 1"}, {"m2l"});
    double ends[]{0, 0};
    for (std::size_t i = 0; i < 60; ++i) {
        double& end = ends[i % 2];
        const double work = 1 + static_cast<double>(i % 3);
        const double time = work * (1 + spread(random)) * (i % 2 == 1 ? factor : 1);
        add_task(trace, 0, i % 2, end, end + time).work = work;
        end += time;
    }
    return trace;
}

const OperatorChange& on(const std::vector<OperatorChange>& changes, const std::string& worker) {
    return *std::ranges::find(changes, worker, &OperatorChange::worker);
}

} // namespace

TEST_CASE("compare: an operator that became slower on one worker is told from noise") {
    const auto changes = changes_of(noisy_trace(1, 0.1, 1), noisy_trace(2, 0.1, 1.3));
    REQUIRE(changes.size() == 3);
    CHECK(changes.back().worker == "CPU 0"); // the larger changes come first
    CHECK(on(changes, "all CPUs").ratio == Approx(1.15).epsilon(0.05));
    CHECK(on(changes, "all CPUs").tasks_after == 60);
    CHECK(on(changes, "CPU 1").ratio == Approx(1.3).epsilon(0.05));
    CHECK(on(changes, "CPU 1").is_real());
    CHECK(on(changes, "CPU 0").ratio == Approx(1).epsilon(0.05));
    CHECK_FALSE(on(changes, "CPU 0").is_real());
    CHECK(on(changes, "CPU 0").noise > 0.01);
    CHECK(on(changes, "CPU 0").noise < 0.1);
}

TEST_CASE("compare: noise alone is seldom taken for a change") {
    int n_real = 0;
    for (unsigned seed = 0; seed < 100; ++seed) {
        for (const auto& change :
             changes_of(noisy_trace(2 * seed, 0.3, 1), noisy_trace(2 * seed + 1, 0.3, 1))) {
            n_real += change.is_real() ? 1 : 0;
        }
    }
    CHECK(n_real <= 30); // 10 % of 300; two standard errors leave about 15
}

TEST_CASE("compare: a single task has no noise to compare with") {
    Trace before = made_up_trace({"CPU 0"}, {"sort"});
    add_task(before, 0, 0, 0, 1).work = 1;
    Trace after = made_up_trace({"CPU 0"}, {"sort"});
    add_task(after, 0, 0, 0, 3).work = 1;
    const auto changes = changes_of(before, after);
    REQUIRE(changes.size() == 2); // on its worker, and on all
    CHECK(changes[0].ratio == Approx(3));
    CHECK(std::isinf(changes[0].noise));
    CHECK_FALSE(changes[0].is_real());
}

TEST_CASE("compare: operators and workers are matched by name, and what has no match is told") {
    Trace before = made_up_trace({"CPU 0"}, {"a", "b"});
    add_task(before, 0, 0, 0, 1);
    add_task(before, 1, 0, 1, 3);
    Trace after = made_up_trace({"CPU 0"}, {"b", "c"});
    add_task(after, 0, 0, 0, 2);
    add_task(after, 1, 0, 2, 6);
    const auto changes = changes_of(before, after);
    REQUIRE(changes.size() == 6);
    CHECK(changes[0].op == "c");
    CHECK(changes[0].tasks_before == 0);
    CHECK(changes[2].op == "a");
    CHECK(changes[2].tasks_after == 0);
    CHECK(changes[4].ratio == Approx(1));
    const std::string text = comparison_text(before, after);
    CHECK(text.find("run                      3.00 s  6.00 s  x 2.00") != std::string::npos);
    for (const std::string word : {"new", "gone", "one task"}) {
        CHECK(text.find(word) != std::string::npos);
    }
}

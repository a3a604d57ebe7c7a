// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/trace/run_bounds.hpp"
#include "tests/support/traces.hpp"

#include <doctest/doctest.h>

#include <random>

using doctest::Approx;
using starfmm::Trace;
using starfmm::TraceAnalysis;

TEST_CASE("run_bounds: the critical path is the longest chain") {
    const TraceAnalysis analysis = starfmm::analyse(diamond_trace());
    CHECK(analysis.path.length_s == Approx(5)); // p2p, gather
    CHECK(analysis.path.tasks == std::vector<std::size_t>{2, 3});
    CHECK(analysis.area_bound_s == Approx(4));
    CHECK(analysis.bound_s() == Approx(5));
    const auto shares = starfmm::path_shares_of(diamond_trace(), analysis);
    REQUIRE(shares.size() == 2);
    CHECK(shares[0].op == 2);
    CHECK(shares[0].time_s == Approx(4));
    CHECK(shares[1].tasks == 1);
}

TEST_CASE("run_bounds: tasks that wait for nobody are a chain of one") {
    Trace trace = made_up_trace({"CPU 0", "CPU 1"}, {"a"});
    add_task(trace, 0, 0, 0, 1);
    add_task(trace, 0, 1, 0, 3);
    add_task(trace, 0, 0, 1, 2);
    const TraceAnalysis analysis = starfmm::analyse(trace);
    CHECK(analysis.path.tasks == std::vector<std::size_t>{1});
    CHECK(analysis.bound_s() == Approx(3));
    CHECK(analysis.area_bound_s == Approx(2.5));
    CHECK(starfmm::analyse(Trace()).path.tasks.empty());
}

TEST_CASE("run_bounds: operators go to the kind of worker that is best at them") {
    // a core does 1 unit of a second and the GPU 4; both do 1 of b: there are 8 units of each
    Trace trace = made_up_trace({"CPU 0", "CUDA 0"}, {"a", "b"});
    add_task(trace, 0, 0, 0, 4).work = 4;
    add_task(trace, 0, 1, 0, 1).work = 4;
    add_task(trace, 1, 0, 4, 8).work = 4;
    add_task(trace, 1, 1, 1, 5).work = 4;
    // at best the GPU does all of a in 2 s and 3 units of b, the core 5 units of b
    CHECK(starfmm::analyse(trace).area_bound_s == Approx(5));
}

TEST_CASE("run_bounds: an operator that one kind of worker ran stays there") {
    Trace trace = made_up_trace({"CPU 0", "CUDA 0"}, {"a", "b"});
    add_task(trace, 0, 0, 0, 6);
    add_task(trace, 1, 1, 0, 2);
    CHECK(starfmm::analyse(trace).area_bound_s == Approx(6));
}

TEST_CASE("run_bounds: an operator's rate on a worker, and that of its best task") {
    Trace trace = made_up_trace({"CPU 0", "CPU 1"}, {"a"});
    add_task(trace, 0, 0, 0, 2).work = 10;
    add_task(trace, 0, 0, 2, 3).work = 10;
    add_task(trace, 0, 0, 3, 3.125).work = 3; // less than half the mean: does not count
    add_task(trace, 0, 1, 0, 1).work = 0;
    const TraceAnalysis analysis = starfmm::analyse(trace);
    REQUIRE(analysis.operators.size() == 2);
    CHECK(analysis.operators[0].unit_time() == Approx(3.125 / 23));
    CHECK(analysis.operators[0].best_rate == Approx(10));
    CHECK(analysis.operators[1].best_rate == 0);
    CHECK(analysis.operators[1].unit_time() == Approx(1)); // a task
}

TEST_CASE("run_bounds: tasks without work are shared out by their number") {
    Trace trace = made_up_trace({"CPU 0", "CUDA 0"}, {"a"});
    for (int i = 0; i < 4; ++i) {
        add_task(trace, 0, 0, i, i + 1).work = 0;
    }
    add_task(trace, 0, 1, 0, 1).work = 0;
    CHECK(starfmm::analyse(trace).area_bound_s == Approx(2.5)); // both do one a second
}

TEST_CASE("run_bounds: no schedule beats its bound, and no chain is shorter than a task") {
    std::mt19937 random(7);
    std::uniform_real_distribution<double> any(0, 1);
    for (int round = 0; round < 50; ++round) {
        Trace trace = made_up_trace({"CPU 0", "CPU 1", "CUDA 0"}, {"a", "b", "c"});
        std::vector<double> free_from(3);
        double longest = 0;
        for (std::size_t i = 0; i < 40; ++i) {
            const std::size_t worker = i < 3 ? i : random() % 3;
            std::vector<std::size_t> after;
            double start = free_from[worker];
            for (std::size_t before = i < 3 ? i : i - 3; before < i; ++before) {
                if (random() % 2 == 0) {
                    after.push_back(before);
                    start = std::max(start, trace.tasks[before].end_s);
                }
            }
            const double duration = any(random);
            add_task(trace, random() % 3, worker, start, start + duration, after);
            free_from[worker] = start + duration;
            longest = std::max(longest, duration);
        }
        const TraceAnalysis analysis = starfmm::analyse(trace);
        CHECK(analysis.path.length_s <= analysis.makespan_s * (1 + 1e-12));
        CHECK(analysis.path.length_s >= longest * (1 - 1e-12));
        CHECK(analysis.area_bound_s <= analysis.makespan_s * (1 + 1e-12));
    }
}

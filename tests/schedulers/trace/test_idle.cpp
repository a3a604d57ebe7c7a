// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/trace/idle.hpp"
#include "tests/support/traces.hpp"

#include <doctest/doctest.h>

#include <random>

using doctest::Approx;
using starfmm::IdleCause;
using starfmm::Trace;
using starfmm::TraceAnalysis;
using starfmm::TraceTask;

TEST_CASE("idle: a task that others must end first makes its worker wait for them") {
    const TraceAnalysis analysis = starfmm::analyse(diamond_trace());
    CHECK(analysis.makespan_s == 5);
    CHECK(analysis.workers[0].busy_s == Approx(4));
    CHECK(analysis.workers[1].busy_s == Approx(4));
    CHECK(idle_of(analysis, 0, IdleCause::dependencies) == Approx(1));
    CHECK(idle_of(analysis, 1, IdleCause::tail) == Approx(1));
    CHECK(analysis.workers[0].total_idle() == Approx(1));
    CHECK(analysis.workers[1].total_idle() == Approx(1));
    REQUIRE(analysis.gaps.size() == 1);
    CHECK(analysis.gaps[0].task == 3);
    CHECK(analysis.gaps[0].first_s == 3);
}

TEST_CASE("idle: a gap is divided by what happened in it") {
    Trace trace = made_up_trace({"CPU 0", "CPU 1"}, {"a", "b"});
    add_task(trace, 0, 0, 0, 10);
    TraceTask& task = add_task(trace, 1, 1, 9, 10, {0});
    task.submit_s = 2;                                      // 2: nothing was submitted
    task.ready_s = 5;                                       // 3: it waits for others
    task.fetch_s = 6;                                       // 1: somebody has to take it
    task.fetched_s = 8;                                     // 2: for its data
    const TraceAnalysis analysis = starfmm::analyse(trace); // 1: until it is begun
    CHECK(idle_of(analysis, 1, IdleCause::submission) == Approx(2));
    CHECK(idle_of(analysis, 1, IdleCause::dependencies) == Approx(3));
    CHECK(idle_of(analysis, 1, IdleCause::scheduling) == Approx(2));
    CHECK(idle_of(analysis, 1, IdleCause::transfer) == Approx(2));
    CHECK(idle_of(analysis, 1, IdleCause::elsewhere) == 0);
    CHECK(idle_of(analysis, 1, IdleCause::tail) == 0);
    CHECK(analysis.workers[1].busy_s == Approx(1));
}

TEST_CASE("idle: who has nothing to do while others have too much is starved") {
    Trace trace = made_up_trace({"CPU 0", "CPU 1", "CUDA 0"}, {"a", "b"});
    add_task(trace, 0, 1, 0, 1);
    for (int i = 0; i < 4; ++i) {
        add_task(trace, 0, 0, 2.0 * i, 2.0 * i + 2).ready_s = 0;
    }
    add_task(trace, 1, 2, 0, 7.5);
    const TraceAnalysis analysis = starfmm::analyse(trace);
    CHECK(idle_of(analysis, 1, IdleCause::elsewhere) == Approx(5)); // until the last one begins
    CHECK(idle_of(analysis, 1, IdleCause::tail) == Approx(2));
    CHECK(idle_of(analysis, 2, IdleCause::elsewhere) == 0); // GPUs cannot run that operator
    CHECK(idle_of(analysis, 2, IdleCause::tail) == Approx(0.5));
}

TEST_CASE("idle: who gets nothing of a chain waits for it, not for the end") {
    Trace trace = made_up_trace({"CPU 0", "CPU 1"}, {"a"});
    add_task(trace, 0, 0, 0, 2);
    add_task(trace, 0, 0, 2, 5, {0}).submit_s = 1; // nothing was submitted before
    const TraceAnalysis analysis = starfmm::analyse(trace);
    CHECK(idle_of(analysis, 1, IdleCause::dependencies) == Approx(1));
    CHECK(idle_of(analysis, 1, IdleCause::submission) == Approx(1));
    CHECK(idle_of(analysis, 1, IdleCause::tail) == Approx(3));
}

TEST_CASE("idle: tasks that overlap on a GPU count one after the other") {
    Trace trace = made_up_trace({"CUDA 0"}, {"a"});
    add_task(trace, 0, 0, 0, 4);
    add_task(trace, 0, 0, 1, 6);
    add_task(trace, 0, 0, 2, 3); // ended before the one before it
    const TraceAnalysis analysis = starfmm::analyse(trace);
    CHECK(analysis.durations == std::vector<double>{4, 2, 0});
    CHECK(analysis.workers[0].busy_s == Approx(6));
    CHECK(analysis.workers[0].total_idle() == 0);
}

TEST_CASE("idle: a worker without tasks, and a trace without any") {
    Trace trace = made_up_trace({"CPU 0", "CPU 1"}, {"a"});
    CHECK(starfmm::analyse(trace).makespan_s == 0);
    CHECK(starfmm::analyse(trace).workers[1].busy_s == 0);
    add_task(trace, 0, 0, 0, 3);
    const TraceAnalysis analysis = starfmm::analyse(trace);
    CHECK(analysis.workers[1].tasks == 0);
    CHECK(idle_of(analysis, 1, IdleCause::tail) == Approx(3));
}

TEST_CASE("idle: busy and idle times add up to the makespan, whatever the tasks") {
    std::mt19937 random(5);
    std::uniform_real_distribution<double> any(0, 1);
    for (int round = 0; round < 50; ++round) {
        Trace trace = made_up_trace({"CPU 0", "CPU 1", "CUDA 0"}, {"a", "b", "c"});
        for (std::size_t i = 0; i < 60; ++i) {
            const double start = i == 0 ? 0 : 20 * any(random);
            TraceTask& task = add_task(trace, i % 3, random() % 3, start, start + any(random));
            task.fetched_s = start - any(random);
            task.fetch_s = task.fetched_s - any(random);
            task.ready_s = task.fetch_s - any(random);
            task.submit_s = task.ready_s - any(random);
        }
        const TraceAnalysis analysis = starfmm::analyse(trace);
        for (const starfmm::WorkerUse& use : analysis.workers) {
            CHECK(use.busy_s + use.total_idle() == Approx(analysis.makespan_s).epsilon(1e-12));
            for (const double idle : use.idle_s) {
                CHECK(idle >= -1e-12);
            }
        }
    }
}

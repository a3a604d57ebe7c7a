// SPDX-License-Identifier: BSD-3-Clause
#include "tests/support/traces.hpp"

#include <doctest/doctest.h>

using starfmm::Trace;
using starfmm::TraceTask;

namespace {

/// Returns the words of each finding, the largest first.
std::vector<std::string> words(const Trace& trace) {
    std::vector<std::string> all;
    for (const auto& advice : starfmm::advice_for(trace, starfmm::analyse(trace))) {
        CHECK(advice.share > 0);
        CHECK(advice.share <= 1);
        all.push_back(advice.text);
    }
    return all;
}

bool say(const std::vector<std::string>& words, const std::string& what) {
    return !words.empty() && words.front().find(what) != std::string::npos;
}

/// Makes a trace of four cores that are always busy with m2l.
Trace perfect_trace() {
    Trace trace = made_up_trace({"CPU 0", "CPU 1", "CPU 2", "CPU 3"}, {"m2l", "p2p"});
    for (std::size_t i = 0; i < 40; ++i) {
        const std::size_t round = i / 4;
        const auto start = static_cast<double>(round);
        add_task(trace, 0, i % 4, start, start + 1);
    }
    return trace;
}

} // namespace

TEST_CASE("advice: there is none for a run that cannot be better") {
    CHECK(words(perfect_trace()).empty());
    CHECK(words(Trace()).empty());
}

TEST_CASE("advice: an operator that is three times slower on one worker is named") {
    Trace trace = perfect_trace();
    for (TraceTask& task : trace.tasks) {
        task.work = task.worker == 2 ? 1 : 3;
    }
    CHECK(say(words(trace), "m2l on CPU 2 takes 3.0 x as long as on other workers of its kind"));
}

TEST_CASE("advice: a worker that waits for transfers is named, and what waits") {
    Trace trace = made_up_trace({"CUDA 0"}, {"p2p", "m2l"});
    for (std::size_t i = 0; i < 10; ++i) {
        const auto end = static_cast<double>(i + 1);
        TraceTask& task = add_task(trace, i % 2, 0, end - (i % 2 == 1 ? 0.4 : 0.8), end);
        task.fetch_s = task.ready_s = end - 1;
    }
    trace.tasks[0].start_s = trace.tasks[0].fetched_s = 0;
    const auto all = words(trace);
    CHECK(say(all, "CUDA 0 waits 38 % of the run for transfers, longest before m2l"));
    CHECK(say(all, "Resident"));
}

TEST_CASE("advice: a starved worker is named") {
    Trace trace = made_up_trace({"CPU 0", "CPU 1"}, {"p2p"});
    for (int i = 0; i < 10; ++i) {
        add_task(trace, 0, 0, i, i + 1).ready_s = 0;
    }
    CHECK(say(words(trace), "CPU 1 waits 90 % of the run while tasks that it could run are ready"));
    CHECK(say(words(trace), "starved"));
}

TEST_CASE("advice: workers of a kind that wait alike share a sentence") {
    Trace trace = made_up_trace({"CUDA 0.0", "CUDA 0.1"}, {"p2p"});
    for (std::size_t worker = 0; worker < 2; ++worker) {
        for (int i = 1; i < 10; ++i) {
            TraceTask& task = add_task(trace, 0, worker, i, i + (worker == 0 ? 0.75 : 0.5));
            task.fetch_s = task.ready_s = i - 0.25;
        }
    }
    const auto all = words(trace);
    CHECK(say(all, "CUDA 0.0 and 1 of its kind wait 23 % of the run (mean) for transfers"));
}

TEST_CASE("advice: a kind of workers that was given nothing is no loss, and is told") {
    Trace trace = made_up_trace({"CUDA 0", "CPU 0", "CPU 1"}, {"p2p"});
    for (int i = 0; i < 5; ++i) {
        add_task(trace, 0, 0, i, i + 1);
    }
    const auto all = words(trace);
    CHECK(all.size() == 1);
    CHECK(say(all, "2 CPU workers were given no task"));
    CHECK(say(all, "--team all"));
}

TEST_CASE("advice: what all wait for is named") {
    Trace trace = made_up_trace({"CPU 0", "CPU 1"}, {"sort", "p2p"});
    add_task(trace, 0, 0, 0, 6);
    add_task(trace, 1, 0, 6, 8, {0});
    add_task(trace, 1, 1, 6, 8, {0});
    const auto all = words(trace);
    CHECK(say(all, "idle 38 % of the time because tasks wait for others"));
    CHECK(say(all, "100 % of that for sort, and the critical path takes 100 % of the run"));
}

TEST_CASE("advice: a caller that is late, slow scheduling and an uneven end have words, too") {
    Trace late = made_up_trace({"CPU 0"}, {"p2p"});
    add_task(late, 0, 0, 0, 1);
    TraceTask& task = add_task(late, 0, 0, 2, 3);
    task.submit_s = 2;
    CHECK(say(words(late), "idle 33 % of the time because nothing was submitted"));

    Trace slow = made_up_trace({"CPU 0"}, {"p2p"});
    add_task(slow, 0, 0, 0, 1);
    add_task(slow, 0, 0, 2, 3).ready_s = 1;
    CHECK(say(words(slow), "idle 33 % of the time with a task that is ready and not begun"));
    CHECK(say(words(slow), "tasks take 1.00 s on average"));

    Trace uneven = made_up_trace({"CPU 0", "CPU 1"}, {"m2l", "p2p"});
    add_task(uneven, 0, 0, 0, 1);
    add_task(uneven, 1, 1, 0, 4);
    CHECK(say(words(uneven), "idle 38 % of the time at its end, while others finish (p2p on CPU 1")
    );
}

TEST_CASE("advice: predictions that do not come true are told") {
    Trace trace = perfect_trace();
    for (TraceTask& task : trace.tasks) {
        task.predicted_s = 0.25;
    }
    CHECK(say(words(trace), "off by 75 % (median): tasks take 4.00 x what the scheduler expects"));
    const starfmm::TraceAnalysis analysis = starfmm::analyse(trace);
    CHECK(analysis.predictions.tasks == trace.tasks.size());
}

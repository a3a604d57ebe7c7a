// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/trace/text_report.hpp"
#include "tests/support/traces.hpp"

#include <doctest/doctest.h>

using starfmm::Trace;

namespace {

std::string report(const Trace& trace) {
    return starfmm::text_report(trace, starfmm::analyse(trace));
}

bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

} // namespace

TEST_CASE("text_report: says what is known of transfers, and what is not") {
    Trace trace = diamond_trace();
    CHECK(has(report(trace), "transfers between memories: this trace does not tell them\n"));
    trace.transferred_bytes = 5000;
    CHECK(
        has(report(trace),
            "5.00 kB moved between memories; this trace does not tell when, and on which link\n")
    );
    trace.has_transfers = true;
    CHECK(has(report(trace), "transfers between memories: none\n"));
}

TEST_CASE("text_report: each link has its bytes, its times and its rate") {
    Trace trace = diamond_trace();
    trace.has_transfers = true;
    trace.links = {"NUMA 0 -> CUDA 0"};
    trace.transfers = {{0, 1000, 1, 1.5}, {0, 2000, 2, 3}};
    trace.memories = {"CUDA 0"};
    trace.memory_uses = {{0, 0, 500}, {0, 1, 7000}, {0, 2, 600}};
    const std::string text = report(trace);
    CAPTURE(text);
    CHECK(has(text, "memory link       transfers    bytes    time  bytes/s  share of the run\n"));
    CHECK(has(text, "NUMA 0 -> CUDA 0          2  3.00 kB  1.50 s   2.00 k              30 %\n"));
    CHECK(has(text, "memory of CUDA 0 held by StarPU: at most 7.00 kB\n"));
}

TEST_CASE("text_report: parts of fused tasks add up by name, with times where they are known") {
    Trace trace = made_up_trace({"CUDA 0"}, {"upward"});
    add_task(trace, 0, 0, 0, 4).parts = {{"p2m", 10, 0, 0, 1}, {"m2m", 6, 0, 1, 4}};
    add_task(trace, 0, 0, 4, 6).parts = {{"p2m", 10, 0, 4, 5}, {"m2m", 6, 0, 5, 6}};
    std::string text = report(trace);
    CAPTURE(text);
    CHECK(has(text, "upward   p2m       CUDA 0      2  2.00 s  20.0    10.0\n"));
    CHECK(has(text, "upward   m2m       CUDA 0      2  4.00 s  12.0    3.00\n"));
    CHECK_FALSE(has(text, "does not tell times of parts"));
    for (starfmm::TraceTaskPart& part : trace.tasks[0].parts) {
        part.start_s = part.end_s = 0;
    }
    trace.tasks[1].parts = trace.tasks[0].parts;
    text = report(trace);
    CHECK(has(text, "upward   p2m       CUDA 0      2     -  20.0       -\n"));
    CHECK(has(text, "-: this trace does not tell times of parts\n"));
}

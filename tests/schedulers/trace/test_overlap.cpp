// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/trace/overlap.hpp"
#include "schedulers/trace/text_report.hpp"
#include "tests/support/traces.hpp"

#include <doctest/doctest.h>

using doctest::Approx;
using starfmm::Overlap;
using starfmm::Trace;

namespace {

/// Makes a trace with lists on two cores from 1 to 5, and sums on a GPU from 0 to 1 and from 3 to
/// 8.
Trace traversal() {
    Trace trace = made_up_trace({"CPU 0", "CPU 1", "CUDA 0"}, {"connect", "p2p", "rank"});
    add_task(trace, 2, 2, 0, 1);
    add_task(trace, 0, 0, 1, 4);
    add_task(trace, 0, 1, 2, 5);
    add_task(trace, 1, 2, 3, 6);
    add_task(trace, 1, 2, 5, 8); // begun before the one before it ends
    return trace;
}

} // namespace

TEST_CASE("overlap: what GPUs do not hide of lists on cores") {
    const Overlap overlap = starfmm::overlap_of(traversal());
    CHECK(overlap.lists_s == Approx(4));
    CHECK(overlap.gpus_s == Approx(5)); // before the first list the GPU makes the tree
    CHECK(overlap.both_s == Approx(2));
    CHECK(overlap.unhidden() == Approx(0.5)); // 1 to 3 of 1 to 5
    const std::string text = starfmm::text_report(traversal(), starfmm::analyse(traversal()));
    CHECK(text.find("50 % of the shorter is not hidden") != std::string::npos);
}

TEST_CASE("overlap: there is none without both, and other tasks of cores do not count") {
    Trace on_cores = made_up_trace({"CPU 0", "CUDA 0"}, {"connect", "p2p"});
    add_task(on_cores, 0, 0, 0, 2);
    CHECK(starfmm::overlap_of(on_cores).lists_s == 0);
    Trace on_gpus = made_up_trace({"CPU 0", "CUDA 0"}, {"connect", "p2p"});
    add_task(on_gpus, 0, 1, 0, 2);
    add_task(on_gpus, 1, 0, 0, 2);
    const Overlap overlap = starfmm::overlap_of(on_gpus);
    CHECK(overlap.gpus_s == 0);
    CHECK(overlap.unhidden() == 0);
    CHECK(
        starfmm::text_report(on_gpus, starfmm::analyse(on_gpus)).find("hidden") == std::string::npos
    );
}

// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/runtime/machine.hpp"
#include "schedulers/trace/floors/operator_floors.hpp"
#include "schedulers/trace/text_report.hpp"
#include "tests/support/traces.hpp"

#include <doctest/doctest.h>

using doctest::Approx;
using starfmm::floor_rate;
using starfmm::Trace;
using starfmm::TraceWorker;

namespace {

const TraceWorker h200{"CUDA 0.0 (NVIDIA H200 125.8 GiB)", true, "NVIDIA H200 125.8 GiB"};
const TraceWorker zen5{"CPU 0", false, "AuthenticAMD family 26, AMD EPYC"};
const TraceWorker other{"CPU 0", false, "GenuineIntel family 6, Xeon"};

} // namespace

TEST_CASE("operator_floors: of the units that were measured, and of their kernels") {
    // 1.64e8 pairs of docs/performance.md take a Zen 5 core at least 0.021 s
    CHECK(1.64e8 / *floor_rate({"p2p", 0, "harmonic_double"}, zen5) == Approx(0.0205));
    // 1.47e9 pairs take an H200 at least 1.081 ms
    CHECK(
        1.47e9 / *floor_rate({"p2p", 0, "harmonic_double"}, h200) == Approx(1.081e-3).epsilon(1e-3)
    );
    CHECK_FALSE(floor_rate({"p2p", 0, "harmonic_double"}, other).has_value());
    CHECK_FALSE(floor_rate({"p2p", 0, "log_double"}, h200).has_value());
    CHECK_FALSE(floor_rate({"p2p", 0, ""}, h200).has_value());
    CHECK(has_floors(h200));
    CHECK_FALSE(has_floors(other));
}

TEST_CASE("operator_floors: a GPU is what StarPU calls it, a core what the system does") {
    CHECK(
        starfmm::unit_of("CUDA 0.1 (NVIDIA H200 125.8 GiB 00:06.0)", "x") ==
        "NVIDIA H200 125.8 GiB 00:06.0"
    );
    CHECK(starfmm::unit_of("CPU 3", "x") == "x");
    CHECK(starfmm::unit_of("CUDA 0", "x").empty());
    CHECK(starfmm::core_name().find("family") != std::string::npos);
}

TEST_CASE("operator_floors: the report has them where they are known, and says where they are not"
) {
    Trace trace = made_up_trace({}, {"p2p"});
    trace.workers = {h200, other};
    trace.operators[0].variant = "harmonic_double";
    add_task(trace, 0, 0, 0, 1).work = 0.68e12;
    add_task(trace, 0, 1, 0, 1).work = 1e9;
    const std::string text = text_report(trace, starfmm::analyse(trace));
    CAPTURE(text);
    CHECK(text.find("680 G   680 G   1.36 T     50 %") != std::string::npos);
    CHECK(text.find("  not known for GenuineIntel family 6, Xeon\n") != std::string::npos);
    CHECK(text.find("not known for NVIDIA") == std::string::npos);
}

// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/trace/analysis.hpp"
#include "schedulers/trace/perfetto.hpp"
#include "schedulers/trace/text_report.hpp"
#include "tests/fuzz/check.hpp"

/// What is read is analysed as starfmm-trace does.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t n) {
    return check_reader(bytes, n, [](const std::string& path) {
        const starfmm::Trace trace = starfmm::read_trace(path);
        const starfmm::TraceAnalysis analysis = starfmm::analyse(trace);
        require(analysis.durations.size() == trace.tasks.size());
        require(!starfmm::text_report(trace, analysis).empty());
    });
}

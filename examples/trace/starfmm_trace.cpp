// SPDX-License-Identifier: BSD-3-Clause
// This driver explains what the runtime did, from the trace of another driver.
#include "examples/cli/cli.hpp"
#include "examples/trace/trace_tool.hpp"

namespace {

int run(int argc, char** argv) {
    if (const auto options = starfmm::parse_trace_options(argc, argv)) {
        starfmm::run_trace_tool(*options);
    }
    return 0;
}

} // namespace

int main(int argc, char** argv) {
    return starfmm::run_driver(argc, argv, run);
}

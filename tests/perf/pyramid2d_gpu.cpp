// SPDX-License-Identifier: BSD-3-Clause
// This benchmark times the harmonic sum on GPUs: each phase against its floor, and whole runs
// (gpu_bench.hpp).
#include "examples/cli/cli.hpp"
#include "examples/cli/report.hpp"
#include "tests/perf/gpu/gpu_bench.hpp"

#include <cstdio>

namespace {

int run(int argc, char** argv) {
    const auto options = starfmm::parse_gpu_bench(argc, argv);
    if (!options) {
        return 0;
    }
    nlohmann::json records = nlohmann::json::array();
    for (const starfmm::GpuCase& c : starfmm::cases_of(*options)) {
        records.push_back(starfmm::measure_on_gpu(*options, c));
        static_cast<void>(std::fflush(stdout));
    }
    if (!options->json.empty()) {
        starfmm::write_record(options->json, records);
    }
    return 0;
}

} // namespace

int main(int argc, char** argv) {
    return starfmm::run_driver(argc, argv, run);
}

// SPDX-License-Identifier: BSD-3-Clause
// This benchmark measures StarPU's cost under pyramid2d's sums.
#include "examples/cli/cli.hpp"
#include "tests/perf/overhead.hpp"

int main(int argc, char** argv) {
    return starfmm::run_driver(argc, argv, [](int count, char** words) {
        return starfmm::run_overhead(count, words, {"pyramid2d_overhead", 2, 1.05});
    });
}

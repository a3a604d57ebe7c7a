// SPDX-License-Identifier: BSD-3-Clause
// This benchmark measures what StarPU costs, and what a second worker gains: the same plan and
// evaluation with one StarPU worker, without StarPU, and with two workers.
#pragma once

#include <string>

namespace starfmm {

/// A benchmark of a driver's sums.
struct OverheadBench {
    std::string name;
    int dimension;
    double bar; ///< largest time with StarPU over that without
};

/// Runs the benchmark for the arguments of a program.
/// \returns the program's exit code
int run_overhead(int argc, char** argv, const OverheadBench& bench);

} // namespace starfmm

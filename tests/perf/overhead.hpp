// SPDX-License-Identifier: BSD-3-Clause
// What StarPU costs, and what a second worker gains: the same plan and evaluation with one StarPU
// worker, without StarPU, and with two workers.
#pragma once

#include <string>

namespace starfmm {

/// A benchmark of a driver's sums.
struct OverheadBench {
    std::string name;
    int dimension;
    double bar; ///< StarPU over none, at most
};

/// \returns the exit code of the program whose arguments these are
int run_overhead(int argc, char** argv, const OverheadBench& bench);

} // namespace starfmm

// SPDX-License-Identifier: BSD-3-Clause
// 2D sums of the harmonic and logarithmic kernels by the adaptive pyramid FMM.
#include "examples/driver.hpp"

namespace {

int run(int argc, char** argv) {
    const auto options = starfmm::parse_command_line(argc, argv, "pyramid2d");
    if (!options) {
        return 0;
    }
    const starfmm::Problem problem = starfmm::make_problem(*options);
    starfmm::KernelSet& kernel = starfmm::choose_kernel(*options, problem.strengths);
    starfmm::Potentials potentials;
    const auto report = starfmm::run_problem("pyramid2d", *options, kernel, problem, potentials);
    return starfmm::finish(report, potentials);
}

} // namespace

int main(int argc, char** argv) {
    return starfmm::run_driver(argc, argv, run);
}

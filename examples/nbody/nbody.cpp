// SPDX-License-Identifier: BSD-3-Clause
// Bodies that move under their own gravity: leapfrog steps of softened direct sums.
#include "examples/cli/cli.hpp"
#include "examples/nbody/nbody_run.hpp"

namespace {

int run(int argc, char** argv) {
    const auto options = starfmm::parse_nbody_options(argc, argv);
    if (!options) {
        return 0;
    }
    return starfmm::finish(starfmm::run_nbody(*options, starfmm::make_start(*options)));
}

} // namespace

int main(int argc, char** argv) {
    return starfmm::run_driver(argc, argv, run);
}

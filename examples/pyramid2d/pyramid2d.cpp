// SPDX-License-Identifier: BSD-3-Clause
// 2D sums of the harmonic and logarithmic kernels by the adaptive pyramid FMM.
#include "examples/cli/driver.hpp"

namespace {

const starfmm::DriverText text{
    "pyramid2d",
    "Sums over pairs of points by the adaptive fast multipole method.",
    {"--n 1e6 --tol 1e-6 --check 1000",
     "--n 2e4 --distribution normal --sigma 0.1 --mesh mesh.svg",
     "--input points.csv --kernel log2d --output potentials.csv",
     "--n 1e6 --kernel log2d --gradient --output potentials.npy",
     "--n 1e5 --rhs 4 --output potentials.npy",
     "--cpus 2 --gpus 1 --warmup 1 --repeat 5 --json run.json --trace trace.json"}};

int run(int argc, char** argv) {
    const auto defaults = starfmm::default_options(starfmm::drivers::plane);
    return starfmm::run_sums(argc, argv, text, defaults, starfmm::plane_kernels());
}

} // namespace

int main(int argc, char** argv) {
    return starfmm::run_driver(argc, argv, run);
}

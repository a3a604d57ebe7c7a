// SPDX-License-Identifier: BSD-3-Clause
// Potentials of Laplace's kernel in space, and their gradients, by the fast multipole method.
#include "examples/cli/driver.hpp"

namespace {

const starfmm::DriverText text{
    "laplace3d",
    "Sums of q_j / |x_i - x_j| over pairs of points in space by the fast multipole method.",
    {"--n 1e6 --tol 1e-6 --check 1000",
     "--n 1e6 --gradient --output potentials.npy",
     "--n 2e4 --distribution sphere --mesh mesh.svg",
     "--input charges.csv --target-input where.csv --output potentials.csv",
     "--n 1e5 --distribution plummer --gradient --check 1000",
     "--n 1e5 --rhs 4 --precision single --tol 1e-4 --output potentials.npy",
     "--cpus 2 --gpus 1 --warmup 1 --repeat 5 --json run.json --trace trace.json"}};

int run(int argc, char** argv) {
    const auto defaults = starfmm::default_options(starfmm::drivers::space);
    return starfmm::run_sums(argc, argv, text, defaults, starfmm::named_kernels());
}

} // namespace

int main(int argc, char** argv) {
    return starfmm::run_driver(argc, argv, run);
}

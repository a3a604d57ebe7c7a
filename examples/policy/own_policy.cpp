// SPDX-License-Identifier: BSD-3-Clause
// A sum under a scheduling policy that the library does not ship, heaviest_first.hpp, checked at
// --check targets; any other policy by --scheduler.
#include "examples/cli/driver.hpp"
#include "examples/policy/heaviest_first.hpp"

namespace {

const starfmm::DriverText text{
    "own_policy",
    "Sums of q_j / (z_j - z_i) under a scheduling policy that this program brings: the heaviest "
    "task first.",
    {"--n 1e6 --check 1000", "--n 1e5 --groups 64 --check 100", "--n 1e5 --scheduler starfmm"}};

int run(int argc, char** argv) {
    starfmm::register_policy<examples::HeaviestFirst>();
    auto defaults = starfmm::default_options(starfmm::drivers::plane);
    defaults.runtime.scheduler = examples::HeaviestFirst::name;
    return starfmm::run_sums(argc, argv, text, defaults, starfmm::plane_kernels());
}

} // namespace

int main(int argc, char** argv) {
    return starfmm::run_driver(argc, argv, run);
}

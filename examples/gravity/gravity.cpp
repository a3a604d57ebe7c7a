// SPDX-License-Identifier: BSD-3-Clause
// This driver sums softened gravity, directly or by a tree. Under mpirun it sums over ranks.
#include "examples/gravity/gravity_driver.hpp"
#include "schedulers/runtime/starpu_environment.hpp"

#include <algorithm>

namespace {

const starfmm::DriverText text{
    "gravity",
    "Gravity of every body on every other, or on targets, by direct summation or by an octree. "
    "Under mpirun bodies are shared among its ranks, for direct sums.",
    {"--n 1e5 --precision single --check 100",
     "--n 1e6 --precision single --gpus 4 --warmup 1 --repeat 5 --json run.json",
     "--input bodies.csv --epsilon 0 --potential yes --output results.npy",
     "--input bodies.csv --target-input where.csv --output results.npy",
     "--method tree --n 1e6 --tol 1e-3 --check 1000 --trace run.html",
     "--method tree --n 1e5 --precision double --order 6 --theta 0.633 --leaf-size 100",
     "--method automatic --input bodies.csv --epsilon 0.01 --tol99 1e-2 --output results.npy"}};

/// Number of ranks of this program, by the environment that Open MPI, MPICH, MVAPICH or Slurm gives
/// them; 1 without a launcher.
int launched_ranks() {
    using starfmm::number_in_environment;
    int ranks = 1;
    for (const char* const variable : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MV2_COMM_WORLD_SIZE"}) {
        ranks = std::max(ranks, number_in_environment(variable));
    }
    // srun tells the size of every step, also of those without MPI
    const bool has_rank = number_in_environment("PMIX_RANK") >= 0;
    return has_rank ? std::max(ranks, number_in_environment("SLURM_STEP_NUM_TASKS")) : ranks;
}

int run(int argc, char** argv) {
    if (const int n_ranks = launched_ranks(); n_ranks > 1) {
        return starfmm::run_over_ranks(n_ranks, argc, argv, text);
    }
    auto options = starfmm::parse_gravity_options(argc, argv, text);
    if (!options) {
        return 0;
    }
    const starfmm::Problem problem = starfmm::make_problem(*options);
    starfmm::take_lengths(problem, *options);
    std::vector<starfmm::Potentials> results;
    const auto report = starfmm::run_gravity(*options, problem, results);
    return starfmm::finish(report, problem, results);
}

} // namespace

int main(int argc, char** argv) {
    return starfmm::run_driver(argc, argv, run);
}

// SPDX-License-Identifier: BSD-3-Clause
#include "examples/gravity/gravity_ranks.hpp"
#include "schedulers/runtime/starpu_environment.hpp"

#include <algorithm>

namespace starfmm {

int launched_ranks() {
    int ranks = 1;
    for (const char* const variable : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MV2_COMM_WORLD_SIZE"}) {
        ranks = std::max(ranks, number_in_environment(variable));
    }
    // srun tells the size of every step, also of those without MPI
    const bool has_rank = number_in_environment("PMIX_RANK") >= 0;
    return has_rank ? std::max(ranks, number_in_environment("SLURM_STEP_NUM_TASKS")) : ranks;
}

} // namespace starfmm

// SPDX-License-Identifier: BSD-3-Clause
// Gravity over the ranks of a program that mpirun or another launcher has started.
#pragma once

#include "examples/cli/cli_parse.hpp"

namespace starfmm {

/// Number of ranks of this program, by the environment that Open MPI, MPICH, MVAPICH or Slurm gives
/// them; 1 without a launcher.
[[nodiscard]] int launched_ranks();

/// Sums over all ranks, of which rank 0 checks and reports.
/// \returns the exit code; that of bad input on all ranks if one of them has any
/// \throws InputError if the program was built without MPI
int run_over_ranks(int argc, char** argv, const DriverText& text);

} // namespace starfmm

// SPDX-License-Identifier: BSD-3-Clause
// The driver of direct gravity takes these steps.
#pragma once

#include "core/reference/gravity_reference.hpp"
#include "examples/gravity/gravity_options.hpp"
#include "schedulers/trace/trace.hpp"

#include <optional>
#include <string>
#include <vector>

namespace starfmm {

/// What a run tells its user.
struct GravityReport {
    std::string driver;
    GravityDriverOptions options;
    std::size_t n = 0;
    GravityBlocks blocks{};
    std::vector<double> total; ///< seconds of each repeat, from host memory to host memory
    std::vector<Phase> phases; ///< operators of the last repeat
    std::size_t tasks = 0;     ///< number of tasks of the last repeat
    Team team = Team::automatic;
    TeamTimes team_s; ///< predicted seconds of each team
    int n_cpu = 0;
    int n_cuda = 0;
    int n_ranks = 1;
    std::string scheduler;
    std::optional<GravityErrors> error;

    [[nodiscard]] double pairs() const { return static_cast<double>(n) * static_cast<double>(n); }
};

/// Evaluates `warmup + repeat` times, and leaves the last result in `out`.
[[nodiscard]] GravityReport
run_gravity(const GravityDriverOptions& options, const Bodies& bodies, Accelerations& out);

/// Returns the error at options.check random bodies, or nothing if that is 0.
[[nodiscard]] std::optional<GravityErrors> check_gravity(
    const GravityDriverOptions& options, const Bodies& bodies, const Accelerations& results
);

/// Writes the files that the options ask for, and prints the report.
/// \returns 1 if the check failed, else 0
int finish(const GravityReport& report, const Accelerations& results);

/// Prints a table of measured times for N from 1024 up to options.model by factors of 4, on 1, 2, 4
/// ... GPUs or all CPU workers. Beside them are the times that [MTM13 sec. 6] predicts from the
/// first and the last on one GPU.
void print_model(const GravityDriverOptions& options);

} // namespace starfmm

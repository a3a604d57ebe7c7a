// SPDX-License-Identifier: BSD-3-Clause
// The drivers of gravity take these steps.
#pragma once

#include "core/reference/gravity_reference.hpp"
#include "examples/cli/report.hpp"
#include "examples/gravity/gravity_options.hpp"
#include "schedulers/graphs/direct_graph.hpp"

#include <optional>
#include <string>
#include <vector>

namespace starfmm {

/// What a run tells its user.
struct GravityReport : RunWorkers {
    std::string driver = "gravity";
    GravityDriverOptions options; ///< with the method that was chosen, if it was automatic
    std::size_t n = 0;            ///< number of bodies
    std::size_t n_places = 0;     ///< number of bodies, or of targets
    std::string why_direct;       ///< why not by a tree, if that was a choice; else empty
    std::vector<double> total;    ///< seconds of each repeat, from host memory to host memory
    std::vector<Phase> phases;    ///< operators of the last repeat
    DirectBlocks blocks{};        ///< of direct sums, as the next two
    Team team = Team::automatic;
    TeamTimes team_s;     ///< predicted seconds of each team
    PlanInfo plan;        ///< of a tree, as the next one
    double own_error = 0; ///< GravityTree::own_error()
    int n_ranks = 1;
    std::optional<GravityErrors> error;

    [[nodiscard]] double pairs() const {
        return static_cast<double>(n) * static_cast<double>(n_places);
    }

    [[nodiscard]] bool has_tree() const { return options.method == GravityMethod::tree; }
};

/// Evaluates `warmup + repeat` times, and leaves the last result in `out`.
[[nodiscard]] GravityReport
run_gravity(const GravityDriverOptions& options, const GravityProblem& problem, Accelerations& out);

/// Returns the error at options.check random bodies or targets, or nothing if that is 0.
[[nodiscard]] std::optional<GravityErrors> check_gravity(
    const GravityDriverOptions& options, const GravityProblem& problem, const Accelerations& results
);

/// Writes the files that the options ask for, and prints the report.
/// \returns 1 if the check failed, else 0
int finish(const GravityReport& report, const Accelerations& results);

/// Prints a table of measured times for N from 1024 up to options.model by factors of 4, on 1, 2, 4
/// ... GPUs or all CPU workers. Beside them are the times that [MTM13 sec. 6] predicts from the
/// first and the last on one GPU.
void print_model(const GravityDriverOptions& options);

} // namespace starfmm

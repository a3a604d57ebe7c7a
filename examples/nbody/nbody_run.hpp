// SPDX-License-Identifier: BSD-3-Clause
// The steps of the N-body driver, and what is told of them.
#pragma once

#include "core/io/snapshot.hpp"
#include "core/reference/gravity_reference.hpp"
#include "examples/cli/report.hpp"
#include "examples/nbody/nbody_options.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace starfmm {

/// Seconds that a run took.
struct NbodyTimes {
    double total = 0; ///< first evaluation to the end of the last step, outputs included
    double steps = 0; ///< the steps alone
    double outputs = 0;
};

struct NbodyReport : RunWorkers {
    NbodyOptions options;
    RunParameters run; ///< its method is decided
    Method method_asked = Method::direct;
    PlanInfo decided; ///< between which predicted times, if it was left open
    std::size_t n = 0;
    std::uint64_t first_step = 0;
    std::uint64_t last_step = 0; ///< before the run's end if it was stopped
    int stopped_by = 0;          ///< number of the signal; 0: none
    double time = 0;             ///< time of the model, at the end
    Conserved start;
    Conserved end;
    Drift drift;     ///< drift at the end
    Drift max_drift; ///< the largest of all logged steps
    NbodyTimes times;
    std::optional<GravityErrors> error;
};

/// What the run starts from: generated, or read from a file.
/// \throws InputError for unreadable files and bad values
[[nodiscard]] Snapshot make_start(const NbodyOptions& options);

/// All steps, with their snapshots, pictures and log. The first SIGINT, SIGTERM or SIGHUP ends it
/// after the step at hand, with a snapshot if there are any.
[[nodiscard]] NbodyReport run_nbody(const NbodyOptions& options, Snapshot start);

/// Writes the record, prints the report.
/// \returns 128 + S if signal S stopped the run, 1 if a check failed, else 0
int finish(const NbodyReport& report);

} // namespace starfmm

// SPDX-License-Identifier: BSD-3-Clause
// The steps of the N-body driver, and what is told of them.
#pragma once

#include "core/io/snapshot.hpp"
#include "examples/cli/report.hpp"
#include "examples/nbody/nbody_options.hpp"

#include <cstdint>
#include <string>

namespace starfmm {

/// Seconds that a run took.
struct NbodyTimes {
    double total = 0; ///< first evaluation to the end of the last step, outputs included
    double steps = 0; ///< the steps alone
    double outputs = 0;
};

/// Its plan is that of the last step.
struct NbodyReport : RunReport {
    NbodyOptions asked;
    RunParameters run; ///< its method is decided
    std::uint64_t first_step = 0;
    std::uint64_t last_step = 0; ///< before the run's end if it was stopped
    int stopped_by = 0;          ///< number of the signal; 0: none
    double time = 0;             ///< time of the model, at the end
    Conserved start;
    Conserved end;
    Drift drift;     ///< drift at the end
    Drift max_drift; ///< the largest of all logged steps
    NbodyTimes seconds;
};

/// A CSV file that can be read while the run goes on. Numbers have 17 significant digits.
class NbodyLog {
public:
    /// Does nothing for an empty `path`. Of a file that is there, lines before step `first` are
    /// kept: a run that goes on makes the log that it would have made in one go.
    /// \throws InputError if a file to go on with is no such log; OutputError, WriteError
    NbodyLog(std::string path, std::uint64_t first);
    NbodyLog(const NbodyLog&) = delete;
    NbodyLog& operator=(const NbodyLog&) = delete;
    ~NbodyLog();

    /// \throws WriteError
    void write(std::uint64_t step, double time, const Conserved& now, const Drift& drift);

private:
    [[nodiscard]] std::string kept_lines(std::uint64_t first) const;

    std::string path_;
    int descriptor_ = -1;
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

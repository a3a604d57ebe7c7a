// SPDX-License-Identifier: BSD-3-Clause
// Energies and drifts of an N-body run, a line a step, as they come.
#pragma once

#include "core/particles/particles.hpp"

#include <cstdint>
#include <string>

namespace starfmm {

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

} // namespace starfmm

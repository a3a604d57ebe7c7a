// SPDX-License-Identifier: BSD-3-Clause
// Energies and drifts of an N-body run, a line a step, as they come.
#include "core/error.hpp"
#include "core/io/atomic_file.hpp"
#include "core/io/input_file.hpp"
#include "examples/nbody/nbody_run.hpp"
#include "schedulers/trace/numbers.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <fstream>
#include <system_error>
#include <utility>

namespace starfmm {

namespace {

const std::string header =
    "step,time,kinetic,potential,energy_drift,momentum_drift,angular_momentum_drift";

} // namespace

NbodyLog::NbodyLog(std::string path, std::uint64_t first) : path_(std::move(path)) {
    if (path_.empty()) {
        return;
    }
    const std::string kept = kept_lines(first);
    AtomicFile file(path_);
    file.write(header + "\n" + kept);
    file.commit();
    descriptor_ = ::open(path_.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
    if (descriptor_ < 0) {
        throw_write_error(path_, "open", errno);
    }
}

NbodyLog::~NbodyLog() {
    if (descriptor_ >= 0) {
        ::close(descriptor_);
    }
}

std::string NbodyLog::kept_lines(std::uint64_t first) const {
    std::string line;
    std::string kept;
    if (first == 0 || !is_regular_file(path_)) { // a pipe has no older lines
        return kept;
    }
    std::ifstream file = open_input(path_);
    if (!std::getline(file, line)) {
        return kept;
    }
    if (line != header) {
        throw InputError(path_ + ": is not a log of nbody: '" + header + "' expected");
    }
    while (std::getline(file, line) && !file.eof()) { // a line without end was cut short
        std::uint64_t step = 0;
        const auto [rest, error] = std::from_chars(line.data(), line.data() + line.size(), step);
        if (error != std::errc() || *rest != ',') {
            throw InputError(path_ + ": is not a log of nbody: line '" + line + "'");
        }
        if (step < first) {
            kept += line + "\n";
        }
    }
    return kept;
}

void NbodyLog::write(std::uint64_t step, double time, const Conserved& now, const Drift& drift) {
    if (descriptor_ < 0) {
        return;
    }
    std::string text = std::to_string(step);
    for (const double value :
         {time, now.kinetic, now.potential, drift.energy, drift.momentum, drift.angular}) {
        text += print_number(",%.17g", value);
    }
    text += '\n';
    if (const int error = write_all(descriptor_, text); error != 0) {
        throw_write_error(path_, "write", error);
    }
}

} // namespace starfmm

// SPDX-License-Identifier: BSD-3-Clause
// Ctrl-C ends a sum.
#pragma once

#include "core/error.hpp"

#include <nanobind/nanobind.h>

#include <csignal>

namespace starfmm::python {

/// While it lives in the main thread, SIGINT ends the sum that runs, and then does what it did. In
/// other threads, and where SIGINT is ignored, it does nothing.
class InterruptOnSignal {
public:
    InterruptOnSignal();
    ~InterruptOnSignal();
    InterruptOnSignal(const InterruptOnSignal&) = delete;
    InterruptOnSignal& operator=(const InterruptOnSignal&) = delete;

private:
    bool is_installed_ = false;
};

/// Ends the sums of all threads, for good: the process ends.
void end_sums() noexcept;

/// Whether it does.
[[nodiscard]] bool is_at_end() noexcept;

/// Calls `work` without the lock of Python's interpreter. After a signal Python's handler says how
/// it goes on: by what it raises, or, if it raises nothing, from the beginning.
template <class Work>
void interruptible(const Work& work) {
    for (;;) {
        try {
            const nanobind::gil_scoped_release others_run;
            const InterruptOnSignal interrupt;
            return work();
        } catch (const Interrupted&) {
            if (PyErr_CheckSignals() != 0) {
                throw nanobind::python_error();
            }
            if (is_at_end()) {
                throw;
            }
        }
    }
}

} // namespace starfmm::python

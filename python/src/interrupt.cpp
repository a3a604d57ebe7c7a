// SPDX-License-Identifier: BSD-3-Clause
#include "interrupt.hpp"

#include "starfmm/context.hpp"

#include <sys/types.h>
#include <unistd.h>

#include <atomic>

namespace starfmm::python {

namespace {

struct sigaction earlier {}; // of the one InterruptOnSignal that the main thread has

std::atomic<bool> at_end{false};

void on_signal(int signal, siginfo_t* info, void* where) {
    Context::interrupt();
    if ((earlier.sa_flags & SA_SIGINFO) != 0) {
        earlier.sa_sigaction(signal, info, where);
    } else {
        earlier.sa_handler(signal);
    }
}

} // namespace

InterruptOnSignal::InterruptOnSignal() {
    if (gettid() != getpid() || sigaction(SIGINT, nullptr, &earlier) != 0 ||
        earlier.sa_handler == SIG_IGN || earlier.sa_handler == SIG_DFL) {
        return;
    }

    struct sigaction ours {};

    ours.sa_sigaction = on_signal;
    ours.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigemptyset(&ours.sa_mask);
    is_installed_ = sigaction(SIGINT, &ours, nullptr) == 0;
}

InterruptOnSignal::~InterruptOnSignal() {
    if (is_installed_) {
        sigaction(SIGINT, &earlier, nullptr);
    }
}

void end_sums() noexcept {
    at_end = true;
    Context::interrupt();
}

bool is_at_end() noexcept {
    return at_end;
}

} // namespace starfmm::python

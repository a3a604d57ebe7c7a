// SPDX-License-Identifier: BSD-3-Clause
#include "examples/cli/signals.hpp"

#include "core/io/atomic_file.hpp"

#include <signal.h>

#include <atomic>

namespace starfmm {

namespace {

constexpr int ending_signals[]{SIGINT, SIGTERM, SIGHUP};

std::atomic<bool> is_deferred{false};
std::atomic<int> noted{0};

extern "C" void on_ending_signal(int number) {
    int none = 0;
    if (is_deferred.load() && noted.compare_exchange_strong(none, number)) {
        return;
    }
    remove_temporary_files();
    static_cast<void>(::signal(number, SIG_DFL));
    static_cast<void>(::raise(number)); // comes once this handler has returned
}

} // namespace

void clean_up_on_signals() {
    struct sigaction action {};

    action.sa_handler = on_ending_signal;
    action.sa_flags = SA_RESTART;
    sigemptyset(&action.sa_mask);
    for (const int number : ending_signals) {
        struct sigaction old {};

        if (::sigaction(number, nullptr, &old) == 0 && old.sa_handler != SIG_IGN) {
            ::sigaction(number, &action, nullptr);
        }
    }
}

StopRequest::StopRequest() {
    noted = 0;
    is_deferred = true;
}

StopRequest::~StopRequest() {
    is_deferred = false;
}

int StopRequest::signal() {
    return noted.load();
}

const char* name_of_signal(int signal) {
    return signal == SIGINT ? "SIGINT" : signal == SIGTERM ? "SIGTERM" : "SIGHUP";
}

} // namespace starfmm

// SPDX-License-Identifier: BSD-3-Clause
#include "examples/cli/progress.hpp"

#include <unistd.h>

#include <cstdio>
#include <utility>

namespace starfmm {

Progress::Progress(std::string driver, const Telling& telling)
    : driver_(std::move(driver)), is_terminal_(!telling.quiet && isatty(STDOUT_FILENO) != 0) {
    if (!telling.quiet && !is_terminal_ && telling.heartbeat_s > 0) {
        const double interval = telling.heartbeat_s;
        heart_ = std::jthread([this, interval](const std::stop_token& s) { beat(s, interval); });
    }
}

Progress::~Progress() {
    if (is_terminal_) {
        tell("");
    }
}

void Progress::tell(const std::string& text) {
    if (is_terminal_) {
        std::printf("\r\033[K%s", text.c_str());
        static_cast<void>(std::fflush(stdout));
        return;
    }
    const std::scoped_lock lock(mutex_);
    text_ = text;
}

void Progress::beat(const std::stop_token& stop, double interval_s) {
    const std::chrono::duration<double> interval(interval_s);
    std::unique_lock lock(mutex_);
    const auto never = [] { return false; };
    while (!stopped_.wait_for(lock, stop, interval, never) && !stop.stop_requested()) {
        const double passed = now() - start_;
        static_cast<void>(
            std::fprintf(stderr, "%s: %.0f s: %s\n", driver_.c_str(), passed, text_.c_str())
        );
    }
}

void note(const Telling& telling, const std::string& notice) {
    if (!telling.quiet && !notice.empty()) {
        static_cast<void>(std::fprintf(stderr, "note: %s\n", notice.c_str()));
    }
}

} // namespace starfmm

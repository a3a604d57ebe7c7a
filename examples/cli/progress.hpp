// SPDX-License-Identifier: BSD-3-Clause
// What drivers tell the one who waits for them.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>

namespace starfmm {

/// Seconds on a steady clock.
[[nodiscard]] inline double now() {
    const auto time = std::chrono::steady_clock::now().time_since_epoch();
    return std::chrono::duration<double>(time).count();
}

/// How much is told.
struct Telling {
    bool quiet = false;      ///< nothing but errors and failed checks
    double heartbeat_s = 60; ///< seconds from one line of a log to the next; 0: none
};

/// Says what is being done. On a terminal, at once, in a line that is gone when the report is
/// printed; in a log, as a line on standard error now and then, so that short runs leave none.
class Progress {
public:
    Progress(std::string driver, const Telling& telling);
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;
    ~Progress();

    void tell(const std::string& text);

private:
    void beat(const std::stop_token& stop, double interval_s);

    std::string driver_;
    double start_ = now();
    bool is_terminal_;
    std::mutex mutex_; ///< guards text_
    std::string text_;
    std::condition_variable_any stopped_;
    std::jthread heart_; ///< last: it uses the others
};

/// A line on standard error on what the user should know; nothing for an empty notice.
void note(const Telling& telling, const std::string& notice);

} // namespace starfmm

// SPDX-License-Identifier: BSD-3-Clause
// What drivers tell the one who waits for them.
#pragma once

#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <string>

namespace starfmm {

/// Seconds on a steady clock.
[[nodiscard]] inline double now() {
    const auto time = std::chrono::steady_clock::now().time_since_epoch();
    return std::chrono::duration<double>(time).count();
}

/// A line on what is being done, on terminals only, and gone when the report is printed.
inline void progress(const std::string& text) {
    if (isatty(STDOUT_FILENO) != 0) {
        std::printf("\r\033[K%s", text.c_str());
        static_cast<void>(std::fflush(stdout));
    }
}

} // namespace starfmm

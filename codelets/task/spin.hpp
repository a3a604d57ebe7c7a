// SPDX-License-Identifier: BSD-3-Clause
// Waiting for what takes microseconds, which a sleeping thread would miss by tens of them.
#pragma once

#include <chrono>
#include <thread>

namespace starfmm {

/// Returns once `done()`, which is asked without a pause for some time, then now and then.
template <class Done>
void spin_until(
    const Done& done, std::chrono::milliseconds patience = std::chrono::milliseconds(20)
) {
    using Clock = std::chrono::steady_clock;
    constexpr std::chrono::microseconds nap(50);
    const Clock::time_point start = Clock::now();
    while (!done()) {
        if (Clock::now() - start > patience) {
            std::this_thread::sleep_for(nap);
        } else {
            std::this_thread::yield();
        }
    }
}

} // namespace starfmm

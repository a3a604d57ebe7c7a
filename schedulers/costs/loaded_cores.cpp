// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/costs/loaded_cores.hpp"

#include <starpu.h>

#include <array>
#include <numeric>
#include <stop_token>

namespace starfmm {

namespace {

/// Multiplications and additions of numbers that a first cache holds.
void compute_until(const std::stop_token& stop) {
    constexpr int rounds = 1000;
    std::array<double, 64> values{};
    volatile double sum = 0; // which makes results wanted
    while (!stop.stop_requested()) {
        for (int round = 0; round < rounds; ++round) {
            for (double& value : values) {
                value = 0.5 * value + 1;
            }
        }
        sum = std::accumulate(values.begin(), values.end(), sum * 0.5);
    }
}

} // namespace

double seconds_on(clockid_t clock) {
    timespec time{};
    static_cast<void>(clock_gettime(clock, &time)); // of the clocks used it cannot fail
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

PausedWorkers::PausedWorkers() {
    starpu_pause();
}

PausedWorkers::~PausedWorkers() {
    starpu_resume();
}

LoadedCores::LoadedCores(int n_cpu) {
    for (int other = 1; other < n_cpu; ++other) {
        others_.emplace_back(compute_until);
    }
}

} // namespace starfmm

// SPDX-License-Identifier: BSD-3-Clause
// A core that others compute on, too.
#pragma once

#include <sched.h>

#include <stdexcept>
#include <stop_token>
#include <thread>
#include <vector>

/// The caller stays on one core meanwhile, of which each of a few threads takes as much as he does.
class BusyCore {
public:
    explicit BusyCore(int n_others) {
        if (sched_getaffinity(0, sizeof before_, &before_) != 0) {
            throw std::runtime_error("the cores that this thread may use are not known");
        }
        cpu_set_t one;
        CPU_ZERO(&one);
        CPU_SET(sched_getcpu(), &one);
        if (sched_setaffinity(0, sizeof one, &one) != 0) {
            throw std::runtime_error("this thread cannot be kept on one core");
        }
        for (int other = 0; other < n_others; ++other) { // a new thread stays where its maker does
            others_.emplace_back([](const std::stop_token& stop) {
                while (!stop.stop_requested()) {
                }
            });
        }
    }

    BusyCore(const BusyCore&) = delete;
    BusyCore& operator=(const BusyCore&) = delete;

    ~BusyCore() { sched_setaffinity(0, sizeof before_, &before_); }

private:
    cpu_set_t before_{};
    std::vector<std::jthread> others_;
};

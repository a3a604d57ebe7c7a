// SPDX-License-Identifier: BSD-3-Clause
// A mutex for critical sections of a microsecond: sleeping until a mutex is free takes tens of
// them.
#pragma once

#include <mutex>
#include <thread>

namespace starfmm {

/// A mutex like std::mutex, except that a thread that finds it taken tries again for a while before
/// it sleeps.
class BriefMutex {
public:
    void lock() {
        constexpr int patience = 200;
        for (int i = 0; i < patience; ++i) {
            if (mutex_.try_lock()) {
                return;
            }
            std::this_thread::yield();
        }
        mutex_.lock();
    }

    bool try_lock() { return mutex_.try_lock(); }

    void unlock() { mutex_.unlock(); }

private:
    std::mutex mutex_;
};

} // namespace starfmm

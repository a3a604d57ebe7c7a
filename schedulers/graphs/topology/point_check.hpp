// SPDX-License-Identifier: BSD-3-Clause
// When the host looks at the values of the user's points: while tasks sort them.
#pragma once

#include <functional>
#include <future>
#include <optional>
#include <utility>

namespace starfmm {

/// A look at all coordinates, which takes about as long as several GPUs do to fetch and split them:
/// done by a thread of its own, so that the caller goes on to submit what they do next.
class PointCheck {
public:
    /// \param are_all_in looks, and throws InputError; called once
    /// \param launch async, or deferred where the caller makes use of the arrays until finish()
    PointCheck(std::function<bool()> are_all_in, std::launch launch)
        : are_all_in_(std::move(are_all_in)), launch_(launch) {}

    /// From here on the look may be under way.
    void begin() { looking_ = std::async(launch_, are_all_in_); }

    /// Whether all coordinates are in range. Waits for the look, or does it now.
    /// \throws InputError naming the first coordinate that is not finite
    bool finish() {
        if (!all_in_) {
            all_in_ = looking_.valid() ? looking_.get() : are_all_in_();
        }
        return *all_in_;
    }

private:
    std::function<bool()> are_all_in_;
    std::launch launch_;
    std::future<bool> looking_; ///< waits when destroyed
    std::optional<bool> all_in_;
};

} // namespace starfmm

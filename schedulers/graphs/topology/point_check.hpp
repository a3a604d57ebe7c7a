// SPDX-License-Identifier: BSD-3-Clause
// This check decides when the host looks at the values of the user's points: while tasks sort them.
#pragma once

#include <functional>
#include <future>
#include <optional>
#include <utility>

namespace starfmm {

/// A look at all coordinates; several GPUs take about as long to fetch and split the points.
class PointCheck {
public:
    /// Which thread looks at the values.
    enum class By {
        /// The caller, before it goes on: for tasks that cannot take NaN, as ranks on cores, or a
        /// caller that uses the arrays until finish().
        caller,
        thread ///< an own thread, while the caller submits the next tasks
    };

    /// Prepares a look, which begin() or finish() starts.
    /// \param are_all_in function that looks at the values and throws InputError; called once
    PointCheck(std::function<bool()> are_all_in, By by)
        : are_all_in_(std::move(are_all_in)), by_(by) {}

    /// Begins the look; the caller calls this where it would otherwise wait for tasks.
    /// \throws as finish()
    void begin() {
        if (by_ == By::thread) {
            looking_ = std::async(std::launch::async, are_all_in_);
        } else {
            finish();
        }
    }

    /// Returns whether all coordinates are in range, after waiting for the look or looking now.
    /// \throws InputError naming the first coordinate that is not finite
    bool finish() {
        if (!all_in_) {
            all_in_ = looking_.valid() ? looking_.get() : are_all_in_();
        }
        return *all_in_;
    }

private:
    std::function<bool()> are_all_in_;
    By by_;
    std::future<bool> looking_; ///< waits when destroyed
    std::optional<bool> all_in_;
};

} // namespace starfmm

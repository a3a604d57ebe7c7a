// SPDX-License-Identifier: BSD-3-Clause
// When the host looks at the values of the user's points: while tasks sort them.
#pragma once

#include <functional>
#include <future>
#include <optional>
#include <utility>

namespace starfmm {

/// A look at all coordinates, which takes about as long as several GPUs do to fetch and split them.
class PointCheck {
public:
    /// Who looks.
    enum class By {
        caller, ///< before it goes on: for tasks that cannot take what is not a number, as ranks on
                ///< cores, or a caller that makes use of the arrays until finish()
        thread  ///< one of its own, while the caller submits what comes next
    };

    /// \param are_all_in looks, and throws InputError; called once
    PointCheck(std::function<bool()> are_all_in, By by)
        : are_all_in_(std::move(are_all_in)), by_(by) {}

    /// To be called where the caller would wait for tasks.
    /// \throws as finish()
    void begin() {
        if (by_ == By::thread) {
            looking_ = std::async(std::launch::async, are_all_in_);
        } else {
            finish();
        }
    }

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
    By by_;
    std::future<bool> looking_; ///< waits when destroyed
    std::optional<bool> all_in_;
};

} // namespace starfmm

// SPDX-License-Identifier: BSD-3-Clause
// An array on its way to host memory, which the caller may look for without waiting.
#pragma once

#include <starpu.h>

#include <atomic>

namespace starfmm {

class Arrival {
public:
    /// Begins to bring an array.
    /// \param handle  stays registered; null: for an array that is there already
    /// \param mode  what the caller would do to it
    explicit Arrival(starpu_data_handle_t handle, starpu_data_access_mode mode = STARPU_R);
    Arrival(const Arrival&) = delete;
    Arrival& operator=(const Arrival&) = delete;

    /// Waits, without sleeping at first, until the array is there.
    ~Arrival();

    /// Whether tasks are done with the array, as the mode demands, and it is in host memory.
    [[nodiscard]] bool is_there() const { return is_there_.load(); }

private:
    starpu_data_handle_t handle_;
    std::atomic<bool> is_there_;
};

} // namespace starfmm

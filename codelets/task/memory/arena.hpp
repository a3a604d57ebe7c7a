// SPDX-License-Identifier: BSD-3-Clause
// Many arrays of a few tasks as one datum: each datum costs StarPU microseconds a task.
#pragma once

#include <starpu.h>

#include <cstddef>
#include <memory>

namespace starfmm {

/// Arrays one behind the other, with undefined contents at first. An arena grows until
/// register_data().
class Arena {
public:
    Arena() = default;
    Arena(const Arena&) = delete;
    Arena& operator=(const Arena&) = delete;

    /// Gives the data to StarPU, which frees them once their last task is done.
    ~Arena();

    /// Adds an array. \returns its offset in bytes
    [[nodiscard]] std::size_t add(std::size_t n_bytes);

    /// Returns the handle; null before register_data().
    [[nodiscard]] starpu_data_handle_t starpu() const { return handle_; }

    [[nodiscard]] bool empty() const { return n_bytes_ == 0; }

    void register_data();

    /// Returns the arena from which handles made by this thread take their memory; null: none.
    [[nodiscard]] static const std::shared_ptr<Arena>& current();

    /// A new arena that is the current one while this object lives. There is one at a time.
    class Scope {
    public:
        Scope();
        Scope(const Scope&) = delete;
        Scope& operator=(const Scope&) = delete;
        ~Scope();
    };

private:
    std::size_t n_bytes_ = 0;
    starpu_data_handle_t handle_ = nullptr;
};

} // namespace starfmm

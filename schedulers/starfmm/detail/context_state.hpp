// SPDX-License-Identifier: BSD-3-Clause
// What a context holds, and who may use it.
#pragma once

#include "schedulers/runtime/runtime.hpp"
#include "starfmm/context.hpp"

#include <unistd.h>

#include <mutex>

namespace starfmm::detail {

class ContextState {
public:
    explicit ContextState(const Workers& workers);

    explicit ContextState(const RuntimeOptions& options) : runtime_(options) {}

    /// The runtime, for one thread at a time: until the end of this object's life.
    class Use {
    public:
        /// Waits for other threads.
        /// \throws Error in a process that has forked from the context's
        explicit Use(ContextState& context);

        [[nodiscard]] Runtime& runtime() const { return runtime_; }

    private:
        std::unique_lock<std::mutex> lock_;
        Runtime& runtime_;
    };

    /// For what no task is needed.
    [[nodiscard]] const Runtime& runtime() const { return runtime_; }

    /// Whether this process made the context, and did not inherit it.
    [[nodiscard]] bool is_own() const { return process_ == getpid(); }

    /// \throws Error in a process that has forked from the context's
    void check_is_own() const;

private:
    pid_t process_ = getpid();
    std::mutex mutex_;
    Runtime runtime_;
};

} // namespace starfmm::detail

// SPDX-License-Identifier: BSD-3-Clause
// A context is where sums run: StarPU, with this machine's workers.
#pragma once

#include <memory>
#include <optional>
#include <string>

namespace starfmm {

namespace detail {

struct Access;
class ContextState;

} // namespace detail

/// The workers of a context.
struct Workers {
    std::optional<int> cores{}; ///< by default every core, or none beside a GPU
    std::optional<int> gpus{};  ///< by default every GPU
    std::string scheduler{};    ///< policy of StarPU's or the library's; by default as workers ask
    bool record = false;        ///< whether to keep when each task ran, for write_trace()
    bool in_order = false;      ///< the caller's thread executes, without StarPU
};

/// StarPU runs from a context's construction to its end. A process has one context with workers at a
/// time. Several threads may call the sums of a context: they wait for each other. A child process
/// that inherits a context by fork() gets an exception where it uses it; it may make one of its own
/// that works in order.
class Context {
public:
    /// \throws InputError for workers that the machine does not have, or an unknown scheduler
    /// \throws StarpuError if StarPU does not start, or runs in this process already
    explicit Context(const Workers& workers = {});

    Context(const Context&) = delete;
    Context& operator=(const Context&) = delete;
    ~Context();

    [[nodiscard]] int cores() const;
    [[nodiscard]] int gpus() const;
    [[nodiscard]] const std::string& scheduler() const;

    /// What the user should know of how StarPU started; empty if all is as usual.
    [[nodiscard]] const std::string& notice() const;

    /// Ends the sum that another thread evaluates, if one does, within the time of a task: it throws
    /// Interrupted, and can be evaluated again. A signal handler may call this.
    static void interrupt() noexcept;

    /// Writes when and where tasks ran, and why workers waited.
    /// \param path file name, whose suffix chooses the format: `.json` for Perfetto and
    /// starfmm-trace; `.html` and `.txt` for reports to read
    /// \throws InputError without Workers::record, or for another suffix; OutputError naming
    /// `path`; WriteError
    void write_trace(const std::string& path) const;

private:
    friend class Sum;
    friend struct detail::Access;

    explicit Context(std::unique_ptr<detail::ContextState> state);

    std::unique_ptr<detail::ContextState> state_;
};

} // namespace starfmm

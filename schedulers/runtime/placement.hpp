// SPDX-License-Identifier: BSD-3-Clause
// This header decides which workers a task is offered to.
#pragma once

#include "codelets/task/codelet.hpp"
#include "schedulers/runtime/session.hpp"

#include <cstddef>
#include <span>
#include <string>

namespace starfmm {

/// Says which of `n_gpus` runs all tasks of a part: GPUs share the parts of a problem in order.
[[nodiscard]] inline std::size_t gpu_of(const ProblemPart& part, std::size_t n_gpus) {
    return part.index * n_gpus / part.n;
}

/// Decisions that the library makes for the tasks of one session before StarPU does.
class Placement {
public:
    /// Makes the decisions for `session`.
    /// \param session must outlive this object
    explicit Placement(Session& session) : session_(session) {}

    /// Names the GPU that runs the task. Several GPUs, equally fast, share the parts of a problem
    /// in order, so that data of a part and of its neighbours stay where they are.
    void choose_gpu(starpu_task& task, const TaskArgs& args);

    /// Offers a task to the workers that are engaged. Beside GPUs, cores are offered only tasks
    /// that are worth sharing. A task whose data exceed a GPU's memory runs on a CPU worker. A task
    /// with much data runs on a GPU's first stream, since two of them would each wait for the room
    /// that the other holds.
    void choose_kind(starpu_task& task, const Codelet& codelet, const TaskArgs& args);

    /// Explains why no worker can run a task.
    [[nodiscard]] std::string refusal(const starpu_task& task, const Codelet& codelet) const;

    /// Two functions implement Runtime::prefetch() and Runtime::send().
    void prefetch(const Handle& handle) const;
    void send(std::span<Handle* const> handles, const ProblemPart& part) const;

private:
    [[nodiscard]] std::size_t gpu_of(const ProblemPart& part) const {
        return starfmm::gpu_of(part, session_.gpu_nodes.size());
    }

    /// Whether a task is for cores, including cores that take no part in the sum.
    [[nodiscard]] bool is_of_cores(const TaskArgs& args) const;

    /// Whether a GPU lacks the room for `n_bytes` beside the largest task.
    [[nodiscard]] bool needs_first_stream(std::size_t n_bytes) const {
        return session_.n_streams > 1 &&
               n_bytes >
                   session_.gpu_memory / (3 * (static_cast<std::size_t>(session_.n_streams) - 1));
    }

    Session& session_;
};

} // namespace starfmm

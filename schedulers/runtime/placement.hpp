// SPDX-License-Identifier: BSD-3-Clause
// Which workers a task is offered to.
#pragma once

#include "codelets/task/codelet.hpp"
#include "schedulers/runtime/session.hpp"

#include <cstddef>
#include <span>
#include <string>

namespace starfmm {

/// Which of `n_gpus` does all tasks of a part: they share the parts of a problem in order.
[[nodiscard]] inline std::size_t gpu_of(const ProblemPart& part, std::size_t n_gpus) {
    return part.index * n_gpus / part.n;
}

/// What the library decides before StarPU does: for one session.
class Placement {
public:
    /// \param session must outlive this
    explicit Placement(Session& session) : session_(session) {}

    /// Several GPUs, equally fast, share the parts of a problem in order: data of a part, and of
    /// its neighbours, stay where they are.
    void choose_gpu(starpu_task& task, const TaskArgs& args);

    /// Offers a task to those who are engaged: beside GPUs, to cores only what is worth sharing. A
    /// task whose data exceed a GPU's memory runs on a CPU worker, one of much data on a GPU's
    /// first stream: two of them would each wait for the room that the other holds.
    void choose_kind(starpu_task& task, const Codelet& codelet, const TaskArgs& args);

    /// Why no worker can run a task.
    [[nodiscard]] std::string refusal(const starpu_task& task, const Codelet& codelet) const;

    /// Runtime::prefetch() and send().
    void prefetch(const Handle& handle) const;
    void send(std::span<Handle* const> handles, const ProblemPart& part) const;

private:
    [[nodiscard]] std::size_t gpu_of(const ProblemPart& part) const {
        return starfmm::gpu_of(part, session_.gpu_nodes.size());
    }

    /// Whether a task is for cores, those that do not sum among them.
    [[nodiscard]] bool is_of_cores(const TaskArgs& args) const;

    /// Whether a GPU has not the room for that beside the largest task.
    [[nodiscard]] bool needs_first_stream(std::size_t n_bytes) const {
        return session_.n_streams > 1 &&
               n_bytes >
                   session_.gpu_memory / (3 * (static_cast<std::size_t>(session_.n_streams) - 1));
    }

    Session& session_;
};

} // namespace starfmm

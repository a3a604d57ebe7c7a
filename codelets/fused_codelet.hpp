// SPDX-License-Identifier: BSD-3-Clause
// Several operators as one task, where each is too short to be worth a task of its own.
#pragma once

#include "codelets/codelet.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace starfmm {

/// Collects tasks of other codelets, and makes one task of them that runs their bodies in order.
/// Data that only these tasks use still belongs to the caller, who destroys its handles when the
/// task is submitted.
class FusedCodelet : public Codelet {
public:
    /// \param name of the task in reports and traces
    FusedCodelet(std::string name, const std::string& variant, unsigned color);

    /// Appends a task of `codelet`.
    void add(const Codelet& codelet, std::span<Handle* const> handles, const TaskArgs& args);

    [[nodiscard]] bool empty() const { return parts_.empty(); }

    /// Forgets what was collected.
    void clear();

    /// Forgets what was collected, too. The caller owns the task until starpu_task_submit.
    [[nodiscard]] starpu_task* make_fused_task(int priority);

private:
    static constexpr std::size_t most_buffers = 16;

    /// A task within the task: copied behind the arguments, so it must stay plain.
    struct Part {
        BodyFunction cpu;
        BodyFunction cuda;
        TaskArgs args;
        std::uint32_t n_buffers;
        std::uint32_t buffers[most_buffers]; ///< among those of the whole
    };

    template <BodyFunction Part::*body>
    static void run_parts(void* buffers[], void* args);

    std::uint32_t buffer_of(starpu_data_handle_t handle, starpu_data_access_mode mode);

    TaskArgs args_; ///< of the whole: work, and the number of parts in n_slots
    std::vector<Part> parts_;
    std::vector<TaskBuffer> buffers_;
};

} // namespace starfmm

// SPDX-License-Identifier: BSD-3-Clause
// Several operators as one task, where each is too short to be worth a task of its own.
#pragma once

#include "codelets/recording/part_times.hpp"
#include "codelets/task/codelet.hpp"
#include "codelets/task/stream_uses.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace starfmm {

/// A codelet that collects tasks of other codelets, and makes one task of them that runs their
/// bodies in order. On a GPU those that are aside (TaskArgs) run beside the others, each after
/// those that it depends on. Handles may be parts of arenas, each of which is one datum of the
/// task; the caller keeps other handles until the task is submitted.
class FusedCodelet : public Codelet {
public:
    /// Makes a codelet without parts.
    /// \param name  name of the task in reports and traces
    FusedCodelet(std::string name, const std::string& variant, Color color);

    /// Appends a task of `codelet`.
    void add(const Codelet& codelet, std::span<Handle* const> handles, const TaskArgs& args);

    [[nodiscard]] bool empty() const { return parts_.empty(); }

    [[nodiscard]] std::size_t n_parts() const { return parts_.size(); }

    /// Forgets what was collected.
    void clear();

    /// Makes the task, and forgets what was collected. The caller owns the task until
    /// starpu_task_submit.
    /// \param times  times of n_parts() parts that outlive the task; null: they are not recorded
    [[nodiscard]] starpu_task* make_fused_task(int priority, PartTimes* times = nullptr);

private:
    static constexpr std::size_t most_buffers = 16;

    /// One buffer of a part: all of a datum, or what lies at an offset of an arena.
    struct PartBuffer {
        std::uint32_t datum;      ///< number among the data of the whole task
        std::uint32_t value_size; ///< bytes of a value; 0: all of the datum
        std::size_t offset;
        std::size_t size;
    };

    /// A task within the task, which is copied behind the arguments, so that it must stay plain.
    struct Part {
        BodyFunction cpu;
        BodyFunction cuda;
        TaskArgs args;
        bool meets;       ///< whether it depends on a part of the other stream
        PartTimes* times; ///< times of the whole task; null: not recorded
        std::uint32_t n_buffers;
        PartBuffer buffers[most_buffers];
    };

    template <BodyFunction Part::*body>
    static void run_parts(void* buffers[], void* args);

    std::uint32_t datum_of(starpu_data_handle_t handle, starpu_data_access_mode mode);
    std::uint32_t datum_of(const std::shared_ptr<Arena>& arena);
    PartBuffer buffer_of(const Handle& handle, starpu_data_access_mode mode);

    TaskArgs args_; ///< arguments of the whole task: work, and the number of parts in n_slots
    TaskTimes predicted_;
    std::vector<Part> parts_;
    StreamUses uses_;
    std::vector<TaskBuffer> data_;
    std::vector<std::shared_ptr<Arena>> arenas_; ///< arena of each datum; null: not an arena
};

} // namespace starfmm

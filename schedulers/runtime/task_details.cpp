// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/runtime/task_details.hpp"

#include <starpu.h>

#include <utility>

namespace starfmm {

namespace {

/// Names a datum such that later data at the same address get other names.
/// \param last the last name that was given
std::uintptr_t name_of(starpu_data_handle_t handle, std::uintptr_t& last) {
    if (starpu_data_get_user_data(handle) == nullptr) {
        starpu_data_set_user_data(handle, reinterpret_cast<void*>(++last));
    }
    return reinterpret_cast<std::uintptr_t>(starpu_data_get_user_data(handle));
}

} // namespace

void TaskTracker::add_part(const Codelet& codelet, const TaskArgs& args) {
    if (parts_.empty()) {
        first_part_ = args;
    }
    parts_.push_back({&codelet, args.work});
}

TaskDetails TaskTracker::submitted(const starpu_task& task, const TaskArgs& args) {
    const auto n_buffers = static_cast<std::size_t>(task.nbuffers);
    std::vector<DatumAccess> accesses(n_buffers);
    for (std::size_t i = 0; i < n_buffers; ++i) {
        accesses[i] = {name_of(task.dyn_handles[i], n_data_), task.dyn_modes[i]};
    }
    TaskDetails details = details_of(parts_.empty() ? args : first_part_, accesses);
    details.parts = std::exchange(parts_, {});
    details.part_times = std::exchange(part_times_, nullptr);
    return details;
}

TaskDetails TaskTracker::called(
    const Codelet& codelet, std::span<Handle* const> handles, const TaskArgs& args
) {
    std::vector<DatumAccess> accesses(handles.size());
    for (std::size_t i = 0; i < handles.size(); ++i) {
        accesses[i] = {handles[i]->layout().ptr, codelet.mode(i)};
    }
    return details_of(args, accesses);
}

TaskDetails TaskTracker::details_of(const TaskArgs& args, std::span<const DatumAccess> accesses) {
    TaskDetails details;
    details.id = n_tasks_++;
    details.level = args.tree.first;
    details.group = args.part.n > 0 ? args.part.index : args.tree.root;
    details.after = dependencies_.add(details.id, accesses);
    return details;
}

} // namespace starfmm

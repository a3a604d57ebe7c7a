// SPDX-License-Identifier: BSD-3-Clause
#include "codelets/fused_codelet.hpp"

#include "core/error.hpp"

#include <algorithm>
#include <array>
#include <type_traits>
#include <utility>

namespace starfmm {

FusedCodelet::FusedCodelet(std::string name, const std::string& variant, unsigned color)
    : Codelet(
          std::move(name), variant, color, run_parts<&Part::cpu>, run_parts<&Part::cuda>, {{}, {}}
      ) {}

template <BodyFunction FusedCodelet::Part::*body>
void FusedCodelet::run_parts(void* buffers[], void* args) {
    const auto n_parts = static_cast<TaskArgs*>(args)->n_slots;
    auto* parts = reinterpret_cast<Part*>(static_cast<TaskArgs*>(args) + 1);
    for (Part& part : std::span(parts, n_parts)) {
        std::array<void*, most_buffers> own{};
        for (std::size_t i = 0; i < part.n_buffers; ++i) {
            own[i] = buffers[part.buffers[i]];
        }
        (part.*body)(own.data(), &part.args);
    }
}

void FusedCodelet::add(
    const Codelet& codelet, std::span<Handle* const> handles, const TaskArgs& args
) {
    if (handles.size() > most_buffers) {
        throw StarpuError(codelet.name() + ": too many buffers to be fused");
    }
    Part part{codelet.cpu(), codelet.cuda(), args, static_cast<std::uint32_t>(handles.size()), {}};
    for (std::size_t i = 0; i < handles.size(); ++i) {
        part.buffers[i] = buffer_of(handles[i]->starpu(), codelet.mode(i));
    }
    parts_.push_back(part);
    args_.work += args.work;
    args_.order = args.order;
}

/// What the first part writes, later ones read; what a part reads, a later one may write.
std::uint32_t FusedCodelet::buffer_of(starpu_data_handle_t handle, starpu_data_access_mode mode) {
    const auto found = std::find_if(buffers_.begin(), buffers_.end(), [&](const TaskBuffer& b) {
        return b.handle == handle;
    });
    const auto index = static_cast<std::uint32_t>(found - buffers_.begin());
    if (found == buffers_.end()) {
        buffers_.push_back({handle, mode});
    } else if (found->mode == STARPU_R && mode != STARPU_R) {
        found->mode = STARPU_RW;
    }
    return index;
}

starpu_task* FusedCodelet::make_fused_task(int priority) {
    static_assert(std::is_trivially_copyable_v<Part> && alignof(Part) <= alignof(TaskArgs));
    args_.n_slots = static_cast<std::uint32_t>(parts_.size());
    starpu_task* task = new_task(buffers_, args_, priority, std::as_bytes(std::span(parts_)));
    clear();
    return task;
}

void FusedCodelet::clear() {
    args_ = {};
    parts_.clear();
    buffers_.clear();
}

} // namespace starfmm

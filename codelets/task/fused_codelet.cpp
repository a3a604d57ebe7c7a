// SPDX-License-Identifier: BSD-3-Clause
#include "codelets/task/fused_codelet.hpp"

#include "codelets/task/side_stream.hpp"
#include "core/error.hpp"

#include <algorithm>
#include <array>
#include <type_traits>
#include <utility>

namespace starfmm {

FusedCodelet::FusedCodelet(std::string name, const std::string& variant, Color color)
    : Codelet(
          std::move(name), variant, color, run_parts<&Part::cpu>, run_parts<&Part::cuda>, {{}, {}}
      ) {}

template <BodyFunction FusedCodelet::Part::*body>
void FusedCodelet::run_parts(void* buffers[], void* args) {
    const auto n_parts = static_cast<TaskArgs*>(args)->n_slots;
    auto* parts = reinterpret_cast<Part*>(static_cast<TaskArgs*>(args) + 1);
    StreamPair streams;
    for (std::size_t index = 0; index < n_parts; ++index) {
        Part& part = parts[index];
        if (part.meets) {
            streams.meet();
        }
        const Stream stream = part.args.is_aside ? Stream::aside : Stream::own;
        streams.use(stream);
        std::array<starpu_vector_interface, most_buffers> arrays{};
        std::array<void*, most_buffers> own{};
        for (std::size_t i = 0; i < part.n_buffers; ++i) {
            const PartBuffer& buffer = part.buffers[i];
            own[i] = buffers[buffer.datum];
            if (buffer.value_size > 0) {
                arrays[i] = *static_cast<const starpu_vector_interface*>(own[i]);
                arrays[i].ptr += buffer.offset;
                arrays[i].nx = static_cast<std::uint32_t>(buffer.size);
                arrays[i].elemsize = buffer.value_size;
                own[i] = &arrays[i];
            }
        }
        if (part.times != nullptr) {
            part.times->begin(index, stream, StreamPair::mark());
        }
        (part.*body)(own.data(), &part.args);
        if (part.times != nullptr) {
            part.times->end(index, StreamPair::mark());
        }
    }
    streams.meet();
}

void FusedCodelet::add(
    const Codelet& codelet, std::span<Handle* const> handles, const TaskArgs& args
) {
    codelet.check_buffers(handles.size());
    if (handles.size() > most_buffers) {
        throw StarpuError(codelet.name() + ": too many buffers to be fused");
    }
    Part part{
        codelet.cpu(),
        codelet.cuda(),
        args,
        false,
        nullptr,
        static_cast<std::uint32_t>(handles.size()),
        {}};
    std::vector<StreamUse> uses;
    for (std::size_t i = 0; i < handles.size(); ++i) {
        const PartBuffer& buffer = part.buffers[i] = buffer_of(*handles[i], codelet.mode(i));
        uses.push_back({buffer.datum, buffer.offset, codelet.mode(i) != STARPU_R, args.is_aside});
    }
    part.meets = uses_.must_meet(uses);
    parts_.push_back(part);
    predicted_ += times_of(codelet.costs(), args);
    args_.work += args.work;
    args_.order = args.order;
}

FusedCodelet::PartBuffer
FusedCodelet::buffer_of(const Handle& handle, starpu_data_access_mode mode) {
    if (handle.arena() == nullptr) {
        return {datum_of(handle.starpu(), mode), 0, 0, 0};
    }
    const starpu_vector_interface& layout = handle.layout();
    return {
        datum_of(handle.arena()),
        static_cast<std::uint32_t>(layout.elemsize),
        layout.ptr,
        layout.nx};
}

/// Returns the number of a datum: later parts read what the first part writes, and a later part may
/// write what an earlier one reads.
std::uint32_t FusedCodelet::datum_of(starpu_data_handle_t handle, starpu_data_access_mode mode) {
    const auto found = std::find_if(data_.begin(), data_.end(), [&](const TaskBuffer& b) {
        return b.handle != nullptr && b.handle == handle;
    });
    const auto index = static_cast<std::uint32_t>(found - data_.begin());
    if (found == data_.end()) {
        data_.push_back({handle, mode});
        arenas_.emplace_back();
    } else if (found->mode == STARPU_R && mode != STARPU_R) {
        found->mode = STARPU_RW;
    }
    return index;
}

/// Returns the number of an arena's datum: an arena that a task has used before has contents; one
/// that still grows has none.
std::uint32_t FusedCodelet::datum_of(const std::shared_ptr<Arena>& arena) {
    const auto found = std::find(arenas_.begin(), arenas_.end(), arena);
    const auto index = static_cast<std::uint32_t>(found - arenas_.begin());
    if (found == arenas_.end()) {
        data_.push_back({arena->starpu(), arena->starpu() == nullptr ? STARPU_W : STARPU_RW});
        arenas_.push_back(arena);
    }
    return index;
}

starpu_task* FusedCodelet::make_fused_task(int priority, PartTimes* times) {
    static_assert(std::is_trivially_copyable_v<Part> && alignof(Part) <= alignof(TaskArgs));
    for (std::size_t i = 0; i < data_.size(); ++i) {
        if (data_[i].handle == nullptr) {
            arenas_[i]->register_data();
            data_[i].handle = arenas_[i]->starpu();
        }
    }
    for (Part& part : parts_) {
        part.times = times;
    }
    args_.n_slots = static_cast<std::uint32_t>(parts_.size());
    starpu_task* task =
        new_task(data_, args_, predicted_, priority, std::as_bytes(std::span(parts_)));
    clear();
    return task;
}

void FusedCodelet::clear() {
    args_ = {};
    predicted_ = {};
    parts_.clear();
    uses_.clear();
    data_.clear();
    arenas_.clear();
}

} // namespace starfmm

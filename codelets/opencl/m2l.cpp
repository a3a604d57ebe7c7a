// SPDX-License-Identifier: BSD-3-Clause
#include "codelets/opencl/m2l.hpp"

#include "codelets/opencl/program.hpp"
#include "codelets/task/task_views.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace starfmm {

namespace {

/// The work items a group, which are rows. Each holds two expansions, of which few have room side
/// by side.
constexpr std::size_t rows_a_group = 32;

/// The buffers of a task, in the order of M2LTask.
struct M2LBuffers {
    void* locals;
    void* lists;
    void* targets;
    void** slots; ///< multipoles and boxes of each slot
};

/// Rows whose far entries name boxes alike.
struct FarRows {
    std::size_t begin;
    std::size_t end;
    FarReferences named;
};

/// Calls `use` with all rows, level by level where that matters.
template <int D, class Use>
void visit_far_rows(const TaskArgs& args, const Use& use) {
    if (args.has_orthtree()) {
        use(FarRows{0, n_boxes_of<D>(args), far_references<D>(args, 0)});
        return;
    }
    const Pyramid<D> tree = pyramid_of<D>(args);
    for (int level = tree.first; level <= tree.last; ++level) {
        use(FarRows{tree.offset(level), tree.offset(level + 1), far_references<D>(args, level)});
    }
}

template <int D>
void add_boxes(OpenClLaunch& launch, void* boxes, const TaskArgs& args) {
    launch.array(boxes, box_capacity<D>(buffer_size(boxes), args));
}

/// Adds the multipoles and boxes of a slot: none where there is no slot and rows have no far boxes.
template <int D>
void add_sources(OpenClLaunch& launch, void** slots, const TaskArgs& args, std::uint32_t slot) {
    void** const own = slots + 2 * std::size_t(slot);
    if (slot < args.n_slots) {
        launch.array(own[0]);
        add_boxes<D>(launch, own[1], args);
    } else {
        launch.no_array();
        launch.no_array();
        launch.value<cl_ulong>(0);
    }
    launch.value<cl_uint>(slot);
}

void add_rows(OpenClLaunch& launch, const FarRows& rows) {
    launch.value<cl_ulong>(rows.begin);
    launch.value<cl_ulong>(rows.end);
    launch.value<cl_uint>(static_cast<cl_uint>(rows.named.bits));
    launch.value<cl_ulong>(rows.named.begin);
}

} // namespace

void m2l_opencl(const OpenClM2L& m2l, void* buffers[], const TaskArgs& args, double parameter) {
    const double smallest = m2l.translate.real_size == sizeof(double) ? smallest_radius<double>()
                                                                      : smallest_radius<float>();
    const M2LBuffers own{buffers[0], buffers[1], buffers[2], buffers + 3};
    const std::uint32_t n_slots = std::max(args.n_slots, std::uint32_t(1));
    with_dimension(m2l.dimension, [&](auto d) {
        for (std::uint32_t slot = 0; slot < n_slots; ++slot) {
            visit_far_rows<d()>(args, [&](const FarRows& rows) {
                OpenClLaunch launch(opencl_m2l_kernels, m2l.translate, "m2l");
                launch.real(parameter);
                launch.array(own.locals);
                launch.array(own.lists);
                launch.value<cl_ulong>(args.lists.far_boxes());
                add_boxes<d()>(launch, own.targets, args);
                add_sources<d()>(launch, own.slots, args, slot);
                add_rows(launch, rows);
                launch.value<cl_double>(smallest);
                launch.run(rows.end - rows.begin, rows_a_group);
            });
        }
    });
}

} // namespace starfmm

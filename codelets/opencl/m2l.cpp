// SPDX-License-Identifier: BSD-3-Clause
#include "codelets/opencl/m2l.hpp"

#include "codelets/opencl/program.hpp"
#include "codelets/task/task_views.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace starfmm {

namespace {

/// Work items a group: rows. Each holds two expansions, of which few have room side by side.
constexpr std::size_t group_size = 32;

/// Those of M2L's buffers that come before its slots'.
enum M2LBuffer : std::size_t { locals, lists, targets, first_of_slots };

/// Rows whose far entries name boxes alike.
struct FarRows {
    std::size_t begin;
    std::size_t end;
    FarReferences named;
};

/// Calls `use` with all rows, level by level where that matters.
template <int D, class Use>
void visit_rows(const TaskArgs& args, const Use& use) {
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

/// Multipoles and boxes of a slot: none, where there is no slot and rows have no far boxes.
template <int D>
void add_sources(OpenClLaunch& launch, void* buffers[], const TaskArgs& args, std::uint32_t slot) {
    void** const own = buffers + first_of_slots + 2 * std::size_t(slot);
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
    with_dimension(m2l.dimension, [&](auto d) {
        const std::uint32_t n_slots = std::max(args.n_slots, std::uint32_t(1));
        for (std::uint32_t slot = 0; slot < n_slots; ++slot) {
            visit_rows<d()>(args, [&](const FarRows& rows) {
                OpenClLaunch launch(opencl_m2l_kernels, m2l.translate, "m2l");
                launch.real(parameter);
                launch.array(buffers[locals]);
                launch.array(buffers[lists]);
                launch.value<cl_ulong>(args.lists.far_boxes());
                add_boxes<d()>(launch, buffers[targets], args);
                add_sources<d()>(launch, buffers, args, slot);
                add_rows(launch, rows);
                launch.value<cl_double>(smallest);
                launch.run(rows.end - rows.begin, group_size);
            });
        }
    });
}

} // namespace starfmm

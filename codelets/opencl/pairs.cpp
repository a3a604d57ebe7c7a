// SPDX-License-Identifier: BSD-3-Clause
#include "codelets/opencl/pairs.hpp"

#include "codelets/opencl/program.hpp"
#include "codelets/task/task_views.hpp"

#include <cstddef>
#include <cstdint>

namespace starfmm {

namespace {

/// The work items a group: targets of a leaf, or of a direct sum, that are summed side by side.
constexpr std::size_t group_size = 64;

constexpr std::size_t words_per_double = sizeof(double) / sizeof(std::uint32_t);

/// The buffers of P2P that come before its slots'.
enum P2PBuffer : std::size_t { near_values, lists, targets, target_offsets, first_of_slots };

std::size_t stride(void* buffer, int n_components) {
    return buffer_size(buffer) / static_cast<std::size_t>(n_components);
}

void add_array(OpenClLaunch& launch, void* buffer, int n_components) {
    launch.array(buffer, stride(buffer, n_components));
}

/// Adds which of the lists' references are a slot's, and where its leaves begin.
template <int D>
void add_leaves(OpenClLaunch& launch, const TaskArgs& args, void* boxes, std::uint32_t slot) {
    if (args.has_orthtree()) {
        launch.value<cl_uint>(static_cast<cl_uint>(args.orthtree_references().bits));
        launch.value<cl_ulong>(0);
        launch.value<cl_uint>(0);
        launch.value<cl_ulong>(0);
        launch.value<cl_ulong>(0);
        launch.array(boxes);
        const std::size_t capacity = box_capacity<D>(buffer_size(boxes), args);
        launch.value<cl_ulong>(
            words_per_double * frame_doubles(D, capacity) + Orthtree<D>::leaf_begin_at(capacity)
        );
        return;
    }
    const int depth = D * (args.tree.last - args.tree.first);
    const Subtree& tree = slot_pyramid<D>(args, slot);
    launch.value<cl_uint>(static_cast<cl_uint>(depth));
    launch.value<cl_ulong>(args.n_sources);
    launch.value<cl_uint>(static_cast<cl_uint>(D * tree.last));
    launch.value<cl_ulong>(tree.root << depth);
    launch.value<cl_ulong>(point_begin<D>(args.n_sources, tree.first, tree.root));
    launch.no_array();
    launch.value<cl_ulong>(0);
}

/// Adds all arguments of a slot but the parameter.
template <int D>
void add_slot(
    OpenClLaunch& launch,
    const OpenClPairs& pairs,
    void* buffers[],
    const TaskArgs& args,
    std::uint32_t slot
) {
    void** const of_slots = buffers + first_of_slots;
    void** const own = of_slots + 2 * std::size_t(slot);
    void* const boxes =
        args.has_orthtree() ? of_slots[2 * std::size_t(args.n_slots) + slot] : nullptr;
    add_array(launch, buffers[near_values], pairs.n_values);
    launch.array(buffers[lists]);
    launch.value<cl_ulong>(args.lists.near_offsets());
    launch.value<cl_ulong>(args.lists.near_boxes());
    add_array(launch, buffers[targets], D);
    launch.array(buffers[target_offsets]);
    add_array(launch, own[0], D);
    add_array(launch, own[1], pairs.n_strengths);
    launch.value<cl_uint>(slot);
    add_leaves<D>(launch, args, boxes, slot);
}

} // namespace

void p2p_opencl(const OpenClPairs& pairs, void* buffers[], const TaskArgs& args, double parameter) {
    with_dimension(pairs.dimension, [&](auto d) {
        for (std::uint32_t slot = 0; slot < args.n_slots; ++slot) {
            OpenClLaunch launch(opencl_pairs_kernels, pairs.add_pair, "p2p");
            launch.real(parameter);
            add_slot<d()>(launch, pairs, buffers, args, slot);
            launch.run(n_leaves_of<d()>(args) * group_size, group_size);
        }
    });
}

void direct_opencl(
    const OpenClPairs& pairs, void* buffers[], const TaskArgs& args, double parameter
) {
    void* const values = buffers[0];
    void* const targets_of = buffers[1];
    OpenClLaunch launch(opencl_pairs_kernels, pairs.add_pair, "direct");
    launch.real(parameter);
    add_array(launch, values, pairs.n_values);
    add_array(launch, targets_of, pairs.dimension);
    add_array(launch, buffers[2], pairs.dimension);
    add_array(launch, buffers[3], pairs.n_strengths);
    launch.value<cl_long>(args.direct.self);
    launch.run(stride(targets_of, pairs.dimension), group_size);
}

} // namespace starfmm

// SPDX-License-Identifier: BSD-3-Clause
// The CUDA side of L2P.
#pragma once

#include "codelets/expansions/cartesian3d/taylor_order.cuh"
#include "codelets/expansions/l2p.hpp"
#include "codelets/expansions/solid3d/solid_l2p.cuh"
#include "codelets/pairs/target_chunk.cuh"

namespace starfmm {

/// The lanes that share a leaf, and the targets that each evaluates at once to hide the latency of
/// Horner's rule: twelve at a time fit leaves of about 45.
inline constexpr int l2p_lanes = 4;
inline constexpr int l2p_at_once = 3;
inline constexpr int l2p_threads = 128;

/// The targets that a group of lanes takes: there is one group for the first targets of each leaf,
/// and one for each `l2p_part` targets of all, which takes those that leaves have beyond their
/// first.
inline constexpr std::size_t l2p_part = 256;

__device__ inline TargetChunk
l2p_targets(TargetOffsets offsets, std::size_t n_leaves, std::size_t index) {
    if (index < n_leaves) {
        const std::size_t begin = offsets[index];
        const std::size_t end = offsets[index + 1];
        return {index, begin, end - begin < l2p_part ? end : begin + l2p_part};
    }
    const std::size_t begin = (index - n_leaves) * l2p_part;
    std::size_t leaf = 0;
    for (std::size_t beyond = n_leaves; beyond - leaf > 1;) {
        const std::size_t middle = leaf + (beyond - leaf) / 2;
        (offsets[middle] <= begin ? leaf : beyond) = middle;
    }
    const std::size_t first = offsets[leaf] + l2p_part;
    const std::size_t last = offsets[leaf + 1];
    const std::size_t end = begin + l2p_part;
    return {leaf, begin < first ? first : begin, end < last ? end : last};
}

/// Finds the values at a leaf's targets.
/// \param evaluate  called with a target as seen from the centre of the leaf's box
template <class K, class Evaluate>
__device__ void l2p_values(
    const L2PTask<K>& task,
    const TargetChunk& chunk,
    const Position<dimension_of<K>, double>& centre,
    const Evaluate& evaluate
) {
    using Real = typename K::Real;
    for (std::size_t i = chunk.begin + threadIdx.x % l2p_lanes; i < chunk.end;
         i += l2p_lanes * l2p_at_once) {
        typename K::template Value<Real> value[l2p_at_once];
#pragma unroll
        for (int t = 0; t < l2p_at_once; ++t) {
            const std::size_t target = i + t * l2p_lanes;
            const auto z = task.targets[target < chunk.end ? target : i];
            value[t] = evaluate(seen_from<Real>(centre, z));
        }
#pragma unroll
        for (int t = 0; t < l2p_at_once; ++t) {
            if (i + t * l2p_lanes < chunk.end) {
                task.far.set(i + t * l2p_lanes, value[t]);
            }
        }
    }
}

/// Returns the targets of the thread's group of lanes.
template <class K>
__device__ TargetChunk l2p_targets(const L2PTask<K>& task, std::size_t n_groups) {
    const std::size_t index = thread_index() / l2p_lanes;
    return index < n_groups
               ? l2p_targets(task.target_offsets, n_leaves_of<dimension_of<K>>(task.args), index)
               : TargetChunk{0, 0, 0};
}

template <class K, class Expansion>
__global__ void __launch_bounds__(l2p_threads)
    l2p_kernel(const __grid_constant__ L2PTask<K> task, int n, std::size_t n_groups) {
    n = Expansion::size(n);
    const TargetChunk chunk = l2p_targets(task, n_groups);
    if (chunk.begin >= chunk.end) {
        return;
    }
    const std::size_t box = task.boxes.tree(task.args).leaf_box(chunk.leaf);
    const auto frame = expansion_frame<typename K::Real>(task.boxes, box);
    const auto kernel = kernel_of<K>(task.args.kernel);
    const auto order = Expansion::order(task.args.order);
    Coefficients<K, Expansion::last> local;
    load_row<Expansion::last>(task.locals + box * n, n, local);
    l2p_values(task, chunk, frame.centre, [&](const auto& z) {
        return kernel.l2p(order, centred<typename K::Real>(frame), local, z);
    });
}

template <class K>
void generic_l2p(const L2PTask<K>& task, int n) {
    const std::size_t n_parts = (n_points(task.targets) + l2p_part - 1) / l2p_part;
    const std::size_t n_groups = n_leaves_of<dimension_of<K>>(task.args) + n_parts;
    const unsigned blocks = n_blocks(n_groups, l2p_threads / l2p_lanes);
    with_thread_expansion<K>(task.args.order, [&](auto expansion) {
        l2p_kernel<K, decltype(expansion)>
            <<<blocks, l2p_threads, 0, cuda_stream()>>>(task, n, n_groups);
    });
    check_cuda(cudaGetLastError(), "launch of l2p_kernel");
}

template <class K>
void L2PTask<K>::cuda(const L2PTask& task) {
    const int n = K::n_coefficients(task.args.order);
    if constexpr (has_solid_l2p<K>) {
        solid_l2p(task, n);
    } else {
        generic_l2p(task, n);
    }
}

} // namespace starfmm

// SPDX-License-Identifier: BSD-3-Clause
// L2P: local expansion of each leaf at its targets [GE12 Sec 3.3.4]. O(targets * order).
#pragma once

#include "codelets/task/task_views.hpp"
#include "core/expansions/pascal.hpp"

#ifndef __CUDACC__
#include "codelets/simd/lanes.hpp"

#include <string_view>
#endif

namespace starfmm {

template <class K>
struct L2PTask;
template <class K, class Isa>
void l2p_cpu(const L2PTask<K>& task);
template <class K>
void l2p_cuda(const L2PTask<K>& task);

template <class K>
struct L2PTask {
    static constexpr std::string_view name = "l2p";
    static constexpr Color color = Color::teal;
    static constexpr int D = dimension_of<K>;
    using Real = typename K::Real;
    using Coefficient = CoefficientOf<K, Real>;
    TaskArgs args;
    ValueView<K> far;                    ///< W  results, tree order
    const Coefficient* locals;           ///< R  [total_boxes][n_coefficients]
    BoxView<D> boxes;                    ///< R
    PointView<D> targets;                ///< R
    const std::uint32_t* target_offsets; ///< R  [leaves + 1]

    template <class Buffers>
    static L2PTask of(Buffers& buffers) {
        return {
            buffers.args(),
            buffers.template write<ValueView<K>>(),
            buffers.template read<Coefficient>(),
            buffers.template read<BoxView<D>>(),
            buffers.template read<PointView<D>>(),
            buffers.template read<std::uint32_t>()};
    }

    template <class Isa>
    static void cpu(const L2PTask& task) {
        l2p_cpu<K, Isa>(task);
    }

    static void cuda(const L2PTask& task) { l2p_cuda<K>(task); }
};

#ifndef __CUDACC__
template <class K, class Isa>
void l2p_cpu(const L2PTask<K>& task) {
    using Real = typename K::Real;
    using B = Batch<Real, Isa>;
    const auto tree = task.boxes.tree(task.args);
    const int n = K::n_coefficients(task.args.order);
    for (std::size_t leaf = 0; leaf < tree.leaves(); ++leaf) {
        const std::size_t box = tree.leaf_box(leaf);
        const auto frame = expansion_frame<Real>(task.boxes, box);
        const std::size_t end = task.target_offsets[leaf + 1];
        for (std::size_t i = task.target_offsets[leaf]; i < end; i += B::size) {
            const auto z = load_points<B>(task.targets, i, end - i, frame.centre, frame.centre);
            const auto own = same_frame<B>(centred<Real>(frame));
            const LaneValue<K, B> value = K::l2p(task.args.order, own, task.locals + box * n, z);
            store_values<K, B>(task.far, i, end - i, value, Store::overwrite);
        }
    }
}
#endif

} // namespace starfmm

#ifdef __CUDACC__
#include "codelets/expansions/l2p.cuh"
#endif

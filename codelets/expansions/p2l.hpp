// SPDX-License-Identifier: BSD-3-Clause
// P2L adds sources of large near leaves straight to the local expansion of a smaller leaf [GE12 Sec
// 2]. O(sources * order).
#pragma once

#include "codelets/pairs/p2p.hpp"

#include <string_view>

namespace starfmm {

template <class K>
struct P2LTask {
    static constexpr std::string_view name = "p2l";
    static constexpr Color color = Color::olive;
    static constexpr int D = dimension_of<K>;
    using Real = typename K::Real;
    using Coefficient = CoefficientOf<K, Real>;
    TaskArgs args;
    Coefficient* locals;                  ///< RW [total_boxes][n_coefficients], leaves added to
    const std::uint32_t* lists;           ///< R
    BoxView<D> boxes;                     ///< R  boxes of the targets
    PointView<D> sources[max_slots];      ///< R  sources of each slot
    StrengthView<K> strengths[max_slots]; ///< R  strengths of each slot
    OrthtreeLeaves source_leaves;         ///< R  leaves of orthtrees

    template <class Buffers>
    static P2LTask of(Buffers& buffers) {
        P2LTask task{
            buffers.args(),
            buffers.template update<Coefficient>(),
            buffers.template read<std::uint32_t>(),
            buffers.template read<BoxView<D>>(),
            {},
            {},
            {}};
        void** slots = buffers.read_rest();
        for (std::uint32_t slot = 0; slot < task.args.n_slots; ++slot) {
            void** pair = slots + std::size_t(2) * slot;
            task.sources[slot] = PointView<D>::of(pair[0]);
            task.strengths[slot] = StrengthView<K>::of(pair[1]);
        }
        find_orthtree_leaves<D>(task.args, slots, task.source_leaves);
        return task;
    }

    template <class Isa>
    static void cpu(const P2LTask& task);
    static void cuda(const P2LTask& task);

    STARFMM_HOST_DEVICE ListView p2l_list() const {
        return args.lists.p2l(const_cast<std::uint32_t*>(lists));
    }
};

#ifndef __CUDACC__
template <class K>
template <class Isa>
void P2LTask<K>::cpu(const P2LTask& task) {
    using Real = typename K::Real;
    using B = Batch<Real, Isa>;
    const auto kernel = kernel_of<K>(task.args.kernel);
    const auto tree = task.boxes.tree(task.args);
    const int n = K::n_coefficients(task.args.order);
    const ListView list = task.p2l_list();
    CoefficientOf<K, B> sum[coefficient_room<K>];
    for (std::size_t leaf = 0; leaf < tree.leaves(); ++leaf) {
        if (list.offsets[leaf] == list.offsets[leaf + 1]) {
            continue;
        }
        const std::size_t box = tree.leaf_box(leaf);
        const auto frame = expansion_frame<Real>(task.boxes, box);
        const auto own = same_frame<B>(centred<Real>(frame));
        set_zero(sum, n);
        for (std::uint32_t e = list.offsets[leaf]; e < list.offsets[leaf + 1]; ++e) {
            const LeafSources range =
                leaf_sources<dimension_of<K>>(task.args, task.source_leaves, list.boxes[e]);
            const auto& sources = task.sources[range.slot];
            for (std::size_t i = range.begin; i < range.end; i += B::size) {
                const std::size_t count = range.end - i;
                // Idle lanes repeat a source that is far enough, with strength zero.
                const auto z = load_points<B>(sources, i, count, frame.centre, sources[i]);
                kernel.p2l(
                    task.args.order,
                    own,
                    z,
                    load_strengths<K, B>(task.strengths[range.slot], i, count),
                    sum
                );
            }
        }
        reduce_add(sum, n, task.locals + box * n);
    }
}
#endif

} // namespace starfmm

#ifdef __CUDACC__
#include "codelets/expansions/p2l.cuh"
#endif

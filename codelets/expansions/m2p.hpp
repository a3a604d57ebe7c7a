// SPDX-License-Identifier: BSD-3-Clause
// M2P evaluates multipoles of boxes that are too near to a leaf for M2L straight at its targets
// [GE12 Sec 2]. O(pairs * order).
#pragma once

#include "codelets/pairs/p2p.hpp"

#include <string_view>

namespace starfmm {

template <class K>
struct M2PTask {
    static constexpr std::string_view name = "m2p";
    static constexpr Color color = Color::olive;
    static constexpr int D = dimension_of<K>;
    using Real = typename K::Real;
    using Coefficient = CoefficientOf<K, Real>;
    TaskArgs args;
    ValueView<K> far;                         ///< RW results, tree order
    const std::uint32_t* lists;               ///< R
    PointView<D> targets;                     ///< R
    const std::uint32_t* target_offsets;      ///< R  [leaves + 1]
    const Coefficient* multipoles[max_slots]; ///< R  multipoles of each slot
    BoxView<D> sources[max_slots];            ///< R  boxes of each slot

    template <class Buffers>
    static M2PTask of(Buffers& buffers) {
        M2PTask task{
            buffers.args(),
            buffers.template update<ValueView<K>>(),
            buffers.template read<std::uint32_t>(),
            buffers.template read<PointView<D>>(),
            buffers.template read<std::uint32_t>(),
            {},
            {}};
        void** slots = buffers.read_rest();
        for (std::uint32_t slot = 0; slot < task.args.n_slots; ++slot) {
            void** pair = slots + std::size_t(2) * slot;
            task.multipoles[slot] = buffer_data<const Coefficient>(pair[0]);
            task.sources[slot] = BoxView<D>::of(pair[1], task.args);
        }
        return task;
    }

    template <class Isa>
    static void cpu(const M2PTask& task);
    static void cuda(const M2PTask& task);

    STARFMM_HOST_DEVICE ListView m2p_list() const {
        return args.lists.m2p(const_cast<std::uint32_t*>(lists));
    }
};

#ifndef __CUDACC__
template <class K>
template <class Isa>
void M2PTask<K>::cpu(const M2PTask& task) {
    using Real = typename K::Real;
    using B = Batch<Real, Isa>;
    const auto kernel = kernel_of<K>(task.args.kernel);
    const int n = K::n_coefficients(task.args.order);
    const ListView list = task.m2p_list();
    for (std::size_t leaf = 0; leaf < n_leaves_of<dimension_of<K>>(task.args); ++leaf) {
        const std::size_t end = task.target_offsets[leaf + 1];
        for (std::uint32_t e = list.offsets[leaf]; e < list.offsets[leaf + 1]; ++e) {
            const LeafReference source = leaf_reference<dimension_of<K>>(task.args, list.boxes[e]);
            const auto* multipole = task.multipoles[source.slot] + source.box * n;
            const auto frame = expansion_frame<Real>(task.sources[source.slot], source.box);
            const auto own = same_frame<B>(centred<Real>(frame));
            for (std::size_t i = task.target_offsets[leaf]; i < end; i += B::size) {
                const auto z =
                    load_points<B>(task.targets, i, end - i, frame.centre, task.targets[i]);
                const LaneValue<K, B> value = kernel.m2p(task.args.order, own, multipole, z);
                store_values<K, B>(task.far, i, end - i, value, Store::add);
            }
        }
    }
}
#endif

} // namespace starfmm

#ifdef __CUDACC__
#include "codelets/expansions/m2p.cuh"
#endif

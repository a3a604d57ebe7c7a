// SPDX-License-Identifier: BSD-3-Clause
// P2M adds the sources of each leaf to its multipole expansion [GE12 Sec 3.3.1].
// O(sources * order).
#pragma once

#include "codelets/task/task_views.hpp"
#include "core/expansions/pascal.hpp"

#ifndef __CUDACC__
#include "codelets/simd/lanes.hpp"

#include <string_view>
#endif

namespace starfmm {

template <class K>
struct P2MTask {
    static constexpr std::string_view name = "p2m";
    static constexpr Color color = Color::blue;
    static constexpr int D = dimension_of<K>;
    using Real = typename K::Real;
    using Coefficient = CoefficientOf<K, Real>;
    TaskArgs args;
    Coefficient* multipoles;   ///< W  [total_boxes][n_coefficients], leaves written
    BoxView<D> boxes;          ///< R
    PointView<D> sources;      ///< R  tree order
    StrengthView<K> strengths; ///< R  tree order

    template <class Buffers>
    static P2MTask of(Buffers& buffers) {
        return {
            buffers.args(),
            buffers.template write<Coefficient>(),
            buffers.template read<BoxView<D>>(),
            buffers.template read<PointView<D>>(),
            buffers.template read<StrengthView<K>>()};
    }

    template <class Isa>
    static void cpu(const P2MTask& task);
    static void cuda(const P2MTask& task);
};

#ifndef __CUDACC__
template <class K>
template <class Isa>
void P2MTask<K>::cpu(const P2MTask& task) {
    using Real = typename K::Real;
    using B = Batch<Real, Isa>;
    const auto kernel = kernel_of<K>(task.args.kernel);
    const auto tree = task.boxes.tree(task.args);
    const int order = task.args.order;
    const int n = K::n_coefficients(order);
    CoefficientOf<K, B> sum[coefficient_room<K>];
    for (std::size_t leaf = 0; leaf < tree.leaves(); ++leaf) {
        const std::size_t box = tree.leaf_box(leaf);
        const auto frame = expansion_frame<Real>(task.boxes, box);
        const std::size_t end = tree.begin(task.args.n_sources, leaf + 1);
        set_zero(sum, n);
        for (std::size_t i = tree.begin(task.args.n_sources, leaf); i < end; i += B::size) {
            // Idle lanes sit at the centre with strength zero.
            const auto z = load_points<B>(task.sources, i, end - i, frame.centre, frame.centre);
            kernel.p2m(
                order,
                same_frame<B>(centred<Real>(frame)),
                z,
                load_strengths<K, B>(task.strengths, i, end - i),
                sum
            );
        }
        auto* multipole = task.multipoles + box * n;
        set_zero(multipole, n);
        reduce_add(sum, n, multipole);
    }
}
#endif

} // namespace starfmm

#ifdef __CUDACC__
#include "codelets/expansions/p2m.cuh"
#endif

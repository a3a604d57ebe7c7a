// SPDX-License-Identifier: BSD-3-Clause
// P2M: sources of each leaf into its multipole expansion [GE12 Sec 3.3.1]. O(sources * order).
#pragma once

#include "codelets/task/task_views.hpp"
#include "core/expansions/pascal.hpp"

#ifndef __CUDACC__
#include "codelets/simd/lanes.hpp"
#endif

namespace starfmm {

template <class K>
struct P2MTask {
    using Real = typename K::Real;
    TaskArgs args;
    Complex<Real>* multipoles; ///< W  [total_boxes][n_coefficients], leaves written
    BoxView boxes;             ///< R
    PointView sources;         ///< R  tree order
    StrengthView<K> strengths; ///< R  tree order

    static P2MTask unpack(void* buffers[], void* args) {
        return {
            *static_cast<TaskArgs*>(args),
            buffer_data<Complex<Real>>(buffers[0]),
            BoxView::of(buffers[1]),
            PointView::of(buffers[2]),
            StrengthView<K>::of(buffers[3])};
    }
};

#ifndef __CUDACC__
template <class K, class Isa>
void p2m_cpu(void* buffers[], void* args) {
    using Real = typename K::Real;
    using B = Batch<Real, Isa>;
    const auto task = P2MTask<K>::unpack(buffers, args);
    const Subtree<2>& tree = task.args.tree;
    const int order = task.args.order;
    const int n = K::n_coefficients(order);
    Complex<B> sum[coefficient_room];
    for (std::size_t leaf = 0; leaf < tree.leaves(); ++leaf) {
        const std::size_t box = tree.offset(tree.last) + leaf;
        const Frame<double> frame = expansion_frame<Real>(task.boxes, box);
        const std::size_t end = tree.begin(task.args.n_sources, tree.last, leaf + 1);
        set_zero(sum, n);
        for (std::size_t i = tree.begin(task.args.n_sources, tree.last, leaf); i < end;
             i += B::size) {
            // Idle lanes sit at the centre with strength zero.
            const Complex<B> z =
                load_points<B>(task.sources, i, end - i, frame.centre, frame.centre);
            K::p2m(
                order,
                same_frame<B>(centred<Real>(frame)),
                z,
                load_strengths<K, B>(task.strengths, i, end - i),
                sum
            );
        }
        Complex<Real>* multipole = task.multipoles + box * n;
        set_zero(multipole, n);
        reduce_add(sum, n, multipole);
    }
}
#endif

} // namespace starfmm

// SPDX-License-Identifier: BSD-3-Clause
// M2M: multipoles of children into their parents', from the finest level to the root of the subtree
// [GE12 Sec 3.3.2]. O(boxes * order^2).
#pragma once

#include "codelets/task/task_views.hpp"
#include "core/expansions/pascal.hpp"

#ifndef __CUDACC__
#include "codelets/simd/lanes.hpp"
#endif

#include <algorithm>

namespace starfmm {

template <class K>
struct M2MTask {
    using Real = typename K::Real;
    TaskArgs args;
    Complex<Real>* multipoles; ///< RW [total_boxes][n_coefficients], finest level read
    BoxView boxes;             ///< R
    Complex<Real>* root; ///< W  below a top: [n_coefficients], the root's multipole; else null

    static M2MTask unpack(void* buffers[], void* args) {
        const auto& task_args = *static_cast<TaskArgs*>(args);
        return {
            task_args,
            buffer_data<Complex<Real>>(buffers[0]),
            BoxView::of(buffers[1]),
            task_args.n_slots > 0 ? buffer_data<Complex<Real>>(buffers[2]) : nullptr};
    }
};

/// M2M above the groups.
template <class K>
struct M2MTopTask {
    using Real = typename K::Real;
    M2MTask<K> shift;                      ///< multipoles: W
    const Complex<Real>* roots[max_slots]; ///< R  [n_coefficients] each: the finest level's

    static M2MTopTask unpack(void* buffers[], void* args) {
        M2MTopTask task{M2MTask<K>::unpack(buffers, args), {}};
        task.shift.root = nullptr;
        for (std::uint32_t slot = 0; slot < task.shift.args.n_slots; ++slot) {
            task.roots[slot] = buffer_data<const Complex<Real>>(buffers[2 + slot]);
        }
        return task;
    }
};

#ifndef __CUDACC__
/// One parent a lane: each child in turn.
template <class K, class B, class Real>
void m2m_lanes(const M2MTask<K>& task, int level, std::size_t first, std::size_t count) {
    const Subtree<2>& tree = task.args.tree;
    const int n = K::n_coefficients(task.args.order);
    Complex<B> child_multipole[coefficient_room];
    Complex<B> sum[coefficient_room];
    set_zero(sum, n);
    BoxLanes<B, Real> parents;
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t box = tree.offset(level) + first + i;
        const Frame<double> parent = expansion_frame<Real>(task.boxes, box);
        parents.add(centred<Real>(parent), task.multipoles + box * n);
    }
    parents.fill_idle();
    for (std::size_t c = 0; c < n_children<2>; ++c) {
        BoxLanes<B, Real> children;
        for (std::size_t i = 0; i < count; ++i) {
            const std::size_t box = tree.offset(level + 1) + n_children<2> * (first + i) + c;
            const Frame<double> child = expansion_frame<Real>(task.boxes, box);
            const Complex<double> origin = task.boxes.disc(tree.offset(level) + first + i).centre;
            children.add(seen_from<Real>(origin, child), task.multipoles + box * n);
        }
        children.fill_idle();
        gather_rows(children.rows(), n, child_multipole);
        K::m2m(task.args.order, children.frame(), child_multipole, parents.frame(), sum);
    }
    for (std::size_t i = 0; i < count; ++i) {
        set_zero(parents.rows()[i], n);
    }
    scatter_add_rows(sum, n, parents.rows(), count);
}

template <class K, class Isa>
void m2m_levels(const M2MTask<K>& task) {
    using B = Batch<typename K::Real, Isa>;
    const Subtree<2>& tree = task.args.tree;
    for (int level = tree.last - 1; level >= tree.first; --level) {
        for (std::size_t box = 0; box < tree.boxes(level); box += B::size) {
            m2m_lanes<K, B, typename K::Real>(
                task, level, box, std::min<std::size_t>(B::size, tree.boxes(level) - box)
            );
        }
    }
}

template <class K, class Isa>
void m2m_cpu(void* buffers[], void* args) {
    const auto task = M2MTask<K>::unpack(buffers, args);
    m2m_levels<K, Isa>(task);
    if (task.root != nullptr) {
        std::copy_n(task.multipoles, K::n_coefficients(task.args.order), task.root);
    }
}

template <class K, class Isa>
void m2m_top_cpu(void* buffers[], void* args) {
    const auto task = M2MTopTask<K>::unpack(buffers, args);
    const Subtree<2>& tree = task.shift.args.tree;
    const int n = K::n_coefficients(task.shift.args.order);
    for (std::size_t box = 0; box < tree.leaves(); ++box) {
        std::copy_n(task.roots[box], n, task.shift.multipoles + (tree.offset(tree.last) + box) * n);
    }
    m2m_levels<K, Isa>(task.shift);
}
#endif

} // namespace starfmm

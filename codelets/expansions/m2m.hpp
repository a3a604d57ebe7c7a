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
#include <string_view>

namespace starfmm {

template <class K>
struct M2MTask;
template <class K, class Isa>
void m2m_cpu(const M2MTask<K>& task);
template <class K>
void m2m_cuda(const M2MTask<K>& task);

template <class K>
struct M2MTask {
    static constexpr std::string_view name = "m2m";
    static constexpr Color color = Color::light_blue;
    using Real = typename K::Real;
    TaskArgs args;
    Complex<Real>* multipoles; ///< RW [total_boxes][n_coefficients], finest level read
    BoxView boxes;             ///< R
    Complex<Real>* root; ///< W  below a top: [n_coefficients], the root's multipole; else null

    template <class Buffers>
    static M2MTask of(Buffers& buffers) {
        M2MTask task{
            buffers.args(),
            buffers.template update<Complex<Real>>(),
            buffers.template read<BoxView>(),
            nullptr};
        void** root = buffers.write_rest();
        if (task.args.n_slots > 0) {
            task.root = buffer_data<Complex<Real>>(root[0]);
        }
        return task;
    }

    template <class Isa>
    static void cpu(const M2MTask& task) {
        m2m_cpu<K, Isa>(task);
    }

    static void cuda(const M2MTask& task) { m2m_cuda<K>(task); }
};

template <class K>
struct M2MTopTask;
template <class K, class Isa>
void m2m_top_cpu(const M2MTopTask<K>& task);
template <class K>
void m2m_top_cuda(const M2MTopTask<K>& task);

/// M2M above the groups.
template <class K>
struct M2MTopTask {
    static constexpr std::string_view name = "m2m_top";
    static constexpr Color color = Color::light_blue;
    using Real = typename K::Real;
    M2MTask<K> shift;                      ///< multipoles: W
    const Complex<Real>* roots[max_slots]; ///< R  [n_coefficients] each: the finest level's

    template <class Buffers>
    static M2MTopTask of(Buffers& buffers) {
        M2MTopTask task{
            {buffers.args(),
             buffers.template write<Complex<Real>>(),
             buffers.template read<BoxView>(),
             nullptr},
            {}};
        void** roots = buffers.read_rest();
        for (std::uint32_t slot = 0; slot < task.shift.args.n_slots; ++slot) {
            task.roots[slot] = buffer_data<const Complex<Real>>(roots[slot]);
        }
        return task;
    }

    template <class Isa>
    static void cpu(const M2MTopTask& task) {
        m2m_top_cpu<K, Isa>(task);
    }

    static void cuda(const M2MTopTask& task) { m2m_top_cuda<K>(task); }
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
void m2m_cpu(const M2MTask<K>& task) {
    m2m_levels<K, Isa>(task);
    if (task.root != nullptr) {
        std::copy_n(task.multipoles, K::n_coefficients(task.args.order), task.root);
    }
}

template <class K, class Isa>
void m2m_top_cpu(const M2MTopTask<K>& task) {
    const Subtree<2>& tree = task.shift.args.tree;
    const int n = K::n_coefficients(task.shift.args.order);
    for (std::size_t box = 0; box < tree.leaves(); ++box) {
        std::copy_n(task.roots[box], n, task.shift.multipoles + (tree.offset(tree.last) + box) * n);
    }
    m2m_levels<K, Isa>(task.shift);
}
#endif

} // namespace starfmm

#ifdef __CUDACC__
#include "codelets/expansions/m2m.cuh"
#endif

// SPDX-License-Identifier: BSD-3-Clause
// M2M adds multipoles of children to their parents', from the finest level to the root of the
// subtree [GE12 Sec 3.3.2]. O(boxes * order^2).
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
struct M2MTask {
    static constexpr std::string_view name = "m2m";
    static constexpr Color color = Color::light_blue;
    static constexpr int D = dimension_of<K>;
    using Real = typename K::Real;
    using Coefficient = CoefficientOf<K, Real>;
    TaskArgs args;
    Coefficient* multipoles; ///< RW [total_boxes][n_coefficients], finest level read
    BoxView<D> boxes;        ///< R
    Coefficient* root;       ///< W  below a top: [n_coefficients], the root's multipole; else null

    template <class Buffers>
    static M2MTask of(Buffers& buffers) {
        M2MTask task{
            buffers.args(),
            buffers.template update<Coefficient>(),
            buffers.template read<BoxView<D>>(),
            nullptr};
        void** root = buffers.write_rest();
        if (task.args.n_slots > 0) {
            task.root = buffer_data<Coefficient>(root[0]);
        }
        return task;
    }

    template <class Isa>
    static void cpu(const M2MTask& task);
    static void cuda(const M2MTask& task);
};

/// The task of M2M above the groups.
template <class K>
struct M2MTopTask {
    static constexpr std::string_view name = "m2m_top";
    static constexpr Color color = Color::light_blue;
    static constexpr int D = dimension_of<K>;
    using Coefficient = CoefficientOf<K, typename K::Real>;
    M2MTask<K> shift; ///< multipoles: W
    /// R  [n_coefficients] each, multipoles of the leaves in `slots`.
    const Coefficient* roots[max_slots];

    template <class Buffers>
    static M2MTopTask of(Buffers& buffers) {
        M2MTopTask task{
            {buffers.args(),
             buffers.template write<Coefficient>(),
             buffers.template read<BoxView<D>>(),
             nullptr},
            {}};
        void** roots = buffers.read_rest();
        for (std::uint32_t slot = 0; slot < task.shift.args.n_slots; ++slot) {
            task.roots[slot] = buffer_data<const Coefficient>(roots[slot]);
        }
        return task;
    }

    template <class Isa>
    static void cpu(const M2MTopTask& task);
    static void cuda(const M2MTopTask& task);
};

#ifndef __CUDACC__
/// Adds to one parent a lane, child after child: a missing child, or one without sources, adds
/// nothing.
template <class K, class B>
void m2m_lanes(
    const M2MTask<K>& task,
    const TaskTree<dimension_of<K>>& tree,
    const std::size_t* boxes,
    std::size_t count
) {
    using Real = typename K::Real;
    static CoefficientOf<K, Real> nothing[coefficient_room<K>]; // only read
    const int n = K::n_coefficients(task.args.order);
    CoefficientOf<K, B> child_multipole[coefficient_room<K>];
    CoefficientOf<K, B> sum[coefficient_room<K>];
    set_zero(sum, n);
    BoxLanes<K, B> parents;
    for (std::size_t i = 0; i < count; ++i) {
        const auto parent = expansion_frame<Real>(task.boxes, boxes[i]);
        parents.add(centred<Real>(parent), task.multipoles + boxes[i] * n);
    }
    parents.fill_idle();
    for (std::size_t c = 0; c < n_children<dimension_of<K>>; ++c) {
        BoxLanes<K, B> children;
        for (std::size_t i = 0; i < count; ++i) {
            const BoxRange range = tree.children(boxes[i]);
            const std::size_t box = range.begin + c;
            const bool exists = box < range.end && task.boxes.radius[box] >= 0;
            const auto child = expansion_frame<Real>(task.boxes, exists ? box : boxes[i]);
            const auto origin = task.boxes.disc(boxes[i]).centre;
            children.add(
                seen_from<Real>(origin, child), exists ? task.multipoles + box * n : nothing
            );
        }
        children.fill_idle();
        gather_rows(children.rows(), n, child_multipole);
        kernel_of<K>(task.args.kernel)
            .m2m(task.args.order, children.frame(), child_multipole, parents.frame(), sum);
    }
    for (std::size_t i = 0; i < count; ++i) {
        set_zero(parents.rows()[i], n);
    }
    scatter_add_rows(sum, n, parents.rows(), count);
}

template <class K, class Isa>
void m2m_levels(const M2MTask<K>& task) {
    using B = Batch<typename K::Real, Isa>;
    const auto tree = task.boxes.tree(task.args);
    for (int level = tree.last_level() - 1; level >= tree.first_level(); --level) {
        std::size_t parents[B::size];
        std::size_t n = 0;
        const std::size_t end = tree.offset(level + 1);
        for (std::size_t box = tree.offset(level); box < end; ++box) {
            const BoxRange children = tree.children(box);
            if (children.begin < children.end) {
                parents[n++] = box;
            }
            if (n == B::size || (n > 0 && box + 1 == end)) {
                m2m_lanes<K, B>(task, tree, parents, n);
                n = 0;
            }
        }
    }
}

template <class K>
template <class Isa>
void M2MTask<K>::cpu(const M2MTask& task) {
    m2m_levels<K, Isa>(task);
    if (task.root != nullptr) {
        std::copy_n(task.multipoles, K::n_coefficients(task.args.order), task.root);
    }
}

template <class K>
template <class Isa>
void M2MTopTask<K>::cpu(const M2MTopTask& task) {
    const TaskArgs& args = task.shift.args;
    const auto tree = task.shift.boxes.tree(args);
    const int n = K::n_coefficients(args.order);
    for (std::uint32_t slot = 0; slot < args.n_slots; ++slot) {
        const std::size_t box = tree.leaf_box(args.slots[slot]);
        std::copy_n(task.roots[slot], n, task.shift.multipoles + box * n);
    }
    m2m_levels<K, Isa>(task.shift);
}
#endif

} // namespace starfmm

#ifdef __CUDACC__
#include "codelets/expansions/m2m.cuh"
#endif

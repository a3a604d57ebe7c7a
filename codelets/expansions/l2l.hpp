// SPDX-License-Identifier: BSD-3-Clause
// L2L adds local expansions of parents to their children's, from the root of the subtree to the
// finest level [GE12 Sec 3.3.3]. O(boxes * order^2).
#pragma once

#include "codelets/task/task_views.hpp"
#include "core/expansions/pascal.hpp"

#ifndef __CUDACC__
#include "codelets/simd/lanes.hpp"
#endif

#include <algorithm>
#include <functional>
#include <string_view>

namespace starfmm {

template <class K>
struct L2LTask {
    static constexpr std::string_view name = "l2l";
    static constexpr Color color = Color::light_green;
    static constexpr int D = dimension_of<K>;
    using Real = typename K::Real;
    using Coefficient = CoefficientOf<K, Real>;
    TaskArgs args;
    Coefficient* locals; ///< RW [total_boxes][n_coefficients]
    BoxView<D> boxes;    ///< R
    /// R  only in a group below a top (n_slots = 1): the top's locals.
    const Coefficient* top_locals;
    std::size_t top_box; ///< place of this group's root among them

    template <class Buffers>
    static L2LTask of(Buffers& buffers) {
        L2LTask task{
            buffers.args(),
            buffers.template update<Coefficient>(),
            buffers.template read<BoxView<D>>(),
            nullptr,
            0};
        void** above = buffers.read_rest();
        if (task.args.n_slots > 0) {
            task.top_locals = buffer_data<const Coefficient>(above[0]);
            task.top_box = task.args.top_box;
        }
        return task;
    }

    template <class Isa>
    static void cpu(const L2LTask& task);
    static void cuda(const L2LTask& task);
};

#ifndef __CUDACC__
/// Adds to one child a lane.
template <class K, class B>
void l2l_lanes(
    const L2LTask<K>& task,
    const TaskTree<dimension_of<K>>& tree,
    std::size_t first,
    std::size_t count
) {
    using Real = typename K::Real;
    const int n = K::n_coefficients(task.args.order);
    BoxLanes<K, B> parents;
    BoxLanes<K, B> children;
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t child = first + i;
        const std::size_t parent = tree.parent(child);
        const auto from = expansion_frame<Real>(task.boxes, parent);
        const auto to = expansion_frame<Real>(task.boxes, child);
        parents.add(centred<Real>(from), task.locals + parent * n);
        children.add(seen_from<Real>(from.centre, to), task.locals + child * n);
    }
    parents.fill_idle();
    children.fill_idle();
    CoefficientOf<K, B> parent_local[coefficient_room<K>];
    CoefficientOf<K, B> sum[coefficient_room<K>];
    set_zero(sum, n);
    gather_rows(parents.rows(), n, parent_local);
    kernel_of<K>(task.args.kernel)
        .l2l(task.args.order, parents.frame(), parent_local, children.frame(), sum);
    scatter_add_rows(sum, n, children.rows(), count);
}

template <class K>
template <class Isa>
void L2LTask<K>::cpu(const L2LTask& task) {
    using B = Batch<typename K::Real, Isa>;
    const auto tree = task.boxes.tree(task.args);
    const int n = K::n_coefficients(task.args.order);
    if (task.top_locals != nullptr) {
        // Added, as to any child: P2L has added to the root already where the root is a leaf.
        const auto* top = task.top_locals + task.top_box * n;
        std::transform(top, top + n, task.locals, task.locals, std::plus<>{});
    }
    for (int level = tree.first_level() + 1; level <= tree.last_level(); ++level) {
        const std::size_t end = tree.offset(level + 1);
        for (std::size_t box = tree.offset(level); box < end; box += B::size) {
            l2l_lanes<K, B>(task, tree, box, std::min<std::size_t>(B::size, end - box));
        }
    }
}
#endif

} // namespace starfmm

#ifdef __CUDACC__
#include "codelets/expansions/l2l.cuh"
#endif

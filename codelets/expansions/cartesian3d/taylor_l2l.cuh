// SPDX-License-Identifier: BSD-3-Clause
// L2L of Cartesian Taylor expansions of low order on GPUs, a box a thread, with all coefficients in
// registers.
#pragma once

#include "codelets/expansions/cartesian3d/taylor_order.cuh"
#include "codelets/expansions/l2l.hpp"
#include "codelets/expansions/orthtree_shift.cuh"

namespace starfmm {

/// A parent's local expansion into a child's.
template <class K, int P>
struct TaylorL2L {
    using Task = L2LTask<K>;

    __device__ static void
    shift_into(const Task& task, int /*n*/, const TaskTree<3>& tree, std::size_t box) {
        using Real = typename K::Real;
        constexpr int n = n_cartesian(P);
        Real sum[n];
        const std::size_t parent = tree.parent(box);
        const auto from = expansion_frame<Real>(task.boxes, parent);
        const auto to = expansion_frame<Real>(task.boxes, box);
        load_row<n - 1>(task.locals + box * n, n, sum);
        K::l2l(
            CartesianOrder<P>{P},
            centred<Real>(from),
            task.locals + parent * n,
            seen_from<Real>(from.centre, to),
            sum
        );
        store_row<n - 1>(sum, n, task.locals + box * n);
    }
};

/// As with_taylor_order() returns.
template <class K>
bool taylor_l2l(const L2LTask<K>& task, int n) {
    return with_taylor_order<K>(task.args.order, [&](auto order) {
        for (int level = 1; level <= static_cast<int>(task.args.orthtree.last_level); ++level) {
            launch_orthtree_shift<TaylorL2L<K, order()>>(task, n, level);
        }
    });
}

} // namespace starfmm

// SPDX-License-Identifier: BSD-3-Clause
// M2M of Cartesian Taylor expansions of low order on GPUs, a box a thread, with all coefficients in
// registers.
#pragma once

#include "codelets/expansions/cartesian3d/taylor_order.cuh"
#include "codelets/expansions/m2m.hpp"
#include "codelets/expansions/orthtree_shift.cuh"

namespace starfmm {

/// The children's multipoles into a parent's.
template <class K, int P>
struct TaylorM2M {
    using Task = M2MTask<K>;

    __device__ static void
    shift_into(const Task& task, int /*n*/, const TaskTree<3>& tree, std::size_t box) {
        using Real = typename K::Real;
        constexpr int n = n_cartesian(P);
        const BoxRange children = tree.children(box);
        if (children.begin == children.end) {
            return;
        }
        Real sum[n] = {};
        const auto to = expansion_frame<Real>(task.boxes, box);
        for (std::size_t child = children.begin; child < children.end; ++child) {
            if (task.boxes.radius[child] < 0) { // it has no sources
                continue;
            }
            const auto from = expansion_frame<Real>(task.boxes, child);
            K::m2m(
                CartesianOrder<P>{P},
                seen_from<Real>(to.centre, from),
                task.multipoles + child * n,
                centred<Real>(to),
                sum
            );
        }
        store_row<n - 1>(sum, n, task.multipoles + box * n);
    }
};

/// As with_taylor_order() returns.
template <class K>
bool taylor_m2m(const M2MTask<K>& task, int n) {
    return with_taylor_order<K>(task.args.order, [&](auto order) {
        for (int level = static_cast<int>(task.args.orthtree.last_level) - 1; level >= 0; --level) {
            launch_orthtree_shift<TaylorM2M<K, order()>>(task, n, level);
        }
    });
}

} // namespace starfmm

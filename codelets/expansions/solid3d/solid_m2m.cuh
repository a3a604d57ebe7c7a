// SPDX-License-Identifier: BSD-3-Clause
// M2M of solid harmonics: a warp has a parent.
#pragma once

#include "codelets/expansions/m2m.hpp"
#include "codelets/expansions/solid3d/solid_shift.cuh"

namespace starfmm {

/// M2M with eight children of one parent a warp.
template <class K>
struct SolidM2M {
    using Real = typename K::Real;
    using Task = M2MTask<K>;
    static constexpr bool is_downward = false;
    static constexpr unsigned warp_boxes = 1;

    /// The quad's child among `children`, and whether it exists and has sources; else the first.
    struct Child {
        std::size_t box;
        bool exists;
    };

    __device__ static Child child_of_quad(const Task& task, const BoxRange& children) {
        const std::size_t own = children.begin + threadIdx.x % warp_lanes / quad_lanes;
        const bool exists = own < children.end && task.boxes.radius[own] >= 0;
        return {exists ? own : children.begin, exists};
    }

    template <int rounds, int stride, class Memory>
    __device__ static void shift(
        const Task& task,
        int n,
        const BoxRange& boxes,
        const LaneColumns<stride>& columns,
        const Memory& memory
    ) {
        const BoxRange children = task.boxes.tree(task.args).children(boxes.begin);
        if (children.begin == children.end) {
            return;
        }
        double* sums = memory.row();
        visit_lanes(n, [&](int k) { sums[k] = 0; });
        const Child own = child_of_quad(task, children);
        const int p = task.args.order;
        const Frame<double, 3> from = expansion_frame<Real>(task.boxes, own.box);
        const Frame<double, 3> to = expansion_frame<Real>(task.boxes, boxes.begin);
        const double inverse = 1 / to.radius;
        const SolidTurns<double> turns(inverse * (from.centre - to.centre));
        const ShiftPowers powers(memory.room().powers);
        powers.set(turns.distance, p);
        const OctetTranslation<rounds, stride> octet(turns, columns);
        octet.turn(
            p,
            task.multipoles + own.box * n,
            own.exists ? p : 0,
            DegreeFactors<true>(1, from.radius * inverse, p)
        );
        octet.multiply(p, [&](int /*round*/) { return ToeplitzMatrix<false>(powers); });
        octet.template turn_back<false>(
            p,
            DegreeFactors<false>(1, 1, p),
            [&](auto n_rounds, int degree, const auto& x) {
                add_octet<n_rounds()>(degree, x, sums);
            }
        );
        __syncwarp();
        Real* multipole = task.multipoles + boxes.begin * n;
        visit_lanes(n, [&](int k) { multipole[k] = static_cast<Real>(sums[k]); });
    }
};

} // namespace starfmm

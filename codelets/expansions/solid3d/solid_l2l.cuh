// SPDX-License-Identifier: BSD-3-Clause
// L2L of solid harmonics: eight children a warp.
#pragma once

#include "codelets/expansions/l2l.hpp"
#include "codelets/expansions/solid3d/solid_shift.cuh"

namespace starfmm {

/// L2L with eight boxes of a level a warp.
template <class K>
struct SolidL2L {
    using Real = typename K::Real;
    using Task = L2LTask<K>;
    static constexpr bool is_downward = true;
    static constexpr unsigned warp_boxes = octet_boxes3;

    template <int rounds, int stride, class Memory>
    __device__ static void shift(
        const Task& task,
        int n,
        const BoxRange& boxes,
        const LaneColumns<stride>& columns,
        const Memory& memory
    ) {
        const std::size_t own = boxes.begin + threadIdx.x % warp_lanes / quad_lanes;
        const bool exists = own < boxes.end;
        const std::size_t child = exists ? own : boxes.begin;
        const std::size_t parent = task.boxes.tree(task.args).parent(child);
        const int p = task.args.order;
        const Frame<double, 3> from = expansion_frame<Real>(task.boxes, parent);
        const Frame<double, 3> to = expansion_frame<Real>(task.boxes, child);
        const double inverse = 1 / from.radius;
        const SolidTurns<double> turns(inverse * (to.centre - from.centre));
        const ShiftPowers powers(memory.room().powers);
        powers.set(turns.distance, p);
        const OctetTranslation<rounds, stride> octet(turns, columns);
        octet.turn(p, task.locals + parent * n, p, DegreeFactors<false>(1, 1, p));
        octet.multiply(p, [&](int /*round*/) { return ToeplitzMatrix<true>(powers); });
        Real* local = task.locals + child * n;
        octet.template turn_back<false>(
            p,
            DegreeFactors<true>(1, to.radius * inverse, p),
            [&](auto n_rounds, int degree, const auto& x) {
                add_degree<n_rounds()>(x, degree, exists, local);
            }
        );
    }
};

} // namespace starfmm

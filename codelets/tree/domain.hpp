// SPDX-License-Identifier: BSD-3-Clause
// Domain finds the smallest square, or cube, that holds all sources and targets. O(N + M).
#pragma once

#include "codelets/task/task_views.hpp"
#include "codelets/tree/bounded_points.hpp"
#include "core/tree/domain.hpp"

#include <cstddef>
#include <string_view>

namespace starfmm {

template <int D>
struct DomainTask {
    static constexpr std::string_view name = "domain";
    static constexpr Color color = Color::grey;
    Domain<D>* domain;                  ///< W   [1]
    Bounds<double, D>* scratch;         ///< scratch [domain_blocks]
    BoundedPoints<D, max_slots> points; ///< R   sources and targets, or corners of their parts
    int roots;                          ///< PlanOptions::roots

    template <class Buffers>
    static DomainTask of(Buffers& buffers) {
        DomainTask task{};
        task.domain = buffers.template write<Domain<D>>();
        task.scratch = buffers.template scratch<Bounds<double, D>>();
        task.roots = buffers.args().roots;
        void** coordinates = buffers.read_rest();
        task.points.n_sets = coordinates == nullptr ? 0 : buffers.args().n_slots;
        for (std::uint32_t set = 0; set < task.points.n_sets; ++set) {
            for (int d = 0; d < D; ++d) {
                void* buffer = coordinates[D * set + d];
                task.points.x[set][d] = buffer_data<const double>(buffer);
                task.points.n[set] = buffer_size(buffer);
            }
        }
        return task;
    }

    template <class Backend>
    static void run(const DomainTask& task) {
        find_bounds<Backend, D>(task);
    }

    STARFMM_HOST_DEVICE void finish(const Bounds<double, D>& bounds) const {
        double side = 0;
        for (int d = 0; d < D; ++d) {
            domain->corner[d] = bounds.min[d];
            const double extent = bounds.max[d] - bounds.min[d];
            side = extent > side ? extent : side;
        }
        domain->side = (side > 0 ? side : 1) * domain_stretch(roots);
    }
};

} // namespace starfmm

// SPDX-License-Identifier: BSD-3-Clause
// Extent finds two corners of the box that holds a part of the user's points. As points the corners
// stand for the part in domain, so that no worker needs the coordinates of all. O(N).
#pragma once

#include "codelets/task/task_views.hpp"
#include "codelets/tree/bounded_points.hpp"

#include <cstddef>
#include <limits>
#include <string_view>

namespace starfmm {

template <int D>
struct ExtentTask {
    static constexpr std::string_view name = "extent";
    static constexpr Color color = Color::grey;
    double* corners[D];         ///< W   [direction][2], the lowest and the highest coordinate
    Bounds<double, D>* scratch; ///< scratch [domain_blocks]
    BoundedPoints<D, 1> points; ///< R   points of the part: all points, user order, or a chunk

    template <class Buffers>
    static ExtentTask of(Buffers& buffers) {
        ExtentTask task{};
        for (double*& corner : task.corners) {
            corner = buffers.template write<double>();
        }
        task.scratch = buffers.template scratch<Bounds<double, D>>();
        for (const double*& x : task.points.x[0]) {
            x = buffers.template read<double>() + buffers.args().first_point;
        }
        task.points.n[0] = buffers.args().n_points;
        task.points.n_sets = 1;
        return task;
    }

    template <class Backend>
    static void run(const ExtentTask& task) {
        find_bounds<Backend, D>(task);
    }

    STARFMM_HOST_DEVICE void finish(const Bounds<double, D>& bounds) const {
        for (int d = 0; d < D; ++d) {
            const bool has_any = bounds.min[d] <= bounds.max[d]; // else domain is to pass over it
            corners[d][0] = has_any ? bounds.min[d] : std::numeric_limits<double>::quiet_NaN();
            corners[d][1] = has_any ? bounds.max[d] : std::numeric_limits<double>::quiet_NaN();
        }
    }
};

} // namespace starfmm

// SPDX-License-Identifier: BSD-3-Clause
// Root: the topmost box of a group on its own, for the host, which connects the groups. O(1).
#pragma once

#include "codelets/task/task_views.hpp"
#include "core/tree/geometry.hpp"

namespace starfmm {

/// Bounds and disc of a group's root.
struct Root {
    Bounds<double> bounds;
    Frame<double> disc;
};

struct RootTask {
    Root* root;                   ///< W   [1]
    BoxView boxes;                ///< R   [total_boxes], root first
    const Bounds<double>* bounds; ///< R   [total_boxes]

    static RootTask unpack(void* buffers[], void* /*args*/) {
        return {
            buffer_data<Root>(buffers[0]),
            BoxView::of(buffers[1]),
            buffer_data<const Bounds<double>>(buffers[2])};
    }

    STARFMM_HOST_DEVICE void run() const { *root = {bounds[0], boxes.disc(0)}; }
};

template <class Isa>
void root_cpu(void* buffers[], void* args) {
    RootTask::unpack(buffers, args).run();
}

} // namespace starfmm

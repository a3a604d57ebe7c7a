// SPDX-License-Identifier: BSD-3-Clause
// Root: the topmost box of a group on its own, for the host, which connects the groups. O(1).
#pragma once

#include "codelets/task_views.hpp"
#include "core/geometry.hpp"

namespace starfmm {

/// Bounds and disc of a group's root.
template <class Real>
struct Root {
    Bounds<Real> bounds;
    Frame<Real> disc;
};

template <class Real>
struct RootTask {
    Root<Real>* root;           ///< W   [1]
    BoxView<Real> boxes;        ///< R   [total_boxes], root first
    const Bounds<Real>* bounds; ///< R   [total_boxes]

    static RootTask unpack(void* buffers[], void* /*args*/) {
        return {
            buffer_data<Root<Real>>(buffers[0]),
            BoxView<Real>::of(buffers[1]),
            buffer_data<const Bounds<Real>>(buffers[2])};
    }

    STARFMM_HOST_DEVICE void run() const { *root = {bounds[0], boxes.disc(0)}; }
};

template <class Real, class Isa>
void root_cpu(void* buffers[], void* args) {
    RootTask<Real>::unpack(buffers, args).run();
}

} // namespace starfmm

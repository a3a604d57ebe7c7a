// SPDX-License-Identifier: BSD-3-Clause
// Root copies the topmost box of a group for the host, which connects the groups. O(1).
#pragma once

#include "codelets/task/task_views.hpp"
#include "core/tree/geometry.hpp"

#include <string_view>

namespace starfmm {

/// The bounds and the disc of a group's root.
template <int D>
struct Root {
    Bounds<double, D> bounds;
    Frame<double, D> disc;
};

template <int D>
struct RootTask;
template <int D, class Isa>
void root_cpu(const RootTask<D>& task);
template <int D>
void root_cuda(const RootTask<D>& task);

template <int D>
struct RootTask {
    static constexpr std::string_view name = "root";
    static constexpr Color color = Color::sand;
    Root<D>* root;                   ///< W   [1]
    BoxView<D> boxes;                ///< R   [total_boxes], root first
    const Bounds<double, D>* bounds; ///< R   [total_boxes]

    template <class Buffers>
    static RootTask of(Buffers& buffers) {
        return {
            buffers.template write<Root<D>>(),
            buffers.template read<BoxView<D>>(),
            buffers.template read<Bounds<double, D>>()};
    }

    template <class Isa>
    static void cpu(const RootTask& task) {
        root_cpu<D, Isa>(task);
    }

    static void cuda(const RootTask& task) { root_cuda(task); }

    STARFMM_HOST_DEVICE void run() const { *root = {bounds[0], boxes.disc(0)}; }
};

template <int D, class Isa>
void root_cpu(const RootTask<D>& task) {
    task.run();
}

} // namespace starfmm

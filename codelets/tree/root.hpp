// SPDX-License-Identifier: BSD-3-Clause
// Root copies the topmost box of a group for the host, which connects the groups. O(1).
#pragma once

#include "codelets/task/for_each_index.hpp"
#include "codelets/task/task_views.hpp"
#include "core/tree/geometry.hpp"

#include <string_view>

namespace starfmm {

/// The bounds and the disc of a group's root.
struct Root {
    Bounds<double, 2> bounds;
    Frame<double, 2> disc;
};

struct RootTask {
    static constexpr std::string_view name = "root";
    static constexpr Color color = Color::sand;
    Root* root;                      ///< W   [1]
    BoxView<2> boxes;                ///< R   [total_boxes], root first
    const Bounds<double, 2>* bounds; ///< R   [total_boxes]

    template <class Buffers>
    static RootTask of(Buffers& buffers) {
        return {
            buffers.template write<Root>(),
            buffers.template read<BoxView<2>>(),
            buffers.template read<Bounds<double, 2>>()};
    }

    template <class Backend>
    static void run(const RootTask& task) {
        for_each_index<Backend>(1, task);
    }

    STARFMM_HOST_DEVICE void operator()(std::size_t i) const {
        root[i] = {bounds[i], boxes.disc(i)};
    }
};

} // namespace starfmm

// SPDX-License-Identifier: BSD-3-Clause
// Points into the order of the Z-order curve of the deepest level [SL13 Sec III.A]. O(N) passes of
// a radix sort.
//
// The order is unique: by place on the curve, then by user index. Every body gives the same bits.
#pragma once

#include "codelets/tree/cells.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace starfmm {

/// Bytes of scratch that `curve` needs for n points, on any worker: on a CPU the points, and as
/// much again to sort them, on a GPU codes and indices likewise, and the counters of the radix
/// sort.
constexpr std::size_t curve_scratch_bytes(std::size_t n) {
    return 2 * sizeof(CurvePoint) * n + (std::size_t(1) << 19U);
}

struct CurveTask;
template <class Isa>
void curve_cpu(const CurveTask& task);
void curve_cuda(const CurveTask& task);

struct CurveTask {
    static constexpr std::string_view name = "curve";
    static constexpr Color color = Color::brown;
    PointView positions;        ///< W   [n], order of the curve
    std::uint32_t* permutation; ///< W   [n], order of the curve to user order
    DeepCode* codes;            ///< W   [n], ascending
    std::byte* scratch;         ///< scratch [curve_scratch_bytes(n)]
    const Domain<2>* domain;    ///< R   [1]
    const double* x;            ///< R   user order
    const double* y;            ///< R
    const CurvePoint* points;   ///< R   [n], a group's, cell by cell; null: all of the user's
    std::size_t n;

    template <class Buffers>
    static CurveTask of(Buffers& buffers) {
        CurveTask task{};
        task.positions = buffers.template write<PointView>();
        task.permutation = buffers.template write<std::uint32_t>();
        task.n = buffers.size();
        task.codes = buffers.template write<DeepCode>();
        task.scratch = buffers.template scratch<std::byte>();
        task.domain = buffers.template read<Domain<2>>();
        task.x = buffers.template read<double>();
        task.y = buffers.template read<double>();
        void** cells = buffers.read_rest();
        if (buffers.args().n_slots > 0) {
            task.points = buffer_data<const CurvePoint>(cells[0]) + buffers.args().first_point;
        }
        return task;
    }

    template <class Isa>
    static void cpu(const CurveTask& task) {
        curve_cpu<Isa>(task);
    }

    static void cuda(const CurveTask& task) { curve_cuda(task); }

    [[nodiscard]] STARFMM_HOST_DEVICE DeepCode code_of(std::size_t i) const {
        return points != nullptr ? points[i].code : deep_code_of<2>(*domain, {x[i], y[i]});
    }

    /// In user order.
    [[nodiscard]] STARFMM_HOST_DEVICE std::uint32_t index_of(std::size_t i) const {
        return points != nullptr ? points[i].index : static_cast<std::uint32_t>(i);
    }

    /// Adding zero turns -0 into +0, as the pyramid's sort does.
    STARFMM_HOST_DEVICE void set_position(std::size_t i, std::uint32_t index) const {
        positions.x[i] = x[index] + 0.0;
        positions.y[i] = y[index] + 0.0;
    }
};

#ifndef __CUDACC__
template <class Isa>
void curve_cpu(const CurveTask& task) {
    auto* points = reinterpret_cast<CurvePoint*>(task.scratch);
    if (task.points == nullptr) {
        find_places(*task.domain, task.x, task.y, task.n, task.codes);
        for (std::size_t i = 0; i < task.n; ++i) {
            points[i] = {task.codes[i], static_cast<std::uint32_t>(i)};
        }
    } else {
        std::copy_n(task.points, task.n, points);
    }
    sort_by_place(points, task.n, points + task.n);
    for (std::size_t i = 0; i < task.n; ++i) {
        task.codes[i] = points[i].code;
        task.permutation[i] = points[i].index;
        task.set_position(i, points[i].index);
    }
}
#endif

} // namespace starfmm

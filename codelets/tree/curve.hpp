// SPDX-License-Identifier: BSD-3-Clause
// Curve sorts points into the order of the Z-order curve of the deepest level [SL13 Sec III.A], in
// O(N) passes of a radix sort, or as rank does it.
//
// The order is unique: by place on the curve, then by user index. Every body gives the same bits.
#pragma once

#include "codelets/tree/cells.hpp"
#include "codelets/tree/sort/sort_task.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace starfmm {

/// Returns the bytes of scratch that `curve` needs for n points, on any worker: on a CPU the
/// points, and as much again to sort them, on a GPU what `rank` needs.
constexpr std::size_t curve_scratch_bytes(std::size_t n) {
    return std::max(2 * sizeof(CurvePoint) * n, rank_scratch_bytes(n));
}

/// The number of points from which on a GPU takes a radix sort, whose even time is then worth more
/// than what bins gain on uniform points (1e7: 1.8 ms with all else, by bins 1.4, but 4.1 for
/// Plummer's model).
inline constexpr std::size_t radix_points = std::size_t(3) << 20U;

template <int D>
struct CurveTask {
    static constexpr std::string_view name = "curve";
    static constexpr Color color = Color::brown;
    PointView<D> positions;     ///< W   [n], order of the curve
    std::uint32_t* permutation; ///< W   [n], order of the curve to user order
    DeepCode* codes;            ///< W   [n], ascending
    std::byte* scratch;         ///< scratch [curve_scratch_bytes(n)]
    const Domain<D>* domain;    ///< R   [1]
    const double* x[D];         ///< R   [direction], user order
    CellPart parts[max_slots];  ///< R   parts of all points, of which a group has some cells
    std::uint32_t n_parts;      ///< 0: the task has all of the user's points
    BoxRange cells;             ///< cells of the group
    std::size_t n;

    template <class Buffers>
    static CurveTask of(Buffers& buffers) {
        CurveTask task{};
        task.positions = buffers.template write<PointView<D>>();
        task.permutation = buffers.template write<std::uint32_t>();
        task.n = buffers.size();
        task.codes = buffers.template write<DeepCode>();
        task.scratch = buffers.template scratch<std::byte>();
        task.domain = buffers.template read<Domain<D>>();
        for (const double*& x : task.x) {
            x = buffers.template read<double>();
        }
        void** parts = buffers.read_rest();
        task.n_parts = buffers.args().n_slots;
        for (std::uint32_t part = 0; part < task.n_parts; ++part) {
            void** pair = parts + std::size_t(2) * part;
            task.parts[part] = {
                buffer_data<const CurvePoint>(pair[0]), buffer_data<const std::uint32_t>(pair[1])};
        }
        task.cells = buffers.args().cells;
        return task;
    }

    template <class Isa>
    static void cpu(const CurveTask& task);
    static void cuda(const CurveTask& task);

    /// Returns the first of the group's points in a part.
    [[nodiscard]] STARFMM_HOST_DEVICE std::size_t begin_of(const CellPart& part) const {
        return part.begin[cells.begin];
    }

    [[nodiscard]] STARFMM_HOST_DEVICE std::size_t end_of(const CellPart& part) const {
        return part.begin[cells.end];
    }

    /// Returns a point before the sort: part by part, cell by cell.
    [[nodiscard]] STARFMM_HOST_DEVICE CurvePoint point(std::size_t i) const {
        if (n_parts == 0) {
            return {deep_code_of<D>(*domain, user_point<D>(x, i)), static_cast<std::uint32_t>(i)};
        }
        std::uint32_t part = 0;
        for (; i >= end_of(parts[part]) - begin_of(parts[part]); ++part) {
            i -= end_of(parts[part]) - begin_of(parts[part]);
        }
        return parts[part].points[begin_of(parts[part]) + i];
    }

    [[nodiscard]] STARFMM_HOST_DEVICE DeepCode code_of(std::size_t i) const {
        return point(i).code;
    }

    /// Returns the index of a point in user order.
    [[nodiscard]] STARFMM_HOST_DEVICE std::uint32_t index_of(std::size_t i) const {
        return n_parts == 0 ? static_cast<std::uint32_t>(i) : point(i).index;
    }

    /// Sets a position. Adding zero turns -0 into +0, as the pyramid's sort does.
    STARFMM_HOST_DEVICE void set_position(std::size_t i, std::uint32_t index) const {
        for (int d = 0; d < D; ++d) {
            positions.x[d][i] = x[d][index] + 0.0;
        }
    }
};

#ifndef __CUDACC__
template <int D>
template <class Isa>
void CurveTask<D>::cpu(const CurveTask& task) {
    auto* points = reinterpret_cast<CurvePoint*>(task.scratch);
    if (task.n_parts == 0) {
        find_places(*task.domain, task.x, 0, task.n, task.codes);
        for (std::size_t i = 0; i < task.n; ++i) {
            points[i] = {task.codes[i], static_cast<std::uint32_t>(i)};
        }
    }
    CurvePoint* next = points;
    for (std::uint32_t p = 0; p < task.n_parts; ++p) {
        const CellPart& part = task.parts[p];
        next = std::copy(part.points + task.begin_of(part), part.points + task.end_of(part), next);
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

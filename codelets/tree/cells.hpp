// SPDX-License-Identifier: BSD-3-Clause
// Cells sorts points by the boxes of one level of the Z-order curve, which groups of an orthtree
// are cut from, a part of the user's points a task. O(N).
//
// The order is unique: by cell, then by user index. Every body gives the same bits.
#pragma once

#include "codelets/task/task_views.hpp"
#include "core/tree/orthtree.hpp"
#include "core/tree/place_sort.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string_view>
#include <vector>

namespace starfmm {

/// The level of the cells: as deep as groups may lie that do not consist of chunks' points
/// (chunk_cells.hpp).
template <int D>
inline constexpr int cell_level = D == 2 ? 6 : 5;
template <int D>
inline constexpr std::size_t n_cells = n_boxes<D>(cell_level<D>);

/// Returns the bytes of scratch that `cells` needs for n points, on any worker: on a CPU 8 a point,
/// on a GPU codes and indices, before and after a radix sort and within, and the counters of the
/// sort, which are 1024 bytes for every tile of some thousand points.
constexpr std::size_t cells_scratch_bytes(std::size_t n) {
    return 3 * (sizeof(DeepCode) + sizeof(std::uint32_t)) * n + n / 2 + (std::size_t(1) << 19U);
}

/// Returns a point of the user's arrays.
template <int D>
STARFMM_HOST_DEVICE std::array<double, D> user_point(const double* const (&x)[D], std::size_t i) {
    std::array<double, D> point{};
    for (int d = 0; d < D; ++d) {
        point[d] = x[d][i];
    }
    return point;
}

/// The points of a part, cell by cell.
struct CellPart {
    const CurvePoint* points;
    const std::uint32_t* begin; ///< [n_cells + 1], first point of each cell
};

template <int D>
struct CellsTask {
    static constexpr std::string_view name = "cells";
    static constexpr Color color = Color::brown;
    CurvePoint* points;      ///< W   [n], cell by cell
    std::uint32_t* begin;    ///< W   [n_cells + 1], first point of each cell
    std::byte* scratch;      ///< scratch [cells_scratch_bytes(n)]
    const Domain<D>* domain; ///< R   [1]
    const double* x[D];      ///< R   [direction], coordinates of all points, user order
    std::size_t first;       ///< user index of the part's first point
    std::size_t n;           ///< points of the part

    template <class Buffers>
    static CellsTask of(Buffers& buffers) {
        CellsTask task{};
        task.first = buffers.args().first_point;
        task.points = buffers.template write<CurvePoint>();
        task.n = buffers.size();
        task.begin = buffers.template write<std::uint32_t>();
        task.scratch = buffers.template scratch<std::byte>();
        task.domain = buffers.template read<Domain<D>>();
        for (const double*& x : task.x) {
            x = buffers.template read<double>();
        }
        return task;
    }

    template <class Isa>
    static void cpu(const CellsTask& task);
    static void cuda(const CellsTask& task);

    [[nodiscard]] STARFMM_HOST_DEVICE DeepCode code_of(std::size_t i) const {
        return deep_code_of<D>(*domain, user_point<D>(x, first + i));
    }

    /// Returns the index of a point in user order.
    [[nodiscard]] STARFMM_HOST_DEVICE std::uint32_t index_of(std::size_t i) const {
        return static_cast<std::uint32_t>(first + i);
    }

    STARFMM_HOST_DEVICE static std::uint32_t cell_of(DeepCode code) {
        return static_cast<std::uint32_t>(code >> bits_below<D>(cell_level<D>));
    }
};

#ifndef __CUDACC__
/// Finds the places of points, in a loop of nothing else, which compilers make SIMD.
/// \param first  first of the `n` points
template <int D>
void find_places(
    const Domain<D>& domain,
    const double* const (&x)[D],
    std::size_t first,
    std::size_t n,
    DeepCode* codes
) {
    for (std::size_t i = 0; i < n; ++i) {
        codes[i] = deep_code_of<D>(domain, user_point<D>(x, first + i));
    }
}

/// Counts the points of cells.
/// \param begin  [n_cells + 1], number of points before each cell, and in all
template <int D>
void count_cells(const DeepCode* codes, std::size_t n, std::uint32_t* begin) {
    std::fill_n(begin, n_cells<D> + 1, 0U);
    for (std::size_t i = 0; i < n; ++i) {
        ++begin[CellsTask<D>::cell_of(codes[i]) + 1];
    }
    std::partial_sum(begin, begin + n_cells<D> + 1, begin);
}

template <int D>
template <class Isa>
void CellsTask<D>::cpu(const CellsTask& task) {
    auto* codes = reinterpret_cast<DeepCode*>(task.scratch);
    find_places(*task.domain, task.x, task.first, task.n, codes);
    count_cells<D>(codes, task.n, task.begin);
    std::vector<std::uint32_t> next(task.begin, task.begin + n_cells<D>);
    for (std::size_t i = 0; i < task.n; ++i) {
        task.points[next[CellsTask<D>::cell_of(codes[i])]++] = {codes[i], task.index_of(i)};
    }
}
#endif

} // namespace starfmm

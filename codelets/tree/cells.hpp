// SPDX-License-Identifier: BSD-3-Clause
// Cells: points by the boxes of one level of the Z-order curve, which groups of an orthtree are
// cut from. O(N).
//
// The order is unique: by cell, then by user index. Every body gives the same bits.
#pragma once

#include "codelets/task/task_views.hpp"
#include "core/tree/orthtree.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace starfmm {

/// Level of the cells: as deep as groups may lie.
inline constexpr int cell_level = 6;
inline constexpr std::size_t n_cells = std::size_t(1) << (2 * cell_level);

/// A point's place, and which one it is.
struct CurvePoint {
    DeepCode code;
    std::uint32_t index;
};

/// Bytes of scratch that `cells` needs for n points, on any worker: on a CPU 8 a point, on a GPU
/// codes and indices, before and after a radix sort and within, and its counters.
constexpr std::size_t cells_scratch_bytes(std::size_t n) {
    return 3 * (sizeof(DeepCode) + sizeof(std::uint32_t)) * n + (std::size_t(1) << 19U);
}

struct CellsTask;
template <class Isa>
void cells_cpu(const CellsTask& task);
void cells_cuda(const CellsTask& task);

struct CellsTask {
    static constexpr std::string_view name = "cells";
    static constexpr Color color = Color::brown;
    CurvePoint* points;      ///< W   [n], cell by cell
    std::uint32_t* begin;    ///< W   [n_cells + 1], first point of each cell
    std::byte* scratch;      ///< scratch [cells_scratch_bytes(n)]
    const Domain<2>* domain; ///< R   [1]
    const double* x;         ///< R   [n], user order
    const double* y;         ///< R   [n]
    std::size_t n;

    template <class Buffers>
    static CellsTask of(Buffers& buffers) {
        CellsTask task{};
        task.points = buffers.template write<CurvePoint>();
        task.n = buffers.size();
        task.begin = buffers.template write<std::uint32_t>();
        task.scratch = buffers.template scratch<std::byte>();
        task.domain = buffers.template read<Domain<2>>();
        task.x = buffers.template read<double>();
        task.y = buffers.template read<double>();
        return task;
    }

    template <class Isa>
    static void cpu(const CellsTask& task) {
        cells_cpu<Isa>(task);
    }

    static void cuda(const CellsTask& task) { cells_cuda(task); }

    [[nodiscard]] STARFMM_HOST_DEVICE DeepCode code_of(std::size_t i) const {
        return deep_code_of<2>(*domain, {x[i], y[i]});
    }

    [[nodiscard]] STARFMM_HOST_DEVICE static std::uint32_t index_of(std::size_t i) {
        return static_cast<std::uint32_t>(i);
    }

    STARFMM_HOST_DEVICE static std::uint32_t cell_of(DeepCode code) {
        return static_cast<std::uint32_t>(code >> bits_below<2>(cell_level));
    }
};

#ifndef __CUDACC__
template <class Isa>
void cells_cpu(const CellsTask& task) {
    auto* codes = reinterpret_cast<DeepCode*>(task.scratch);
    std::uint32_t* next = task.begin; // ends where its cell does, so where the next one begins
    std::fill_n(next, n_cells + 1, 0U);
    for (std::size_t i = 0; i < task.n; ++i) {
        codes[i] = task.code_of(i);
        ++next[CellsTask::cell_of(codes[i])];
    }
    std::uint32_t n = 0;
    for (std::size_t cell = 0; cell <= n_cells; ++cell) {
        const std::uint32_t size = next[cell];
        next[cell] = n;
        n += size;
    }
    for (std::size_t i = 0; i < task.n; ++i) {
        const std::uint32_t place = next[CellsTask::cell_of(codes[i])]++;
        task.points[place] = {codes[i], static_cast<std::uint32_t>(i)};
    }
    std::copy_backward(task.begin, task.begin + n_cells, task.begin + n_cells + 1);
    task.begin[0] = 0;
}
#endif

} // namespace starfmm

// SPDX-License-Identifier: BSD-3-Clause
// Chunk cells counts the points that a chunk has in the boxes that groups of an orthtree are cut
// from. The points stay in the user's order. O(N).
//
//   chunk_cells  finds the points' places on the curve, and how many there are before each cell
//   chunk_parts  finds how many there are in each part of some cells
#pragma once

#include "codelets/tree/cells.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string_view>

namespace starfmm {

/// The level of the parts of cells, as deep as groups of chunks may lie: in the middle of a whole
/// Plummer model a cell has up to 10 % of the points.
template <int D>
inline constexpr int cell_part_level = D == 2 ? cell_level<D> : shared_levels;
template <int D>
inline constexpr std::size_t n_cell_parts = n_boxes<D>(cell_part_level<D> - cell_level<D>);

/// The bytes of scratch that `chunk_cells` needs on any worker: CUB sums counts with them.
inline constexpr std::size_t chunk_cells_scratch_bytes = std::size_t(1) << 17U;

/// The task of `chunk_cells`.
template <int D>
struct ChunkCellsTask {
    static constexpr std::string_view name = "chunk_cells";
    static constexpr Color color = Color::brown;
    DeepCode* codes;         ///< W   [n], user order
    std::uint32_t* begin;    ///< W   [n_cells + 1], points before each cell, and in all
    std::byte* scratch;      ///< scratch [chunk_cells_scratch_bytes]
    const Domain<D>* domain; ///< R   [1]
    const double* x[D];      ///< R   [direction][n], user order
    std::size_t n;

    template <class Buffers>
    static ChunkCellsTask of(Buffers& buffers) {
        ChunkCellsTask task{};
        task.codes = buffers.template write<DeepCode>();
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
    static void cpu(const ChunkCellsTask& task);
    static void cuda(const ChunkCellsTask& task);

    [[nodiscard]] STARFMM_HOST_DEVICE DeepCode code_of(std::size_t i) const {
        return deep_code_of<D>(*domain, user_point<D>(x, i));
    }
};

/// The task of `chunk_parts`.
template <int D>
struct ChunkPartsTask {
    static constexpr std::string_view name = "chunk_parts";
    static constexpr Color color = Color::brown;
    std::uint32_t* counts;      ///< W   [n_cells][n_cell_parts]
    const std::uint32_t* cells; ///< R   [n_cells], ascending
    const DeepCode* codes;      ///< R   [n], user order, from chunk_cells
    std::size_t n_cells;
    std::size_t n;

    template <class Buffers>
    static ChunkPartsTask of(Buffers& buffers) {
        ChunkPartsTask task{};
        task.counts = buffers.template write<std::uint32_t>();
        task.cells = buffers.template read<std::uint32_t>();
        task.n_cells = buffers.size();
        task.codes = buffers.template read<DeepCode>();
        task.n = buffers.size();
        return task;
    }

    template <class Isa>
    static void cpu(const ChunkPartsTask& task);
    static void cuda(const ChunkPartsTask& task);

    /// Returns the count that a point belongs to; null if it is in none of the cells.
    [[nodiscard]] STARFMM_HOST_DEVICE std::uint32_t* count_of(std::size_t i) const {
        const DeepCode part = codes[i] >> bits_below<D>(cell_part_level<D>);
        const auto cell = static_cast<std::uint32_t>(part / n_cell_parts<D>);
        std::size_t first = 0;
        for (std::size_t last = n_cells; last - first > 1;) {
            const std::size_t middle = (first + last) / 2;
            (cell < cells[middle] ? last : first) = middle;
        }
        return cell == cells[first] ? counts + first * n_cell_parts<D> + part % n_cell_parts<D>
                                    : nullptr;
    }
};

#ifndef __CUDACC__
template <int D>
template <class Isa>
void ChunkCellsTask<D>::cpu(const ChunkCellsTask& task) {
    find_places(*task.domain, task.x, 0, task.n, task.codes);
    count_cells<D>(task.codes, task.n, task.begin);
}

template <int D>
template <class Isa>
void ChunkPartsTask<D>::cpu(const ChunkPartsTask& task) {
    std::fill_n(task.counts, task.n_cells * n_cell_parts<D>, 0U);
    for (std::size_t i = 0; i < task.n; ++i) {
        if (std::uint32_t* count = task.count_of(i); count != nullptr) {
            ++*count;
        }
    }
}
#endif

} // namespace starfmm

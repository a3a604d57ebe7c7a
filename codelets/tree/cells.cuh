// SPDX-License-Identifier: BSD-3-Clause
// CUDA side of cells: a stable radix sort by the bits of places that name cells.
#pragma once

#include "codelets/cuda/cuda_check.cuh"
#include "codelets/cuda/device_room.cuh"
#include "codelets/tree/cells.hpp"
#include "codelets/tree/grow.hpp"

#include <cub/device/device_radix_sort.cuh>

#include <algorithm>

namespace starfmm {

inline constexpr int cells_threads = 256;

/// Codes and indices in the scratch, in user order or cell by cell.
struct PlacedPoints {
    DeepCode* codes;
    std::uint32_t* indices;
};

template <int D>
__global__ void __launch_bounds__(cells_threads)
    cells_places_kernel(const __grid_constant__ CellsTask<D> task, PlacedPoints users) {
    const std::size_t i = thread_index();
    if (i < task.n) {
        users.codes[i] = task.code_of(i);
        users.indices[i] = task.index_of(i);
    }
}

/// Packs the points, and looks for where cells begin.
template <int D>
__global__ void __launch_bounds__(cells_threads)
    cells_kernel(const __grid_constant__ CellsTask<D> task, PlacedPoints sorted) {
    const std::size_t i = thread_index();
    if (i < task.n) {
        task.set_point(i, {sorted.codes[i], sorted.indices[i]});
    }
    if (i <= n_cells<D>) {
        const CurveCodes codes{sorted.codes, static_cast<std::uint32_t>(task.n)};
        task.begin[i] = codes.lower_bound(0, codes.n, DeepCode(i) << bits_below<D>(cell_level<D>));
    }
}

template <int D>
void cells_cuda(const CellsTask<D>& task) {
    auto* codes = reinterpret_cast<DeepCode*>(task.scratch);
    const PlacedPoints users{codes, reinterpret_cast<std::uint32_t*>(codes + 2 * task.n)};
    const PlacedPoints sorted{codes + task.n, users.indices + task.n};
    // CUB takes memory from an aligned place on
    std::byte* rest = task.scratch + (24 * task.n + 255) / 256 * 256;
    const DeviceRoom room{
        rest, cells_scratch_bytes(task.n) - static_cast<std::size_t>(rest - task.scratch)};
    const unsigned blocks = n_blocks(task.n, cells_threads);
    cells_places_kernel<<<blocks, cells_threads, 0, cuda_stream()>>>(task, users);
    check_cuda(cudaGetLastError(), "launch of cells_places_kernel");
    room.run("radix sort of cells", [&](void* data, std::size_t& bytes) {
        return cub::DeviceRadixSort::SortPairs(
            data,
            bytes,
            users.codes,
            sorted.codes,
            users.indices,
            sorted.indices,
            task.n,
            bits_below<D>(cell_level<D>),
            D * deepest_level<D>,
            cuda_stream()
        );
    });
    const unsigned cell_blocks = n_blocks(std::max(task.n, n_cells<D> + 1), cells_threads);
    cells_kernel<<<cell_blocks, cells_threads, 0, cuda_stream()>>>(task, sorted);
    check_cuda(cudaGetLastError(), "launch of cells_kernel");
}

} // namespace starfmm

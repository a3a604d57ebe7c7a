// SPDX-License-Identifier: BSD-3-Clause
// The CUDA side of cells: a stable radix sort by the bits of places that name cells.
#pragma once

#include "codelets/cuda/device_room.cuh"
#include "codelets/cuda/index_kernel.cuh"
#include "codelets/tree/cells.hpp"
#include "codelets/tree/grow.hpp"

#include <cub/device/device_radix_sort.cuh>

#include <algorithm>

namespace starfmm {

/// The codes and indices in the scratch, in user order or cell by cell.
struct PlacedPoints {
    DeepCode* codes;
    std::uint32_t* indices;
};

template <int D>
__device__ void find_place(const CellsTask<D>& task, const PlacedPoints& users, std::size_t i) {
    users.codes[i] = task.code_of(i);
    users.indices[i] = task.index_of(i);
}

/// Packs a point, and looks for where a cell begins.
template <int D>
__device__ void set_cells(const CellsTask<D>& task, const PlacedPoints& sorted, std::size_t i) {
    if (i < task.n) {
        task.points[i] = {sorted.codes[i], sorted.indices[i]};
    }
    if (i <= n_cells<D>) {
        const CurveCodes codes{sorted.codes, static_cast<std::uint32_t>(task.n)};
        task.begin[i] = codes.lower_bound(0, codes.n, DeepCode(i) << bits_below<D>(cell_level<D>));
    }
}

/// Sorts as CUB does: without `data` it says how many bytes it needs.
template <int D>
cudaError_t sort_by_cells(
    void* data,
    std::size_t& bytes,
    const PlacedPoints& users,
    const PlacedPoints& sorted,
    std::size_t n
) {
    return cub::DeviceRadixSort::SortPairs(
        data,
        bytes,
        users.codes,
        sorted.codes,
        users.indices,
        sorted.indices,
        n,
        bits_below<D>(cell_level<D>),
        D * deepest_level<D>,
        cuda_stream()
    );
}

/// Returns the bytes of scratch that codes and indices take: CUB takes memory from an aligned place
/// on.
constexpr std::size_t placed_points_bytes(std::size_t n) {
    return (2 * (sizeof(DeepCode) + sizeof(std::uint32_t)) * n + 255) / 256 * 256;
}

template <int D>
void CellsTask<D>::cuda(const CellsTask& task) {
    auto* codes = reinterpret_cast<DeepCode*>(task.scratch);
    const PlacedPoints users{codes, reinterpret_cast<std::uint32_t*>(codes + 2 * task.n)};
    const PlacedPoints sorted{codes + task.n, users.indices + task.n};
    const std::size_t used = placed_points_bytes(task.n);
    const DeviceRoom room{task.scratch + used, cells_scratch_bytes(task.n) - used};
    launch_for_each<find_place<D>>(task.n, task, users);
    room.run("radix sort of cells", [&](void* data, std::size_t& bytes) {
        return sort_by_cells<D>(data, bytes, users, sorted, task.n);
    });
    launch_for_each<set_cells<D>>(std::max(task.n, n_cells<D> + 1), task, sorted);
}

} // namespace starfmm

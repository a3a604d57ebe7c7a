// SPDX-License-Identifier: BSD-3-Clause
// The constants of shifts between cubes, in a device's memory.
#pragma once

#include "codelets/cuda/kept_on_devices.cuh"
#include "core/expansions/cube_shifts.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace starfmm {

/// CubePieces in a device's memory.
struct DeviceCubePieces {
    const CubePair* pairs;
    const std::uint32_t* begin;
};

/// The constants of one order.
struct CubeTables {
    DeviceCubePieces m2m;
    DeviceCubePieces l2l;
};

namespace detail {

template <class T>
const T* copy_of_constants(const std::vector<T>& values) {
    const std::size_t bytes = values.size() * sizeof(T);
    void* data = nullptr;
    check_cuda(cudaMalloc(&data, bytes), "cudaMalloc of constants");
    check_cuda(
        cudaMemcpyAsync(data, values.data(), bytes, cudaMemcpyHostToDevice, cuda_stream()),
        "copy of constants"
    );
    // another worker's stream may be the next to read them
    check_cuda(cudaStreamSynchronize(cuda_stream()), "cudaStreamSynchronize");
    return static_cast<const T*>(data);
}

inline DeviceCubePieces copy_of_constants(const CubePieces& pieces) {
    return {copy_of_constants(pieces.pairs), copy_of_constants(pieces.begin)};
}

} // namespace detail

/// Returns the constants in the current device's memory, made by the first call for an order, and
/// kept. They take O(order^4) bytes: 1 MB for order 17, 23 MB for order 40.
inline CubeTables cube_tables(int order) {
    static KeptOnDevices<int, CubeTables> kept;
    return kept.of(order, [order] {
        const std::vector<double> matrix = cube_shift_matrix(order);
        return CubeTables{
            detail::copy_of_constants(cube_m2m_pieces(order, matrix)),
            detail::copy_of_constants(cube_l2l_pieces(order, matrix))};
    });
}

} // namespace starfmm

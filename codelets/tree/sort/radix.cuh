// SPDX-License-Identifier: BSD-3-Clause
// The CUDA side of rank and curve: a radix sort, as fast for keys of any distribution.
#pragma once

#include "codelets/cuda/device_room.cuh"
#include "codelets/tree/sort/rank_keys.cuh"

#include <cub/device/device_radix_sort.cuh>

#include <cstddef>
#include <cstdint>

namespace starfmm {

/// Copies sorted numbers from where CUB left them, if that is not where they are to be.
template <class T>
void bring_home(T* home, cub::DoubleBuffer<T>& numbers, std::size_t n) {
    if (numbers.Current() != home) {
        check_cuda(
            cudaMemcpyAsync(
                home, numbers.Current(), n * sizeof(T), cudaMemcpyDeviceToDevice, cuda_stream()
            ),
            "cudaMemcpyAsync"
        );
    }
}

/// Sorts `n` pairs by their bits; equal ones keep their order.
/// \param scratch [rank_scratch_bytes(n)]
inline void radix_sort(RankBits* bits, std::uint32_t* indices, std::size_t n, std::byte* scratch) {
    auto* other_bits = reinterpret_cast<RankBits*>(scratch);
    auto* other_indices = reinterpret_cast<std::uint32_t*>(other_bits + n);
    auto* rest = reinterpret_cast<std::byte*>(other_indices + n);
    const DeviceRoom room{rest, rank_scratch_bytes(n) - static_cast<std::size_t>(rest - scratch)};
    cub::DoubleBuffer<RankBits> all_bits(bits, other_bits);
    cub::DoubleBuffer<std::uint32_t> all_indices(indices, other_indices);
    room.run("radix sort", [&](void* data, std::size_t& bytes) {
        constexpr int n_bits = 64;
        return cub::DeviceRadixSort::SortPairs(
            data,
            bytes,
            all_bits,
            all_indices,
            static_cast<std::uint32_t>(n),
            0,
            n_bits,
            cuda_stream()
        );
    });
    bring_home(bits, all_bits, n);
    bring_home(indices, all_indices, n);
}

} // namespace starfmm

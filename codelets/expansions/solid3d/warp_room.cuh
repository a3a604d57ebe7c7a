// SPDX-License-Identifier: BSD-3-Clause
// Shared memory of warps that translate solid harmonics, and the number of warps that a block has.
#pragma once

#include "codelets/cuda/cooperative.cuh"
#include "codelets/expansions/solid3d/axial_columns.cuh"

#include <algorithm>

namespace starfmm {

/// The most threads of a block: a multiprocessor has eight warps of 255 registers a lane.
inline constexpr int most_solid_threads = 256;
inline constexpr std::size_t most_solid_warps = most_solid_threads / warp_lanes;

/// Calls visit(k) for k < n, one k a lane.
template <class Visit>
__device__ void visit_lanes(int n, const Visit& visit) {
    for (int k = static_cast<int>(threadIdx.x % warp_lanes); k < n; k += warp_lanes) {
        visit(k);
    }
}

/// Calls visit(k, n, m) for harmonics of degrees n < order, counted by m, then by n, one k a lane.
template <class Visit>
__device__ void visit_lane_harmonics(int order, const Visit& visit) {
    int m = 0;
    int first = 0; // harmonic of that m
    visit_lanes(order * (order + 1) / 2, [&](int k) {
        while (k >= first + order - m) {
            first += order - m;
            ++m;
        }
        visit(k, m + k - first, m);
    });
}

/// Calls visit(row) for rows < n, one a warp at a time, neighbours side by side.
template <class Visit>
__device__ void visit_warp_rows(std::size_t n, const Visit& visit) {
    const std::size_t warps = blockDim.x / warp_lanes;
    for (std::size_t row = blockIdx.x * warps + threadIdx.x / warp_lanes; row < n;
         row += gridDim.x * warps) {
        visit(row);
    }
}

/// Returns the warp's part of a block's shared memory, of `bytes` a warp.
__device__ inline void* warp_shared(std::size_t bytes) {
    extern __shared__ __align__(16) unsigned char shared_bytes[];
    return shared_bytes + threadIdx.x / warp_lanes * bytes;
}

/// The warp's part of a block's shared memory: a row of coefficients, an object, columns.
/// \tparam Room  any type without constructors
template <class Room, bool has_columns>
class WarpRoom {
public:
    /// Returns the bytes that each warp needs.
    STARFMM_HOST_DEVICE static std::size_t bytes(int order) {
        return row_bytes(order) + room_bytes() +
               (has_columns ? LaneColumns<warp_lanes>::size(order) * warp_lanes * sizeof(double) : 0
               );
    }

    __device__ explicit WarpRoom(int order) : order_(order) {
        begin_ = static_cast<unsigned char*>(warp_shared(bytes(order)));
    }

    /// Returns the row of coefficients, [p^2].
    [[nodiscard]] __device__ double* row() const { return reinterpret_cast<double*>(begin_); }

    [[nodiscard]] __device__ Room& room() const {
        return *reinterpret_cast<Room*>(begin_ + row_bytes(order_));
    }

    /// Returns the lane's columns.
    [[nodiscard]] __device__ double* columns() const {
        return reinterpret_cast<double*>(begin_ + row_bytes(order_) + room_bytes()) +
               threadIdx.x % warp_lanes;
    }

private:
    STARFMM_HOST_DEVICE static std::size_t aligned(std::size_t n) { return (n + 15) / 16 * 16; }

    STARFMM_HOST_DEVICE static std::size_t row_bytes(int order) {
        return aligned(order * order * sizeof(double));
    }

    STARFMM_HOST_DEVICE static std::size_t room_bytes() { return aligned(sizeof(Room)); }

    unsigned char* begin_;
    int order_;
};

/// Columns in shared memory, or where that is too small, in the lane's own.
template <bool in_shared>
class OwnColumns {
public:
    using Columns = LaneColumns<in_shared ? warp_lanes : 1>;

    template <class Memory>
    __device__ Columns of(const Memory& memory, int order) {
        if constexpr (in_shared) {
            return {memory.columns(), order};
        } else {
            return {entries_, order};
        }
    }

private:
    double entries_[in_shared ? 1 : Columns::size(max_degrees)];
};

/// Calls launch(rounds, in_shared), as types: the least compiled number of rounds that covers an
/// order, and whether columns fit into shared memory.
/// \tparam RoomOf WarpRoom of (rounds, in_shared)
template <template <int, bool> class RoomOf, class Launch>
void with_solid_rounds(int order, const Launch& launch) {
    with_lowest<1, 2, 3, max_rounds>(rounds_of(order - 1), [&](auto rounds) {
        if constexpr (rounds() > 2) {
            if (RoomOf<rounds(), true>::bytes(order) > block_shared_bytes()) {
                return launch(rounds, std::false_type{});
            }
        }
        launch(rounds, std::true_type{});
    });
}

/// Returns the number of a block's warps that shared memory allows, of `most`.
inline unsigned solid_warps(std::size_t warp_bytes, std::size_t most = most_solid_warps) {
    return static_cast<unsigned>(std::clamp(block_shared_bytes() / warp_bytes, std::size_t(1), most)
    );
}

/// Launches a kernel whose warps take rows in any number of blocks.
template <class... Args, class... T>
void launch_solid_rows(
    void (*kernel)(Args...),
    std::size_t warp_bytes,
    std::size_t n_rows,
    std::size_t most_warps,
    const T&... args
) {
    const unsigned warps = solid_warps(warp_bytes, most_warps);
    const int threads = static_cast<int>(warps) * warp_lanes;
    allow_shared_bytes(kernel, warps * warp_bytes);
    const unsigned resident = resident_blocks(kernel, threads, warps * warp_bytes);
    const unsigned blocks = std::min(resident, n_blocks(n_rows, 1));
    kernel<<<blocks, threads, warps * warp_bytes, cuda_stream()>>>(args...);
}

} // namespace starfmm

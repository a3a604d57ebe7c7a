// SPDX-License-Identifier: BSD-3-Clause
// The base of every CUDA body: checked calls, the worker's stream, launch sizes, and groups of
// lanes that share a box.
#pragma once

#include "codelets/cuda/device_query.cuh"
#include "codelets/task/side_stream.hpp"
#include "core/complex.hpp"
#include "core/expansions/columns.hpp"
#include "core/expansions/pascal.hpp"
#include "core/expansions/truncation.hpp"
#include "core/expansions/values.hpp"
#include "core/tree/pyramid.hpp"

#include <cuda_runtime.h>
#include <starpu.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace starfmm {

/// Returns the stream that the worker uses for the body; outside any worker the default one.
inline cudaStream_t cuda_stream() {
    if (void* stream = stream_in_use()) {
        return static_cast<cudaStream_t>(stream);
    }
    return starpu_worker_get_id() < 0 ? nullptr : starpu_cuda_get_local_stream();
}

/// Returns the number of blocks that cover `n` items; at least one, since an empty grid is an
/// error.
inline unsigned n_blocks(std::size_t n, std::size_t items_per_block) {
    return n == 0 ? 1U : static_cast<unsigned>((n + items_per_block - 1) / items_per_block);
}

inline constexpr int warp_lanes = 32;

__device__ inline std::size_t thread_index() {
    return std::size_t(blockIdx.x) * blockDim.x + threadIdx.x;
}

/// Returns the value of another lane. Every lane of the warp takes part in an exchange, idle ones
/// too.
template <class Real>
__device__ Real other_lane(Real value, int offset) {
    return __shfl_xor_sync(0xffffffffU, value, offset);
}

template <class Real>
__device__ Complex<Real> other_lane(const Complex<Real>& value, int offset) {
    return {other_lane(value.re, offset), other_lane(value.im, offset)};
}

template <class Real>
__device__ Vector3<Real> other_lane(const Vector3<Real>& value, int offset) {
    return {other_lane(value.x, offset), other_lane(value.y, offset), other_lane(value.z, offset)};
}

template <class Real, int D>
__device__ WithGradient<Real, D> other_lane(const WithGradient<Real, D>& value, int offset) {
    return {other_lane(value.potential, offset), other_lane(value.gradient, offset)};
}

template <class T>
__device__ ColumnsOf<T> other_lane(const ColumnsOf<T>& value, int offset) {
    ColumnsOf<T> other;
#pragma unroll
    for (int c = 0; c < max_columns; ++c) {
        other.of[c] = other_lane(value.of[c], offset);
    }
    return other;
}

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
/// Returns the greatest of the warp's values, in all lanes.
__device__ inline std::uint32_t greatest_of_warp(std::uint32_t value) {
    for (int offset = warp_lanes / 2; offset > 0; offset /= 2) {
        value = max(value, other_lane(value, offset));
    }
    return value;
}
#else
/// Returns the greatest of the warp's values, in all lanes.
__device__ inline std::uint32_t greatest_of_warp(std::uint32_t value) {
    return __reduce_max_sync(0xffffffffU, value);
}
#endif

template <class T>
__device__ T from_lane(T value, int lane) {
    return __shfl_sync(0xffffffffU, value, lane);
}

template <class Real>
__device__ Complex<Real> from_lane(const Complex<Real>& value, int lane) {
    return {from_lane(value.re, lane), from_lane(value.im, lane)};
}

template <class Real>
__device__ Vector3<Real> from_lane(const Vector3<Real>& value, int lane) {
    return {from_lane(value.x, lane), from_lane(value.y, lane), from_lane(value.z, lane)};
}

template <class Real, int D>
__device__ WithGradient<Real, D> from_lane(const WithGradient<Real, D>& value, int lane) {
    return {from_lane(value.potential, lane), from_lane(value.gradient, lane)};
}

template <class T>
__device__ T* from_lane(T* pointer, int lane) {
    return reinterpret_cast<T*>(from_lane(reinterpret_cast<unsigned long long>(pointer), lane));
}

/// Returns the sum over each group of `width` lanes, in all of them.
template <int width, class T>
__device__ T sum_lanes(T value) {
    for (int offset = width / 2; offset > 0; offset /= 2) {
        value += other_lane(value, offset);
    }
    return value;
}

/// Adds the lanes' `value` to `total`.
__device__ inline void add_lanes(std::uint64_t& total, unsigned long long value) {
    const unsigned long long sum = sum_lanes<warp_lanes>(value);
    if (threadIdx.x % warp_lanes == 0 && sum > 0) {
        atomicAdd(reinterpret_cast<unsigned long long*>(&total), sum);
    }
}

/// The rows that a block, and a warp of it, takes of `n_rows`.
struct RowRange {
    std::size_t begin;
    std::size_t warp_begin;
    std::size_t warp_end;

    __device__ explicit RowRange(std::size_t n_rows) {
        const std::size_t n_warps = blockDim.x / warp_lanes;
        const std::size_t warp = threadIdx.x / warp_lanes;
        begin = n_rows * blockIdx.x / gridDim.x;
        const std::size_t n = n_rows * (blockIdx.x + 1) / gridDim.x - begin;
        warp_begin = begin + n * warp / n_warps;
        warp_end = begin + n * (warp + 1) / n_warps;
    }
};

/// Returns the level of a box given by its place in arrays over a subtree's boxes, by offset(level)
/// = (2^(D (level - first)) - 1) / (2^D - 1).
template <int D>
__device__ int level_of(const Pyramid<D>& tree, std::size_t box) {
    return tree.first + (63 - __clzll(static_cast<long long>((n_children<D> - 1) * box + 1))) / D;
}

/// The order of a kernel as a type: bodies compiled for a given order keep coefficients in
/// registers. 0 stands for any order, with coefficients in local memory.
template <int P>
using Order = std::integral_constant<int, P>;

/// Calls `launch` with the first of the orders `P, rest...` that covers `order`, or the last.
template <int P, int... rest, class Launch>
void with_lowest(int order, const Launch& launch) {
    if constexpr (sizeof...(rest) > 0) {
        if (order > P) {
            return with_lowest<rest...>(order, launch);
        }
    }
    launch(Order<P>{});
}

/// Calls `launch` with the lowest compiled order that covers `order`. Rounding up needs a kernel of
/// which a prefix of the coefficients is an expansion of lower order. Beyond 24 two expansions
/// exceed a thread's 255 registers.
template <class K, class Launch>
void with_order(int order, const Launch& launch) {
    if constexpr (truncates_by_distance<K>()) {
        if (order <= 24 && K::n_coefficients(order) == order + 1) {
            return with_lowest<8, 12, 16, 20, 24>(order, launch);
        }
    }
    launch(Order<0>{});
}

/// Does what with_order() does for bodies that hold one expansion a thread: in double precision 64
/// terms spill some 30 of its registers, 56 spill none.
template <class K, class Launch>
void with_order_of_one(int order, const Launch& launch) {
    if constexpr (truncates_by_distance<K>()) {
        if (K::n_coefficients(order) == order + 1) {
            return with_lowest<8, 16, 24, 32, 48, max_order>(order, launch);
        }
    }
    launch(Order<0>{});
}

/// The coefficients of one box in one thread.
template <class K, int P>
using Coefficients = CoefficientOf<K, typename K::Real>[P > 0 ? P + 1 : most_coefficients<K>];

template <int P>
__device__ constexpr int compiled_order(int order) {
    return P > 0 ? P : order;
}

/// Loads a coefficient. Complex ones come in aligned pairs of reals, which one load fetches.
__device__ inline Complex<double> load_coefficient(const Complex<double>* c) {
    const double2 pair = *reinterpret_cast<const double2*>(c);
    return {pair.x, pair.y};
}

__device__ inline Complex<float> load_coefficient(const Complex<float>* c) {
    const float2 pair = *reinterpret_cast<const float2*>(c);
    return {pair.x, pair.y};
}

template <class Real>
__device__ Real load_coefficient(const Real* c) {
    return *c;
}

/// Loads the `n` coefficients of a row, and zeros up to the compiled order.
template <int P, class C, int room>
__device__ void load_row(const C* row, int n, C (&out)[room]) {
    if constexpr (P > 0) {
#pragma unroll
        for (int k = 0; k <= P; ++k) {
            out[k] = k < n ? load_coefficient(row + k) : C{};
        }
    } else {
        for (int k = 0; k < n; ++k) {
            out[k] = load_coefficient(row + k);
        }
    }
}

template <int P, class C, int room>
__device__ void clear_row(C (&row)[room], int n) {
    if constexpr (P > 0) {
#pragma unroll
        for (int k = 0; k <= P; ++k) {
            row[k] = C{};
        }
    } else {
        for (int k = 0; k < n; ++k) {
            row[k] = C{};
        }
    }
}

template <int P, class C, int room>
__device__ void store_row(const C (&row)[room], int n, C* out) {
    if constexpr (P > 0) {
#pragma unroll
        for (int k = 0; k <= P; ++k) {
            if (k < n) {
                out[k] = row[k];
            }
        }
    } else {
        for (int k = 0; k < n; ++k) {
            out[k] = row[k];
        }
    }
}

/// The part of a row that a lane holds after `scatter_sums`.
struct RowPart {
    int first;
    int size; ///< may be negative, which means nothing
};

/// Returns one of two coefficients by value: a choice between references would be one between
/// addresses, and move the row out of registers.
template <class Real>
__device__ Complex<Real> choose(bool first, Complex<Real> a, Complex<Real> b) {
    return {first ? a.re : b.re, first ? a.im : b.im};
}

template <class Real>
__device__ Real choose(bool first, Real a, Real b) {
    return first ? a : b;
}

/// Sums the first `count` elements over lanes that differ in the bits `offset` to `last_offset` of
/// their number, where each lane keeps a part: halves are exchanged instead of whole rows.
template <int size, int offset, int last_offset, int capacity, class C>
__device__ RowPart scatter_sums(C (&row)[capacity], int count) {
    if constexpr (offset < last_offset) {
        return {0, count};
    } else {
        constexpr int half = (size + 1) / 2;
        const bool upper = (threadIdx.x & offset) != 0;
#pragma unroll
        for (int i = 0; i < half; ++i) {
            const C high = i + half < size ? row[i + half] : C{};
            const C send = choose(upper, row[i], high);
            row[i] = choose(upper, high, row[i]) + other_lane(send, offset);
        }
        const int rest = upper ? count - half : count < half ? count : half;
        const RowPart part = scatter_sums<half, offset / 2, last_offset>(row, rest);
        return {part.first + (upper ? half : 0), part.size};
    }
}

/// Calls `put(k, sum of row[k] over the group)` for each k < n <= size, in one lane of each group
/// of `width`, and leaves `row` undefined.
template <int size, int width, class C, int room, class Put>
__device__ void reduce_registers(C (&row)[room], int n, const Put& put) {
    const RowPart part = scatter_sums<size, width / 2, 1>(row, n);
#pragma unroll
    for (int i = 0; i < (size + width - 1) / width; ++i) {
        if (i < part.size) {
            put(part.first + i, row[i]);
        }
    }
}

/// Does what reduce_registers() does for an order that the compiler need not know.
template <int P, int width, class C, int room, class Put>
__device__ void reduce_row(C (&row)[room], int n, const Put& put) {
    if constexpr (P > 0) {
        reduce_registers<P + 1, width>(row, n, put);
    } else {
        for (int k = 0; k < n; ++k) {
            const C sum = sum_lanes<width>(row[k]);
            if (static_cast<int>(threadIdx.x % width) == k % width) {
                put(k, sum);
            }
        }
    }
}

} // namespace starfmm

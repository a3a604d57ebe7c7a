// SPDX-License-Identifier: BSD-3-Clause
// Values of points in several arrays: a piece is what one chunk of the user's arrays has of one
// group, and a task sees the pieces of its chunk or group one after the other.
#pragma once

#include "codelets/task/task_views.hpp"

#include <cstddef>
#include <cstdint>

namespace starfmm {

#ifdef __CUDA_ARCH__
/// Returns a value that no thread changes, so that no write has to come before its read.
STARFMM_HOST_DEVICE inline double read_constant(const double* value) {
    return __ldg(value);
}
#else
/// Returns a value that nothing changes.
STARFMM_HOST_DEVICE inline double read_constant(const double* value) {
    return *value;
}
#endif

/// The pieces of a task, in the order of groups or of chunks.
struct Pieces {
    double* data[max_slots];
    std::uint64_t begin[max_slots + 1]; ///< places where pieces begin, counted over all of them
    std::uint32_t n;

    static Pieces of(void* buffers[], std::uint32_t n) {
        Pieces pieces{};
        pieces.n = n;
        for (std::uint32_t piece = 0; piece < pieces.n; ++piece) {
            pieces.data[piece] = buffer_data<double>(buffers[piece]);
            pieces.begin[piece + 1] = pieces.begin[piece] + buffer_size(buffers[piece]);
        }
        return pieces;
    }

    [[nodiscard]] std::uint64_t n_values() const { return begin[n]; }

    STARFMM_HOST_DEVICE std::uint64_t size(std::uint32_t piece) const {
        return begin[piece + 1] - begin[piece];
    }

    /// Returns the value at a place in the order of pieces.
    STARFMM_HOST_DEVICE double& at(std::uint64_t place) const {
        std::uint32_t first = 0;
        for (std::uint32_t last = n; last - first > 1;) {
            const std::uint32_t middle = (first + last) / 2;
            (place < begin[middle] ? last : first) = middle;
        }
        return data[first][place - begin[first]];
    }
};

} // namespace starfmm

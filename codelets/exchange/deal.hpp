// SPDX-License-Identifier: BSD-3-Clause
// Deal: the values of points between the user's arrays, chunk by chunk, and groups, where no worker
// holds all of them. A piece is what one chunk has of one group, in the user's order; a group's
// pieces, one after the other, are the order in which it knows its points. O(N).
//
//   deal_places   where in its pieces each point of a chunk is
//   deal          a chunk's values into its pieces
//   deal_join     a group's pieces into one array
//   deal_collect  a chunk's pieces into its values
#pragma once

#include "codelets/exchange/pieces.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace starfmm {

/// Bytes of scratch that `deal_places` needs on any worker: counts of each warp of a GPU, and CUB's
/// memory.
inline constexpr std::size_t deal_scratch_bytes = std::size_t(1) << 22U;

/// `deal_places`: points by group, those of one group in the user's order.
struct DealPlacesTask {
    std::uint32_t* places;      ///< W   [n], of each point in the order of pieces
    std::byte* scratch;         ///< scratch [deal_scratch_bytes]
    const std::uint8_t* labels; ///< R   [n], group
    std::size_t n;
    std::size_t n_groups;

    static DealPlacesTask unpack(void* buffers[], void* args) {
        return {
            buffer_data<std::uint32_t>(buffers[0]),
            buffer_data<std::byte>(buffers[1]),
            buffer_data<const std::uint8_t>(buffers[2]),
            buffer_size(buffers[0]),
            std::size_t(1) << (2 * static_cast<TaskArgs*>(args)->split_levels)};
    }
};

/// `deal` and `deal_collect`.
struct DealTask {
    double* values;              ///< R or W   [n], the chunk's part of a user's array
    const std::uint32_t* places; ///< R   [n]
    Pieces pieces;               ///< W or R
    std::size_t n;

    static DealTask unpack(void* buffers[], void* args) {
        return {
            buffer_data<double>(buffers[0]),
            buffer_data<const std::uint32_t>(buffers[1]),
            Pieces::of(buffers + 2, static_cast<TaskArgs*>(args)->n_slots),
            buffer_size(buffers[0])};
    }
};

/// `deal_join`.
struct JoinTask {
    double* values; ///< W   [n], of a group
    Pieces pieces;  ///< R

    static JoinTask unpack(void* buffers[], void* args) {
        return {
            buffer_data<double>(buffers[0]),
            Pieces::of(buffers + 1, static_cast<TaskArgs*>(args)->n_slots)};
    }
};

template <class Isa>
void deal_places_cpu(void* buffers[], void* args) {
    const auto task = DealPlacesTask::unpack(buffers, args);
    std::array<std::uint32_t, max_slots> end{};
    for (std::size_t i = 0; i < task.n; ++i) {
        ++end[task.labels[i]];
    }
    std::uint32_t sum = 0;
    for (std::size_t group = 0; group < task.n_groups; ++group) {
        sum += std::exchange(end[group], sum);
    }
    for (std::size_t i = 0; i < task.n; ++i) {
        task.places[i] = end[task.labels[i]]++;
    }
}

template <class Isa>
void deal_cpu(void* buffers[], void* args) {
    const auto task = DealTask::unpack(buffers, args);
    for (std::size_t i = 0; i < task.n; ++i) {
        task.pieces.at(task.places[i]) = task.values[i];
    }
}

template <class Isa>
void deal_collect_cpu(void* buffers[], void* args) {
    const auto task = DealTask::unpack(buffers, args);
    for (std::size_t i = 0; i < task.n; ++i) {
        task.values[i] = task.pieces.at(task.places[i]);
    }
}

template <class Isa>
void deal_join_cpu(void* buffers[], void* args) {
    const auto task = JoinTask::unpack(buffers, args);
    for (std::uint32_t piece = 0; piece < task.pieces.n; ++piece) {
        std::copy_n(
            task.pieces.data[piece], task.pieces.size(piece), task.values + task.pieces.begin[piece]
        );
    }
}

} // namespace starfmm

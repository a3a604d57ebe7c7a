// SPDX-License-Identifier: BSD-3-Clause
// Split: what its tasks read and write, the same for CPU and CUDA bodies.
#pragma once

#include "codelets/task/task_views.hpp"
#include "core/tree/median_search.hpp"
#include "core/tree/pyramid.hpp"

#include <cstddef>
#include <cstdint>

namespace starfmm {

/// Most nodes of a depth that is split above groups.
inline constexpr std::size_t most_split_nodes = max_slots / 2;

/// One chunk of the user's points, and the node of each.
struct ChunkPoints {
    std::uint8_t* labels; ///< [n], node of the depth
    const double* x[2];   ///< [n]
    std::size_t n;
    std::uint64_t first; ///< user index of the first

    static ChunkPoints of(void* labels, void* x, void* y, const TaskArgs& args) {
        return {
            buffer_data<std::uint8_t>(labels),
            {buffer_data<const double>(x), buffer_data<const double>(y)},
            buffer_size(x),
            args.chunk.first};
    }

    STARFMM_HOST_DEVICE OrderedKey key(std::size_t i, int direction) const {
        return to_key(x[direction][i]);
    }

    STARFMM_HOST_DEVICE std::uint32_t index(std::size_t i) const {
        return static_cast<std::uint32_t>(first + i);
    }

    STARFMM_HOST_DEVICE bool is_below(std::size_t i, const MedianSearch& search) const {
        return search.is_below(key(i, search.direction), index(i));
    }
};

/// `split_label`: points to the halves of their nodes; and `split_begin`: to the root.
struct SplitLabelTask {
    NodeExtent* extents;    ///< W   [n_halves()]
    MedianSearch* searches; ///< RW  [most_split_nodes]
    ChunkPoints points;     ///< RW  labels; R x, y
    void** candidates;      ///< R   of each chunk
    std::uint32_t n_chunks; ///< 0: nodes are not split, every point is below
    int depth;
    bool measures; ///< halves have bounds: at whole levels, those of the groups excepted

    static SplitLabelTask unpack(void* buffers[], void* args) {
        const auto& task_args = *static_cast<TaskArgs*>(args);
        const int depth = task_args.chunk.depth;
        return {
            buffer_data<NodeExtent>(buffers[0]),
            buffer_data<MedianSearch>(buffers[1]),
            ChunkPoints::of(buffers[2], buffers[3], buffers[4], task_args),
            buffers + 5,
            task_args.n_slots,
            depth,
            task_args.n_slots == 0 || (depth % 2 != 0 && depth + 1 < 2 * task_args.split_levels)};
    }

    [[nodiscard]] std::size_t n_halves() const {
        return n_chunks == 0 ? 1 : std::size_t(2) << depth;
    }
};

/// Most candidates that a chunk tells of a node, and one more for their number.
inline constexpr std::size_t candidate_list_size = 16384;

/// `split_tally`: a round of the searches of a depth; and `split_candidates`: what they leave.
/// \tparam Out std::uint32_t [2^depth][n_bins], or MedianCandidate [2^depth][candidate_list_size]:
/// the
///   first's index is the number of candidates
template <class Out>
struct SplitSearchTask {
    Out* out;               ///< W
    MedianSearch* searches; ///< RW  [most_split_nodes]
    ChunkPoints points;     ///< R
    void** before;          ///< R   of each chunk: extents in the first round, then tallies
    std::uint32_t n_chunks;
    int depth;
    int round;
    std::uint64_t n_total; ///< points of all chunks

    static SplitSearchTask unpack(void* buffers[], void* args) {
        const auto& task_args = *static_cast<TaskArgs*>(args);
        return {
            buffer_data<Out>(buffers[0]),
            buffer_data<MedianSearch>(buffers[1]),
            ChunkPoints::of(buffers[2], buffers[3], buffers[4], task_args),
            buffers + 5,
            task_args.n_slots,
            task_args.chunk.depth,
            task_args.chunk.round,
            task_args.n_sources};
    }

    [[nodiscard]] std::size_t n_nodes() const { return std::size_t(1) << depth; }
};

using SplitTallyTask = SplitSearchTask<std::uint32_t>;

using SplitCandidatesTask = SplitSearchTask<MedianCandidate>;

/// The arrays that chunks exchange, as a kernel gets them.
template <class T>
struct ChunkArrays {
    const T* data[max_slots];
    std::uint32_t n_chunks;

    static ChunkArrays of(void* const buffers[], std::uint32_t n_chunks) {
        ChunkArrays arrays{{}, n_chunks};
        for (std::uint32_t chunk = 0; chunk < n_chunks; ++chunk) {
            arrays.data[chunk] = buffer_data<const T>(buffers[chunk]);
        }
        return arrays;
    }
};

/// Candidates of all chunks in one bin of a node.
STARFMM_HOST_DEVICE inline std::uint32_t
bin_count(const ChunkArrays<std::uint32_t>& tallies, std::size_t node, std::uint32_t bin) {
    std::uint32_t n = 0;
    for (std::uint32_t chunk = 0; chunk < tallies.n_chunks; ++chunk) {
        n += tallies.data[chunk][node * MedianSearch::n_bins + bin];
    }
    return n;
}

/// Whether the chunks' lists hold all candidates of a node.
STARFMM_HOST_DEVICE inline bool
are_complete(const ChunkArrays<MedianCandidate>& lists, std::size_t node) {
    for (std::uint32_t chunk = 0; chunk < lists.n_chunks; ++chunk) {
        if (lists.data[chunk][node * candidate_list_size].index >= candidate_list_size) {
            return false;
        }
    }
    return true;
}

/// The search of a node that is about to be split. Bounds are those of the points at whole levels,
/// elsewhere what the plane above leaves of them, as in sort.
/// \param above searches of the depth above
STARFMM_HOST_DEVICE inline MedianSearch begin_search(
    std::uint64_t n_total,
    int depth,
    std::uint64_t node,
    const ChunkArrays<NodeExtent>& extents,
    const MedianSearch& above
) {
    Bounds<double> bounds;
    if (depth % 2 == 0) {
        NodeExtent extent;
        for (std::uint32_t chunk = 0; chunk < extents.n_chunks; ++chunk) {
            extent.add(extents.data[chunk][node]);
        }
        bounds = extent.bounds();
    } else {
        bounds = above.half(node % 2 != 0);
    }
    const std::uint64_t begin = node_begin(n_total, depth, node);
    return MedianSearch::begin(
        bounds,
        node_begin(n_total, depth, node + 1) - begin,
        node_begin(n_total, depth + 1, 2 * node + 1) - begin
    );
}

} // namespace starfmm

// SPDX-License-Identifier: BSD-3-Clause
// Split: the buffers of its tasks, the same for CPU and CUDA bodies.
#pragma once

#include "codelets/task/task_views.hpp"
#include "core/tree/median_search.hpp"
#include "core/tree/pyramid.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

namespace starfmm {

/// The most nodes of a depth that is split above groups.
inline constexpr std::size_t most_split_nodes = max_slots / 2;

/// One chunk of the user's points, and the node of each.
struct ChunkPoints {
    std::uint8_t* labels; ///< [n], node of the depth
    const double* x[2];   ///< [n]
    std::size_t n;
    std::uint64_t first; ///< user index of the first point

    /// Takes all buffers but the labels, which come before.
    template <class Buffers>
    static ChunkPoints of(Buffers& buffers) {
        ChunkPoints points{nullptr, {}, 0, buffers.args().chunk.first};
        for (const double*& x : points.x) {
            x = buffers.template read<double>();
        }
        points.n = buffers.size();
        return points;
    }

    STARFMM_HOST_DEVICE OrderedKey key(std::size_t i, int direction) const {
        return to_key(x[direction][i]);
    }

    STARFMM_HOST_DEVICE std::uint32_t index(std::size_t i) const {
        return static_cast<std::uint32_t>(first + i);
    }
};

/// The task of `split_begin`: points get the label of the root, whose searches are made.
struct SplitBeginTask {
    static constexpr std::string_view name = "split_begin";
    static constexpr Color color = Color::grey;
    NodeExtent* extents;    ///< W   [1]
    MedianSearch* searches; ///< W   [most_split_nodes]
    ChunkPoints points;     ///< W   labels; R x, y

    template <class Buffers>
    static SplitBeginTask of(Buffers& buffers) {
        SplitBeginTask task{};
        task.extents = buffers.template write<NodeExtent>();
        task.searches = buffers.template write<MedianSearch>();
        auto* labels = buffers.template write<std::uint8_t>();
        task.points = ChunkPoints::of(buffers);
        task.points.labels = labels;
        return task;
    }

    template <class Isa>
    static void cpu(const SplitBeginTask& task);
    static void cuda(const SplitBeginTask& task);
};

/// The most candidates that a chunk tells of a node, and one more for their number.
inline constexpr std::size_t candidate_list_size = 16384;

/// The common part of `split_tally`, `split_candidates` and `split_label`.
/// \tparam Out  type of what the task tells of a node
/// \tparam Label  const where the task leaves labels as they are
template <class Out, class Label>
struct SplitSearchTask {
    static constexpr Color color = Color::grey;
    Out* out;               ///< W, in split_label RW
    MedianSearch* searches; ///< RW  [most_split_nodes]
    ChunkPoints points;     ///< R   x, y; R or RW  labels
    void** before;          ///< R   results of each chunk
    std::uint32_t n_chunks;
    int depth;

    [[nodiscard]] STARFMM_HOST_DEVICE std::size_t n_nodes() const {
        return std::size_t(1) << depth;
    }

    [[nodiscard]] std::size_t n_halves() const { return 2 * n_nodes(); }

protected:
    /// Takes all buffers but `out`, which comes before.
    template <class Buffers>
    void take(Buffers& buffers) {
        searches = buffers.template update<MedianSearch>();
        std::uint8_t* labels = nullptr;
        if constexpr (std::is_const_v<Label>) {
            labels = const_cast<std::uint8_t*>(buffers.template read<std::uint8_t>());
        } else {
            labels = buffers.template update<std::uint8_t>();
        }
        points = ChunkPoints::of(buffers);
        points.labels = labels;
        before = buffers.read_rest();
        n_chunks = buffers.args().n_slots;
        depth = buffers.args().chunk.depth;
    }
};

/// Whether halves get bounds: they do at whole levels, those of the groups excepted.
inline bool measures_halves(const TaskArgs& args) {
    return args.chunk.depth % 2 == 1 && args.chunk.depth + 1 < 2 * args.split_levels;
}

/// The task of `split_tally`: a round of the searches of a depth, after the extents of all chunks
/// in the first round, then their tallies. Out: [2^depth][n_bins].
struct SplitTallyTask : SplitSearchTask<std::uint32_t, const std::uint8_t> {
    static constexpr std::string_view name = "split_tally";
    int round;
    /// Whether it skips rounds that lists do not need, as all chunks do on cores.
    bool skips_rounds;
    std::uint64_t n_total; ///< points of all chunks

    template <class Buffers>
    static SplitTallyTask of(Buffers& buffers) {
        SplitTallyTask task{};
        task.out = buffers.template write<std::uint32_t>();
        task.take(buffers);
        task.round = buffers.args().chunk.round;
        task.skips_rounds = buffers.args().takers == Takers::cores;
        task.n_total = buffers.args().n_sources;
        return task;
    }

    template <class Isa>
    static void cpu(const SplitTallyTask& task);
    static void cuda(const SplitTallyTask& task);
};

/// The task of `split_candidates`: points go to the halves of their nodes, after the tallies of all
/// chunks, but for those that searches leave, which are listed. Out:
/// [2^depth][candidate_list_size], whose first element's index is the number of candidates.
struct SplitCandidatesTask : SplitSearchTask<MedianCandidate, std::uint8_t> {
    static constexpr std::string_view name = "split_candidates";
    NodeExtent* extents; ///< W   [n_halves()]
    bool measures;

    template <class Buffers>
    static SplitCandidatesTask of(Buffers& buffers) {
        SplitCandidatesTask task{};
        task.out = buffers.template write<MedianCandidate>();
        task.extents = buffers.template write<NodeExtent>();
        task.take(buffers);
        task.measures = measures_halves(buffers.args());
        return task;
    }

    template <class Isa>
    static void cpu(const SplitCandidatesTask& task);
    static void cuda(const SplitCandidatesTask& task);
};

/// The task of `split_label`: it finds the medians by the lists of all chunks, and puts the chunk's
/// own candidates to the halves. Out: the extents of these.
struct SplitLabelTask : SplitSearchTask<NodeExtent, std::uint8_t> {
    static constexpr std::string_view name = "split_label";
    bool measures;

    template <class Buffers>
    static SplitLabelTask of(Buffers& buffers) {
        SplitLabelTask task{};
        task.out = buffers.template update<NodeExtent>();
        task.take(buffers);
        task.measures = measures_halves(buffers.args());
        return task;
    }

    template <class Isa>
    static void cpu(const SplitLabelTask& task);
    static void cuda(const SplitLabelTask& task);

    /// Returns the extent of one point.
    STARFMM_HOST_DEVICE NodeExtent extent(std::size_t i) const {
        NodeExtent extent;
        extent.count = 1;
        for (int d = 0; d < 2 && measures; ++d) {
            extent.min[d] = points.key(i, d);
            extent.max[d] = extent.min[d];
        }
        return extent;
    }

    /// Calls add(half, i) for a candidate of a node, if it is the chunk's, with its place there.
    template <class Add>
    STARFMM_HOST_DEVICE void
    place(std::size_t node, const MedianCandidate& candidate, const Add& add) const {
        const std::uint32_t i = candidate.index - points.index(0);
        if (i < points.n) {
            const bool is_below = searches[node].is_below(candidate.key, candidate.index);
            add(2 * node + (is_below ? 0 : 1), i);
        }
    }
};

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

/// Returns the candidates of all chunks in one bin of a node.
STARFMM_HOST_DEVICE inline std::uint32_t
bin_count(const ChunkArrays<std::uint32_t>& tallies, std::size_t node, std::uint32_t bin) {
    std::uint32_t n = 0;
    for (std::uint32_t chunk = 0; chunk < tallies.n_chunks; ++chunk) {
        n += tallies.data[chunk][node * MedianBins::n_bins + bin];
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

/// Returns the search of a node that is about to be split. Bounds are those of the points at whole
/// levels, elsewhere what the plane above leaves of them, as in sort. Where the search above is
/// undecided, all points go to the lower half: groups of the upper one are empty, which shows.
/// \param above  searches of the depth above
inline STARFMM_HOST_DEVICE MedianSearch begin_search(
    std::uint64_t n_total,
    int depth,
    std::uint64_t node,
    const ChunkArrays<NodeExtent>& extents,
    const MedianSearch& above
) {
    if (depth > 0 && !above.is_decided()) {
        return {};
    }
    Bounds<double, 2> bounds;
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

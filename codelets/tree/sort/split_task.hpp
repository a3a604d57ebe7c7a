// SPDX-License-Identifier: BSD-3-Clause
// Split: what its tasks read and write, the same for CPU and CUDA bodies.
#pragma once

#include "codelets/task/task_views.hpp"
#include "core/tree/median_search.hpp"
#include "core/tree/pyramid.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace starfmm {

/// Most nodes of a depth that is split above groups.
inline constexpr std::size_t most_split_nodes = max_slots / 2;

/// One chunk of the user's points, and the node of each.
template <int D>
struct ChunkPoints {
    std::uint8_t* labels; ///< [n], node of the depth
    const double* x[D];   ///< [n]
    std::size_t n;
    std::uint64_t first; ///< user index of the first

    /// All but the labels, which come before.
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

    STARFMM_HOST_DEVICE bool is_below(std::size_t i, const MedianSearch<D>& search) const {
        return search.is_below(key(i, search.direction), index(i));
    }
};

template <int D>
struct SplitLabelTask;
template <int D, class Isa>
void split_begin_cpu(const SplitLabelTask<D>& task);
template <int D>
void split_begin_cuda(const SplitLabelTask<D>& task);
template <int D, class Isa>
void split_label_cpu(const SplitLabelTask<D>& task);
template <int D>
void split_label_cuda(const SplitLabelTask<D>& task);

/// `split_label`: points to the halves of their nodes.
template <int D>
struct SplitLabelTask {
    static constexpr std::string_view name = "split_label";
    static constexpr Color color = Color::grey;
    NodeExtent<D>* extents;    ///< W   [n_halves()]
    MedianSearch<D>* searches; ///< RW  [most_split_nodes]
    ChunkPoints<D> points;     ///< RW  labels; R x, y, z
    void** candidates;         ///< R   of each chunk
    std::uint32_t n_chunks;    ///< 0: nodes are not split, every point is below
    int depth;
    bool measures; ///< halves have bounds: at whole levels, those of the groups excepted

    template <class Buffers>
    static SplitLabelTask of(Buffers& buffers) {
        const TaskArgs& args = buffers.args();
        SplitLabelTask task{};
        task.extents = buffers.template write<NodeExtent<D>>();
        task.searches = buffers.template update<MedianSearch<D>>();
        auto* labels = buffers.template update<std::uint8_t>();
        task.points = ChunkPoints<D>::of(buffers);
        task.points.labels = labels;
        task.candidates = buffers.read_rest();
        task.n_chunks = args.n_slots;
        task.depth = args.chunk.depth;
        task.measures = task.depth % D == D - 1 && task.depth + 1 < D * args.split_levels;
        return task;
    }

    template <class Isa>
    static void cpu(const SplitLabelTask& task) {
        split_label_cpu<D, Isa>(task);
    }

    static void cuda(const SplitLabelTask& task) { split_label_cuda<D>(task); }

    [[nodiscard]] std::size_t n_halves() const {
        return n_chunks == 0 ? 1 : std::size_t(2) << depth;
    }
};

/// `split_begin`: points to the root, whose searches and labels are made.
template <int D>
struct SplitBeginTask : SplitLabelTask<D> {
    static constexpr std::string_view name = "split_begin";

    template <class Buffers>
    static SplitBeginTask of(Buffers& buffers) {
        SplitBeginTask task{};
        task.extents = buffers.template write<NodeExtent<D>>();
        task.searches = buffers.template write<MedianSearch<D>>();
        auto* labels = buffers.template write<std::uint8_t>();
        task.points = ChunkPoints<D>::of(buffers);
        task.points.labels = labels;
        task.depth = buffers.args().chunk.depth;
        task.measures = true;
        return task;
    }

    template <class Isa>
    static void cpu(const SplitBeginTask& task) {
        split_begin_cpu<D, Isa>(task);
    }

    static void cuda(const SplitBeginTask& task) { split_begin_cuda<D>(task); }
};

/// Most candidates that a chunk tells of a node, and one more for their number.
inline constexpr std::size_t candidate_list_size = 16384;

/// What `split_tally` and `split_candidates` share.
/// \tparam Out what they tell of a node
template <int D, class Out>
struct SplitSearchTask {
    static constexpr Color color = Color::grey;
    Out* out;                  ///< W
    MedianSearch<D>* searches; ///< RW  [most_split_nodes]
    ChunkPoints<D> points;     ///< R
    void** before;             ///< R   of each chunk: extents in the first round, then tallies
    std::uint32_t n_chunks;
    int depth;
    int round;
    bool skips_rounds;     ///< that lists do not need, as all chunks do: on cores
    std::uint64_t n_total; ///< points of all chunks

    [[nodiscard]] std::size_t n_nodes() const { return std::size_t(1) << depth; }

protected:
    template <class Buffers>
    void take(Buffers& buffers) {
        const TaskArgs& args = buffers.args();
        out = buffers.template write<Out>();
        searches = buffers.template update<MedianSearch<D>>();
        const auto* labels = buffers.template read<std::uint8_t>();
        points = ChunkPoints<D>::of(buffers);
        points.labels = const_cast<std::uint8_t*>(labels);
        before = buffers.read_rest();
        n_chunks = args.n_slots;
        depth = args.chunk.depth;
        round = args.chunk.round;
        skips_rounds = args.takers == Takers::cores;
        n_total = args.n_sources;
    }
};

template <int D>
struct SplitTallyTask;
template <int D, class Isa>
void split_tally_cpu(const SplitTallyTask<D>& task);
template <int D>
void split_tally_cuda(const SplitTallyTask<D>& task);

/// `split_tally`: a round of the searches of a depth. Out: [2^depth][n_bins].
template <int D>
struct SplitTallyTask : SplitSearchTask<D, std::uint32_t> {
    static constexpr std::string_view name = "split_tally";

    template <class Buffers>
    static SplitTallyTask of(Buffers& buffers) {
        SplitTallyTask task{};
        task.take(buffers);
        return task;
    }

    template <class Isa>
    static void cpu(const SplitTallyTask& task) {
        split_tally_cpu<D, Isa>(task);
    }

    static void cuda(const SplitTallyTask& task) { split_tally_cuda<D>(task); }
};

template <int D>
struct SplitCandidatesTask;
template <int D, class Isa>
void split_candidates_cpu(const SplitCandidatesTask<D>& task);
template <int D>
void split_candidates_cuda(const SplitCandidatesTask<D>& task);

/// `split_candidates`: what the searches leave. Out: [2^depth][candidate_list_size], whose first
/// element's index is the number of candidates.
template <int D>
struct SplitCandidatesTask : SplitSearchTask<D, MedianCandidate> {
    static constexpr std::string_view name = "split_candidates";

    template <class Buffers>
    static SplitCandidatesTask of(Buffers& buffers) {
        SplitCandidatesTask task{};
        task.take(buffers);
        return task;
    }

    template <class Isa>
    static void cpu(const SplitCandidatesTask& task) {
        split_candidates_cpu<D, Isa>(task);
    }

    static void cuda(const SplitCandidatesTask& task) { split_candidates_cuda<D>(task); }
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

/// Candidates of all chunks in one bin of a node.
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

/// The search of a node that is about to be split. Bounds are those of the points at whole levels,
/// elsewhere what the plane above leaves of them, as in sort.
/// \param above searches of the depth above
template <int D>
STARFMM_HOST_DEVICE MedianSearch<D> begin_search(
    std::uint64_t n_total,
    int depth,
    std::uint64_t node,
    const ChunkArrays<NodeExtent<D>>& extents,
    const MedianSearch<D>& above
) {
    Bounds<double, D> bounds;
    if (depth % D == 0) {
        NodeExtent<D> extent;
        for (std::uint32_t chunk = 0; chunk < extents.n_chunks; ++chunk) {
            extent.add(extents.data[chunk][node]);
        }
        bounds = extent.bounds();
    } else {
        bounds = above.half(node % 2 != 0);
    }
    const std::uint64_t begin = node_begin(n_total, depth, node);
    return MedianSearch<D>::begin(
        bounds,
        node_begin(n_total, depth, node + 1) - begin,
        node_begin(n_total, depth + 1, 2 * node + 1) - begin
    );
}

} // namespace starfmm

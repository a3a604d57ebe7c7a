// SPDX-License-Identifier: BSD-3-Clause
// Sort: points into the order of the pyramid's leaves by successive median splits [GE12 Sec 3.2],
// in three codelets.
//
//   rank        per dimension: a sort of the coordinate gives every point its rank, unique because
//   ties go by index sort        all points, as pairs of ranks, split down to the groups sort_group
//   one group's pairs, split down to its leaves; then positions and permutation
//
// Splitting 8-byte pairs of ranks moves a third of the bytes of splitting points, and has no ties.
// The order is unique: a split separates by (coordinate, user index), a leaf holds its points by
// (x, user index). CPU and CUDA bodies therefore give the same bits however they get there. O(N
// log(number of leaves)).
#pragma once

#include "codelets/simd.hpp"
#include "codelets/task_views.hpp"
#include "core/geometry.hpp"
#include "core/pyramid.hpp"
#include "core/rank_sort.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace starfmm {

/// Ranks of a point among all points, by x and by y.
using RankPair = std::uint64_t;

STARFMM_HOST_DEVICE constexpr RankPair make_rank_pair(std::uint32_t x_rank, std::uint32_t y_rank) {
    return RankPair(y_rank) << 32 | x_rank;
}

template <int D>
STARFMM_HOST_DEVICE constexpr std::uint32_t rank_of(RankPair pair) {
    return static_cast<std::uint32_t>(pair >> (32 * D));
}

/// Bytes of scratch that `rank` needs a point, on any worker.
inline constexpr std::size_t rank_scratch_bytes = 32;

template <class Real>
struct RankTask {
    std::uint32_t* rank;  ///< W   [n], by user index
    Real* sorted;         ///< W   [n], coordinate by rank
    std::uint32_t* order; ///< W   [n], user index by rank
    std::byte* scratch;   ///< scratch [rank_scratch_bytes * n]
    const double* x;      ///< R   [n], user order
    std::size_t n;

    static RankTask unpack(void* buffers[], void* /*args*/) {
        return {
            buffer_data<std::uint32_t>(buffers[0]),
            buffer_data<Real>(buffers[1]),
            buffer_data<std::uint32_t>(buffers[2]),
            buffer_data<std::byte>(buffers[3]),
            buffer_data<const double>(buffers[4]),
            buffer_size(buffers[4])};
    }
};

template <class Real>
struct SortTask {
    TaskArgs args;
    SplitPlane<Real>* planes;     ///< W   [2^(2 split_levels) - 1]
    const std::uint32_t* rank[2]; ///< R   [n]
    const Real* sorted[2];        ///< R   [n]
    void** groups;                ///< W   rank pairs [n_g] of each group
    std::size_t n;
    std::size_t n_groups;

    static SortTask unpack(void* buffers[], void* args) {
        const auto& task_args = *static_cast<TaskArgs*>(args);
        return {
            task_args,
            buffer_data<SplitPlane<Real>>(buffers[0]),
            {buffer_data<const std::uint32_t>(buffers[1]),
             buffer_data<const std::uint32_t>(buffers[2])},
            {buffer_data<const Real>(buffers[3]), buffer_data<const Real>(buffers[4])},
            buffers + 5,
            buffer_size(buffers[1]),
            task_args.n_slots};
    }

    [[nodiscard]] RankPair* pairs(std::size_t group) const {
        return buffer_data<RankPair>(groups[group]);
    }
};

template <class Real>
struct SortGroupTask {
    TaskArgs args;
    PointView<Real> positions;  ///< W   [n]
    std::uint32_t* permutation; ///< W   [n], tree order to user order
    SplitPlane<Real>* planes;   ///< W   [leaves - 1]
    RankPair* pairs;            ///< RW  [n]
    const Real* sorted[2];      ///< R   [N]
    const std::uint32_t* order; ///< R   [N], user index by x rank
    std::size_t n;

    static SortGroupTask unpack(void* buffers[], void* args) {
        return {
            *static_cast<TaskArgs*>(args),
            PointView<Real>::of(buffers[0]),
            buffer_data<std::uint32_t>(buffers[1]),
            buffer_data<SplitPlane<Real>>(buffers[2]),
            buffer_data<RankPair>(buffers[3]),
            {buffer_data<const Real>(buffers[4]), buffer_data<const Real>(buffers[5])},
            buffer_data<const std::uint32_t>(buffers[6]),
            buffer_size(buffers[1])};
    }
};

template <class Real, class Isa>
void rank_cpu(void* buffers[], void* args) {
    using Record = RankRecord<Real, Isa>;
    static_assert(2 * sizeof(Record) <= rank_scratch_bytes);
    const auto task = RankTask<Real>::unpack(buffers, args);
    auto* records = reinterpret_cast<Record*>(task.scratch);
    for (std::size_t i = 0; i < task.n; ++i) {
        // Adding zero turns -0 into +0, so that equal values have equal bits.
        records[i] = {static_cast<Real>(task.x[i]) + Real(0), static_cast<std::uint32_t>(i)};
    }
    RankSorter<Real, Isa>::sort(records, records + task.n, task.n);
    for (std::size_t r = 0; r < task.n; ++r) {
        task.sorted[r] = records[r].value;
        task.order[r] = records[r].index;
        task.rank[records[r].index] = static_cast<std::uint32_t>(r);
    }
}

/// Splits a range of rank pairs level by level, in place.
template <class Real, class Isa>
class MedianSplitter {
public:
    /// \param n_total points of the whole problem, of which all offsets are functions
    /// \param first_depth binary splits above the range; `root` is its node at that depth
    struct Range {
        std::uint64_t n_total;
        int first_depth;
        std::uint64_t root;
        int depths; ///< binary splits to make
    };

    MedianSplitter(Range range, const Real* const* sorted, SplitPlane<Real>* planes)
        : range_(range), sorted_{sorted[0], sorted[1]}, planes_(planes) {}

    void split(RankPair* pairs) const { split_node(pairs, 0, 0, Bounds<Real>::nothing()); }

    /// Puts the points of each node at the last depth into the order of x rank.
    void order_leaves(RankPair* pairs) const {
        for (std::size_t node = 0; node < std::size_t(1) << range_.depths; ++node) {
            const auto [begin, end] = range(range_.depths, node);
            if (end - begin > 64) {
                std::sort(pairs + begin, pairs + end, [](RankPair a, RankPair b) {
                    return rank_of<0>(a) < rank_of<0>(b);
                });
            } else {
                insertion_sort<0>(pairs + begin, end - begin);
            }
        }
    }

private:
    std::pair<std::uint64_t, std::uint64_t> range(int depth, std::uint64_t node) const {
        const std::uint64_t global = (range_.root << depth) + node;
        const std::uint64_t base = node_begin(range_.n_total, range_.first_depth, range_.root);
        const int global_depth = range_.first_depth + depth;
        return {
            node_begin(range_.n_total, global_depth, global) - base,
            node_begin(range_.n_total, global_depth, global + 1) - base};
    }

    /// Even depths (whole levels) measure the points' bounds; odd ones inherit them, cut at the
    /// plane above.
    void split_node(RankPair* pairs, int depth, std::uint64_t node, Bounds<Real> bounds) const {
        if (depth == range_.depths) {
            return;
        }
        const auto [begin, end] = range(depth, node);
        const std::uint64_t middle = range(depth + 1, 2 * node).second;
        if ((range_.first_depth + depth) % 2 == 0) {
            bounds = measure(pairs + begin, end - begin);
        }
        const int d = split_direction(bounds);
        SplitPlane<Real>& plane = planes_[plane_index(depth, node)];
        plane = {bounds.max[d], static_cast<std::uint32_t>(d)};
        if (middle < end) {
            plane.value = d == 0 ? select_plane<0>(pairs + begin, end - begin, middle - begin)
                                 : select_plane<1>(pairs + begin, end - begin, middle - begin);
        }
        Bounds<Real> lower = bounds;
        lower.max[d] = plane.value;
        bounds.min[d] = plane.value;
        split_node(pairs, depth + 1, 2 * node, lower);
        split_node(pairs, depth + 1, 2 * node + 1, bounds);
    }

    Bounds<Real> measure(const RankPair* pairs, std::size_t n) const {
        if (n == 0) {
            return Bounds<Real>::nothing();
        }
        std::uint32_t low[2] = {~0U, ~0U};
        std::uint32_t high[2] = {0, 0};
        for (std::size_t i = 0; i < n; ++i) {
            low[0] = std::min(low[0], rank_of<0>(pairs[i]));
            high[0] = std::max(high[0], rank_of<0>(pairs[i]));
            low[1] = std::min(low[1], rank_of<1>(pairs[i]));
            high[1] = std::max(high[1], rank_of<1>(pairs[i]));
        }
        return {
            {sorted_[0][low[0]], sorted_[1][low[1]]}, {sorted_[0][high[0]], sorted_[1][high[1]]}};
    }

    template <int D>
    static void insertion_sort(RankPair* pairs, std::size_t n) {
        for (std::size_t i = 1; i < n; ++i) {
            const RankPair pair = pairs[i];
            std::size_t j = i;
            for (; j > 0 && rank_of<D>(pair) < rank_of<D>(pairs[j - 1]); --j) {
                pairs[j] = pairs[j - 1];
            }
            pairs[j] = pair;
        }
    }

    /// Lomuto's partition without branches: their misprediction would cost more than the extra
    /// stores.
    template <int D>
    static std::size_t partition(RankPair* pairs, std::size_t n, std::uint32_t pivot) {
        std::size_t lower = 0;
        for (std::size_t i = 0; i < n; ++i) {
            const RankPair pair = pairs[i];
            pairs[i] = pairs[lower];
            pairs[lower] = pair;
            lower += rank_of<D>(pair) < pivot;
        }
        return lower;
    }

    /// A pivot whose rank is a little beyond `k`, on the side of the longer part: then the first
    /// partition keeps about half of the range, the second next to nothing (Floyd and Rivest's
    /// idea).
    template <int D>
    static std::uint32_t choose_pivot(const RankPair* pairs, std::size_t n, std::size_t k) {
        constexpr std::size_t most = 63;
        const std::size_t n_samples = n < 64 ? 5 : n < 512 ? 9 : n < 8192 ? 23 : most;
        const std::size_t margin = n < 64 ? 0 : n < 512 ? 1 : n < 8192 ? 2 : 4;
        std::uint32_t sample[most];
        const std::size_t step = n / n_samples;
        for (std::size_t i = 0; i < n_samples; ++i) {
            sample[i] = rank_of<D>(pairs[i * step + step / 2]);
        }
        std::size_t rank = k * n_samples / n;
        rank = 2 * k <= n ? std::min(rank + margin, n_samples - 1) : rank - std::min(rank, margin);
        std::nth_element(sample, sample + rank, sample + n_samples);
        return sample[rank];
    }

    /// Quickselect: puts the k smallest first. Returns the coordinate of the next, 0 < k < n or k
    /// == 0 < n.
    template <int D>
    Real select_plane(RankPair* pairs, std::size_t n, std::size_t k) const {
        while (n > 10) {
            const std::uint32_t pivot = choose_pivot<D>(pairs, n, k);
            std::size_t lower = partition<D>(pairs, n, pivot);
            if (k < lower) {
                n = lower;
                continue;
            }
            if (lower == 0) {
                // The pivot is the smallest: take it out, or nothing would change.
                lower = 1;
                const auto is_pivot = [pivot](RankPair pair) { return rank_of<D>(pair) == pivot; };
                std::iter_swap(pairs, std::find_if(pairs, pairs + n, is_pivot));
                if (k == 0) {
                    return sorted_[D][pivot];
                }
            }
            pairs += lower;
            n -= lower;
            k -= lower;
        }
        insertion_sort<D>(pairs, n);
        return sorted_[D][rank_of<D>(pairs[k])];
    }

    Range range_;
    const Real* sorted_[2];
    SplitPlane<Real>* planes_;
};

template <class Real, class Isa>
void sort_cpu(void* buffers[], void* args) {
    const auto task = SortTask<Real>::unpack(buffers, args);
    const int level = task.args.split_levels;
    if (task.n_groups == 1) {
        for (std::size_t i = 0; i < task.n; ++i) {
            task.pairs(0)[i] = make_rank_pair(task.rank[0][i], task.rank[1][i]);
        }
        return;
    }
    std::vector<RankPair> pairs(task.n);
    for (std::size_t i = 0; i < task.n; ++i) {
        pairs[i] = make_rank_pair(task.rank[0][i], task.rank[1][i]);
    }
    MedianSplitter<Real, Isa>({task.n, 0, 0, 2 * level}, task.sorted, task.planes)
        .split(pairs.data());
    for (std::size_t g = 0; g < task.n_groups; ++g) {
        std::copy(
            pairs.begin() + point_begin<2>(task.n, level, g),
            pairs.begin() + point_begin<2>(task.n, level, g + 1),
            task.pairs(g)
        );
    }
}

template <class Real, class Isa>
void sort_group_cpu(void* buffers[], void* args) {
    const auto task = SortGroupTask<Real>::unpack(buffers, args);
    const Subtree<2>& tree = task.args.tree;
    const MedianSplitter<Real, Isa> splitter(
        {task.args.n_sources, 2 * tree.first, tree.root, 2 * (tree.last - tree.first)},
        task.sorted,
        task.planes
    );
    splitter.split(task.pairs);
    splitter.order_leaves(task.pairs);
    for (std::size_t i = 0; i < task.n; ++i) {
        const std::uint32_t x_rank = rank_of<0>(task.pairs[i]);
        task.positions.x[i] = task.sorted[0][x_rank];
        task.positions.y[i] = task.sorted[1][rank_of<1>(task.pairs[i])];
        task.permutation[i] = task.order[x_rank];
    }
}

} // namespace starfmm

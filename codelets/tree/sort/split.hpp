// SPDX-License-Identifier: BSD-3-Clause
// Split labels the user's points, chunk by chunk, with the groups that they belong to: it makes the
// splits above the groups, as sort makes them, where no worker holds all points. O(N) a depth.
//
//   split_begin       labels every point of a chunk with the root
//   split_tally       counts the chunk's candidates in one round of the median searches of a depth
//   split_candidates  labels points, after a few rounds, with the halves of their nodes, and lists
//                     the candidates that are left
//   split_label       finds the medians and labels the chunk's candidates
//
// Every chunk follows all searches: it is told the counts, then the candidates, of all chunks. A
// search with too many candidates to list stays undecided, which shows in the sizes of the groups:
// it takes more rounds. On cores, chunks skip rounds that lists do not need, by counting nothing,
// which leaves searches as they are.
#pragma once

#include "codelets/tree/sort/split_task.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace starfmm {

/// The candidates of a search by bins.
using BinCounts = std::array<std::uint32_t, MedianBins::n_bins>;

/// Keeps the bin that holds the median, if there is one.
/// \returns the number of candidates in it, or 0
template <class Isa>
std::uint32_t keep_bin(MedianSearch& search, const BinCounts& counts) {
    std::uint32_t n_before = 0;
    for (std::uint32_t bin = 0; bin < MedianBins::n_bins; ++bin) {
        if (search.is_in(n_before, counts[bin])) {
            search.keep(bin, n_before);
            return counts[bin];
        }
        n_before += counts[bin];
    }
    return 0;
}

/// Returns the counts of all chunks.
template <class Isa>
BinCounts add_tallies(const ChunkArrays<std::uint32_t>& tallies, std::size_t node) {
    BinCounts counts{};
    for (std::uint32_t chunk = 0; chunk < tallies.n_chunks; ++chunk) {
        const std::uint32_t* const tally = tallies.data[chunk] + node * MedianBins::n_bins;
        for (std::uint32_t bin = 0; bin < MedianBins::n_bins; ++bin) {
            counts[bin] += tally[bin];
        }
    }
    return counts;
}

/// Follows the searches.
/// \returns whether every search is left with few enough candidates that chunks can list them
template <class Isa>
bool follow_searches(
    MedianSearch* searches, std::size_t n_nodes, const ChunkArrays<std::uint32_t>& tallies
) {
    bool are_few = true;
    for (std::size_t node = 0; node < n_nodes; ++node) {
        if (!searches[node].is_decided()) {
            const auto n = keep_bin<Isa>(searches[node], add_tallies<Isa>(tallies, node));
            are_few = are_few && n > 0 && n < candidate_list_size;
        }
    }
    return are_few;
}

/// Decides a search by the candidates themselves, if they are all listed.
template <class Isa>
void finish_search(
    MedianSearch& search, std::size_t node, const ChunkArrays<MedianCandidate>& lists
) {
    bool goes_on = are_complete(lists, node);
    while (goes_on && !search.is_decided()) {
        BinCounts counts{};
        for (std::uint32_t chunk = 0; chunk < lists.n_chunks; ++chunk) {
            const MedianCandidate* list = lists.data[chunk] + node * candidate_list_size;
            for (std::uint32_t i = 1; i <= list->index; ++i) {
                const std::uint32_t bin = search.bin(list[i].key, list[i].index);
                if (bin != MedianBins::no_bin) {
                    ++counts[bin];
                }
            }
        }
        goes_on = keep_bin<Isa>(search, counts) > 0;
    }
}

/// A node's points, by the keys that its search has left.
struct Parting {
    const double* x;
    OrderedKey low; ///< points below go to the lower half
    /// Number of keys from there on for which the search tells; points above go to the upper half.
    OrderedKey n_open;

    template <class Isa>
    static Parting of(const MedianSearch& search, const ChunkPoints& points) {
        constexpr int all_bits = 64;
        const OrderedKey n =
            search.key_bits < all_bits ? OrderedKey(1) << search.key_bits : ~OrderedKey(0);
        return {points.x[search.direction], search.low, n};
    }
};

/// Adds a candidate to the list of its node.
template <class Isa>
void list_candidate(MedianCandidate* list, const MedianCandidate& candidate) {
    const std::uint32_t n = ++list->index;
    if (n < candidate_list_size) {
        list[n] = candidate;
    }
}

/// Includes a point in a half's bounds, which seldom grow, as branches foresee.
template <class Isa>
void include(Bounds<double, 2>& bounds, const ChunkPoints& points, std::size_t i) {
    for (int d = 0; d < 2; ++d) {
        const double x = points.x[d][i];
        if (x < bounds.min[d]) {
            bounds.min[d] = x;
        }
        if (x > bounds.max[d]) {
            bounds.max[d] = x;
        }
    }
}

template <class Isa>
NodeExtent extent_of(std::uint32_t count, const Bounds<double, 2>& bounds) {
    NodeExtent extent;
    extent.count = count;
    for (int d = 0; d < 2 && !bounds.empty(); ++d) {
        extent.min[d] = to_key(bounds.min[d]);
        extent.max[d] = to_key(bounds.max[d]);
    }
    return extent;
}

/// Sorts points to halves, which it measures, and candidates to lists: these are labelled with the
/// upper half.
template <bool measures, class Isa>
void part_points(const SplitCandidatesTask& task) {
    const ChunkPoints& points = task.points;
    std::array<Parting, most_split_nodes> partings;
    for (std::size_t node = 0; node < task.n_nodes(); ++node) {
        partings[node] = Parting::of<Isa>(task.searches[node], points);
    }
    std::array<std::uint32_t, 2 * most_split_nodes> counts{};
    std::array<Bounds<double, 2>, 2 * most_split_nodes> bounds;
    bounds.fill(Bounds<double, 2>::nothing());
    // Bytes that are written may be any variable's: what is local need not be read again.
    std::uint8_t* const labels = points.labels;
    const std::size_t n = points.n;
    const std::uint32_t first = points.index(0);
    for (std::size_t i = 0; i < n; ++i) {
        const std::size_t node = labels[i];
        const Parting& parting = partings[node];
        const OrderedKey key = to_key(parting.x[i]);
        bool is_below = key < parting.low;
        if (key - parting.low < parting.n_open) {
            const auto index = static_cast<std::uint32_t>(first + i);
            const MedianSearch& search = task.searches[node];
            if (search.is_candidate(key, index)) {
                list_candidate<Isa>(task.out + node * candidate_list_size, {key, index});
                labels[i] = static_cast<std::uint8_t>(2 * node + 1);
                continue;
            }
            is_below = search.is_below(key, index);
        }
        const std::size_t half = 2 * node + (is_below ? 0 : 1);
        labels[i] = static_cast<std::uint8_t>(half);
        ++counts[half];
        if constexpr (measures) {
            include<Isa>(bounds[half], points, i);
        }
    }
    for (std::size_t half = 0; half < task.n_halves(); ++half) {
        task.extents[half] = extent_of<Isa>(counts[half], bounds[half]);
    }
}

template <class Isa>
void SplitBeginTask::cpu(const SplitBeginTask& task) {
    const ChunkPoints& points = task.points;
    *task.searches = {};
    std::fill_n(points.labels, points.n, std::uint8_t(0));
    auto bounds = Bounds<double, 2>::nothing();
    for (std::size_t i = 0; i < points.n; ++i) {
        include<Isa>(bounds, points, i);
    }
    *task.extents = extent_of<Isa>(static_cast<std::uint32_t>(points.n), bounds);
}

template <class Isa>
void SplitLabelTask::cpu(const SplitLabelTask& task) {
    const auto lists = ChunkArrays<MedianCandidate>::of(task.before, task.n_chunks);
    for (std::size_t node = 0; node < task.n_nodes(); ++node) {
        finish_search<Isa>(task.searches[node], node, lists);
        if (!task.searches[node].is_decided()) {
            continue;
        }
        for (std::uint32_t chunk = 0; chunk < lists.n_chunks; ++chunk) {
            const MedianCandidate* list = lists.data[chunk] + node * candidate_list_size;
            for (std::uint32_t k = 1; k <= list->index; ++k) {
                task.place(node, list[k], [&](std::size_t half, std::uint32_t i) {
                    task.points.labels[i] = static_cast<std::uint8_t>(half);
                    task.out[half].add(task.extent(i));
                });
            }
        }
    }
}

/// The bins of a search in this round.
struct KeyBins {
    const double* x;
    OrderedKey low;
    OrderedKey n; ///< 0: the search is decided, or has gone on to users' indices
    int shift;

    template <class Isa>
    static KeyBins of(const MedianSearch& search, const ChunkPoints& points) {
        const int digit = std::min(search.key_bits, MedianBins::bin_bits);
        const OrderedKey n = search.key_bits > 0 ? OrderedKey(1) << digit : 0;
        return {points.x[search.direction], search.low, n, search.key_bits - digit};
    }
};

/// Calls `use(node, bin)` for each candidate of the chunk.
template <class Isa, class Use>
void for_each_candidate(const SplitTallyTask& task, const Use& use) {
    const auto decided = [](const auto& search) { return search.is_decided(); };
    if (std::all_of(task.searches, task.searches + task.n_nodes(), decided)) {
        return;
    }
    std::array<KeyBins, most_split_nodes> bins;
    for (std::size_t node = 0; node < task.n_nodes(); ++node) {
        bins[node] = KeyBins::of<Isa>(task.searches[node], task.points);
    }
    for (std::size_t i = 0; i < task.points.n; ++i) {
        const std::size_t node = task.points.labels[i];
        const KeyBins& own = bins[node];
        const OrderedKey key = to_key(own.x[i]);
        const OrderedKey bin = (key - own.low) >> own.shift;
        if (bin < own.n) {
            use(node, static_cast<std::uint32_t>(bin));
        } else if (own.n == 0) {
            const std::uint32_t by_index = task.searches[node].bin(key, task.points.index(i));
            if (by_index != MedianBins::no_bin) {
                use(node, by_index);
            }
        }
    }
}

template <class Isa>
void SplitTallyTask::cpu(const SplitTallyTask& task) {
    constexpr std::size_t n_bins = MedianBins::n_bins;
    std::fill_n(task.out, task.n_nodes() * n_bins, 0U);
    if (task.round == 0) {
        const auto extents = ChunkArrays<NodeExtent>::of(task.before, task.n_chunks);
        for (std::size_t node = task.n_nodes(); node-- > 0;) { // last first: in place
            task.searches[node] =
                begin_search(task.n_total, task.depth, node, extents, task.searches[node / 2]);
        }
    } else {
        const auto tallies = ChunkArrays<std::uint32_t>::of(task.before, task.n_chunks);
        const bool are_few = follow_searches<Isa>(task.searches, task.n_nodes(), tallies);
        if (are_few && task.skips_rounds) {
            return;
        }
    }
    for_each_candidate<Isa>(task, [&](std::size_t node, std::uint32_t bin) {
        ++task.out[node * n_bins + bin];
    });
}

template <class Isa>
void SplitCandidatesTask::cpu(const SplitCandidatesTask& task) {
    const auto tallies = ChunkArrays<std::uint32_t>::of(task.before, task.n_chunks);
    follow_searches<Isa>(task.searches, task.n_nodes(), tallies);
    for (std::size_t node = 0; node < task.n_nodes(); ++node) {
        task.out[node * candidate_list_size].index = 0;
    }
    task.measures ? part_points<true, Isa>(task) : part_points<false, Isa>(task);
}

} // namespace starfmm

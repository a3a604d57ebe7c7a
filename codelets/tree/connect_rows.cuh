// SPDX-License-Identifier: BSD-3-Clause
// The CUDA side of connect: the candidates of a level's rows, and the lists that they go to.
#pragma once

#include "codelets/cuda/equal_shares.cuh"
#include "codelets/tree/connect_sums.cuh"

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace starfmm {

/// The sizes of the rows of a parent's children.
template <class Step>
using RowSizes = std::uint32_t[n_children<Step::dimension>][Step::n_lists];

/// The rows of one level. With two lists, candidates are children of the boxes that the parent is
/// not well separated from; far ones go to list 0, the others to list 1, the next generation. With
/// four lists, at the finest level, the others go to near, P2L and M2P.
template <int D, int n>
struct ConnectStep {
    static constexpr int dimension = D;
    static constexpr int n_lists = n;
    static constexpr bool leaves = n == 4;

    const ConnectTask<D>& task;
    int level;

    __device__ bool is_root() const { return level == task.args.tree.first; }

    /// Returns the number of the rows' parents. The root, whose candidates are the slots, stands
    /// for its own parent.
    __device__ std::size_t n_parents() const {
        return is_root() ? 1 : pyramid_of<D>(task.args).boxes(level - 1);
    }

    __device__ unsigned child_bits() const { return is_root() ? 0 : D; }

    __device__ std::size_t n_rows() const { return pyramid_of<D>(task.args).boxes(level); }

    /// Returns list `i` from the level's first row on.
    __device__ ListView list(int i) const {
        const ListLayout& layout = task.args.lists;
        if (i == 0) {
            const ListView far = layout.far(task.lists);
            return {far.offsets + pyramid_of<D>(task.args).offset(level), far.boxes};
        }
        if constexpr (leaves) {
            return i == 1   ? layout.near(task.lists)
                   : i == 2 ? layout.p2l(task.lists)
                            : layout.m2p(task.lists);
        }
        return task.generation(level);
    }

    __device__ std::uint64_t capacity(int i) const {
        const ListLayout& layout = task.args.lists;
        return i == 0 ? layout.far_capacity : layout.near_capacity;
    }

    /// Returns how many of `size` entries fit.
    __device__ std::uint32_t stored(int i, std::uint64_t size) const {
        return static_cast<std::uint32_t>(size < capacity(i) ? size : capacity(i));
    }

    /// Returns the unseparated boxes that the candidates of a parent's rows come from.
    __device__ ListView generation() const {
        return task.generation(is_root() ? level : level - 1);
    }

    /// Returns the list of a candidate; negative: none.
    __device__ int list_of(
        BoxReference reference,
        const Frame<double, D>& source,
        std::size_t row,
        const Frame<double, D>& target,
        ListCounts& counts
    ) const {
        const Coupling how =
            is_root() ? Coupling::near : coupling(source, target, task.separation());
        if (how != Coupling::near) {
            return how == Coupling::far ? 0 : -1;
        }
        if constexpr (leaves) {
            return list_of_leaf(reference, source, row, target, counts);
        }
        return 1;
    }

private:
    __device__ int list_of_leaf(
        BoxReference reference,
        const Frame<double, D>& source,
        std::size_t row,
        const Frame<double, D>& target,
        ListCounts& counts
    ) const {
        const std::uint64_t n_sources = task.n_sources(reference);
        const std::uint64_t n_targets = task.n_targets(row);
        const Coupling how = task.near_coupling(source, target, n_sources, n_targets);
        counts.p2p_pairs += how == Coupling::near ? n_sources * n_targets : 0;
        counts.p2l_pairs += how == Coupling::p2l ? n_sources : 0;
        counts.m2p_pairs += how == Coupling::m2p ? n_targets : 0;
        return how == Coupling::near ? 1 : how == Coupling::p2l ? 2 : 3;
    }
};

/// Returns the cost of a parent besides its candidates, in boxes that they come from. Where warps
/// outnumber parents, the cost is so large that a warp has one parent at most.
__device__ inline std::uint64_t parent_cost(std::size_t n_parents, std::size_t n_warps) {
    return n_parents <= n_warps ? 32 : 4;
}

/// The parents of this warp, which are as much work as other warps have.
struct ParentRange {
    std::size_t begin;
    std::size_t end;
    std::uint64_t share; ///< cost of a warp's parents, about

    __device__ ParentRange(const std::uint32_t* boxes_before, std::size_t n_parents) {
        const std::size_t n_warps = std::size_t(gridDim.x) * connect_warps;
        const std::size_t warp = thread_index() / warp_lanes;
        const std::uint64_t cost = parent_cost(n_parents, n_warps);
        begin = share_begin(boxes_before, n_parents, cost, {warp, n_warps});
        end = share_begin(boxes_before, n_parents, cost, {warp + 1, n_warps});
        share = (boxes_before[n_parents] + cost * n_parents) / n_warps + 1;
    }
};

/// A lane's candidate, and for each of the parent's children the list that it goes to, plus one, in
/// four bits a child.
template <int D>
struct Candidate {
    using Lists = std::conditional_t<D == 2, std::uint16_t, std::uint32_t>;
    BoxReference reference;
    Lists lists;

    __device__ bool is_in(unsigned child, int list) const {
        return (lists >> (4 * child) & 15U) == static_cast<unsigned>(list + 1);
    }
};

/// The first candidates of a warp, which are kept from counting for filling. A warp has 16 times 32
/// where a GPU of 132 multiprocessors connects 65536 leaves of uniform points.
template <int D>
struct KeptCandidates {
    static constexpr unsigned most = D == 2 ? 24 : 16; // shared memory holds no more of 8 children
    BoxReference reference[connect_warps][most][warp_lanes];
    typename Candidate<D>::Lists lists[connect_warps][most][warp_lanes];

    __device__ void keep(unsigned i, const Candidate<D>& candidate) {
        if (i < most) {
            reference[threadIdx.x / warp_lanes][i][threadIdx.x % warp_lanes] = candidate.reference;
            lists[threadIdx.x / warp_lanes][i][threadIdx.x % warp_lanes] = candidate.lists;
        }
    }

    [[nodiscard]] __device__ Candidate<D> get(unsigned i) const {
        return {
            reference[threadIdx.x / warp_lanes][i][threadIdx.x % warp_lanes],
            lists[threadIdx.x / warp_lanes][i][threadIdx.x % warp_lanes]};
    }
};

/// The candidates of a parent's rows.
template <class Step>
struct ParentCandidates {
    static constexpr int dimension = Step::dimension;
    const Step& step;
    std::size_t parent;
    unsigned bits;
    const BoxReference* boxes;
    std::uint32_t n;

    __device__ ParentCandidates(const Step& of, std::size_t row)
        : step(of), parent(row), bits(of.child_bits()) {
        const ListView generation = step.generation();
        const std::uint32_t begin = generation.offsets[parent];
        boxes = generation.boxes + begin;
        n = (generation.offsets[parent + 1] - begin) << bits;
    }

    __device__ Candidate<dimension> find(std::uint32_t i, ListCounts& counts) const {
        Candidate<dimension> candidate{0, 0};
        if (i >= n) {
            return candidate;
        }
        candidate.reference = (boxes[i >> bits] << bits) + (i & ((1U << bits) - 1));
        const Frame<double, dimension> source = step.task.source(step.level, candidate.reference);
        unsigned lists = 0;
#pragma unroll
        for (unsigned child = 0; child < n_children<dimension>; ++child) {
            if (child < 1U << bits) {
                const std::size_t row = (parent << bits) + child;
                const Frame<double, dimension> target = step.task.target(step.level, row);
                const int list = step.list_of(candidate.reference, source, row, target, counts);
                lists |= static_cast<unsigned>(list + 1) << (4 * child);
            }
        }
        candidate.lists = static_cast<typename Candidate<dimension>::Lists>(lists);
        return candidate;
    }
};

/// Calls `visit(child, list, mask)` for each child and each list, where `mask` says which lanes'
/// candidates go to the list.
template <int n_lists, int D, class Visit>
__device__ void visit_lists(const Candidate<D>& candidate, const Visit& visit) {
#pragma unroll
    for (unsigned child = 0; child < n_children<D>; ++child) {
#pragma unroll
        for (int list = 0; list < n_lists; ++list) {
            visit(child, list, __ballot_sync(0xffffffffU, candidate.is_in(child, list)));
        }
    }
}

/// Replaces the sizes of a parent's rows by their offsets. `place` becomes where each row's entries
/// begin, counted from the parent's first, and `at` what precedes the next parent's.
template <class Step>
__device__ void place_rows(
    const Step& step, std::size_t parent, RowSizes<Step>& place, ConnectSum (&at)[Step::n_lists]
) {
    const std::size_t row = parent << step.child_bits();
    const unsigned n_rows = 1U << step.child_bits();
#pragma unroll
    for (int list = 0; list < Step::n_lists; ++list) {
#pragma unroll
        for (unsigned child = 0; child < n_children<Step::dimension>; ++child) {
            place[child][list] = child < n_rows ? step.list(list).offsets[row + child] : 0;
        }
    }
    __syncwarp(); // all lanes have read the sizes
#pragma unroll
    for (int list = 0; list < Step::n_lists; ++list) {
        std::uint32_t before = 0;
#pragma unroll
        for (unsigned child = 0; child < n_children<Step::dimension>; ++child) {
            const std::uint32_t size = place[child][list];
            place[child][list] = before;
            if (child < n_rows) {
                step.list(list).offsets[row + child] = step.stored(list, at[list] + before);
            }
            before += size;
        }
        at[list] += before;
    }
}

} // namespace starfmm

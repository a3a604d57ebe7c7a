// SPDX-License-Identifier: BSD-3-Clause
// The CUDA side of connect: parents with so many candidates that the warps of a block share them. A
// large box beside many small ones has hundreds of times the candidates of others, and one warp
// with it would keep all others waiting at the end of each level.
#pragma once

#include "codelets/tree/connect_rows.cuh"

#include <cassert>

namespace starfmm {

/// The shared parents of a block at one level, in any order: those that exceed a warp's share of
/// the work. At most as many as the block has warps begin within their shares.
template <int D>
struct SharedParents {
    static constexpr unsigned most = connect_warps;

    /// The least number of boxes that candidates come from, a child each times 32. Uniform points
    /// have up to 21.
    static constexpr std::uint32_t least_boxes = 32;

    unsigned n;
    unsigned parent[most];
    std::uint32_t size[most][connect_warps][n_children<D>][4]; ///< sizes that each warp finds
    ConnectSum place[most][n_children<D>][4];                  ///< where rows begin

    /// Collects the shared parents that the block's warps find in their ranges.
    __device__ void collect(const std::uint32_t* boxes_before, const ParentRange& range) {
        if (threadIdx.x == 0) {
            n = 0;
        }
        __syncthreads();
        for (std::size_t i = range.begin + threadIdx.x % warp_lanes; i < range.end;
             i += warp_lanes) {
            const std::uint32_t boxes = boxes_before[i + 1] - boxes_before[i];
            if (boxes >= least_boxes && boxes > range.share) {
                const unsigned slot = atomicAdd(&n, 1U);
                assert(slot < most);
                parent[slot] = static_cast<unsigned>(i);
            }
        }
        __syncthreads();
    }

    /// Returns the slot of a parent; negative: it is not shared.
    [[nodiscard]] __device__ int slot(std::size_t of) const {
        for (unsigned i = 0; i < n; ++i) {
            if (parent[i] == of) {
                return static_cast<int>(i);
            }
        }
        return -1;
    }

    /// Puts where the rows' entries begin, by the warp that has the parent in its range.
    template <class Step>
    __device__ void
    put_places(int slot, const ConnectSum (&at)[Step::n_lists], const RowSizes<Step>& before) {
#pragma unroll
        for (unsigned child = 0; child < n_children<D>; ++child) {
#pragma unroll
            for (int list = 0; list < Step::n_lists; ++list) {
                place[slot][child][list] = at[list] + before[child][list];
            }
        }
    }
};

/// The candidates [begin, end), a multiple of 32 from the first on, that a warp of the block takes
/// of a shared parent's `n`.
struct CandidateRange {
    std::uint32_t begin;
    std::uint32_t end;

    __device__ explicit CandidateRange(std::uint32_t n) {
        const std::uint32_t steps = (n + warp_lanes - 1) / warp_lanes;
        const std::uint32_t warp = threadIdx.x / warp_lanes;
        begin = steps * warp / connect_warps * warp_lanes;
        end = min(n, steps * (warp + 1) / connect_warps * warp_lanes);
    }
};

template <class Step>
__device__ void add_sizes(const Candidate<Step::dimension>& candidate, RowSizes<Step>& size) {
    visit_lists<Step::n_lists>(candidate, [&](unsigned child, int list, unsigned mask) {
        size[child][list] += __popc(mask);
    });
}

/// Puts the lanes' candidates into the lists, from `place` on, which moves on.
/// \tparam Place  type of an entry's place: from the list's first one, or from `at` on
template <class Step, class Place>
__device__ void put_candidates(
    const Step& step,
    const Candidate<Step::dimension>& candidate,
    const ConnectSum (&at)[Step::n_lists],
    Place (&place)[n_children<Step::dimension>][Step::n_lists]
) {
    const unsigned lower_lanes = (1U << threadIdx.x % warp_lanes) - 1;
    visit_lists<Step::n_lists>(candidate, [&](unsigned child, int list, unsigned mask) {
        const ConnectSum i = at[list] + place[child][list] + __popc(mask & lower_lanes);
        if (candidate.is_in(child, list) && i < step.capacity(list)) {
            step.list(list).boxes[i] = candidate.reference;
        }
        place[child][list] += __popc(mask);
    });
}

/// Counts what the shared parents' rows get, by all warps of the block.
template <class Step>
__device__ void
count_shared(const Step& step, SharedParents<Step::dimension>& shared, ListCounts& counts) {
    for (unsigned slot = 0; slot < shared.n; ++slot) {
        const ParentCandidates<Step> candidates(step, shared.parent[slot]);
        const CandidateRange range(candidates.n);
        RowSizes<Step> size = {};
        for (std::uint32_t first = range.begin; first < range.end; first += warp_lanes) {
            add_sizes<Step>(candidates.find(first + threadIdx.x % warp_lanes, counts), size);
        }
#pragma unroll
        for (unsigned child = 0; child < n_children<Step::dimension>; ++child) {
#pragma unroll
            for (int list = 0; list < Step::n_lists; ++list) {
                shared.size[slot][threadIdx.x / warp_lanes][child][list] = size[child][list];
            }
        }
    }
    __syncthreads();
}

/// Returns the sizes of a shared parent's rows.
template <class Step>
__device__ void
sum_sizes(const SharedParents<Step::dimension>& shared, int slot, RowSizes<Step>& size) {
#pragma unroll
    for (unsigned child = 0; child < n_children<Step::dimension>; ++child) {
#pragma unroll
        for (int list = 0; list < Step::n_lists; ++list) {
            for (unsigned warp = 0; warp < connect_warps; ++warp) {
                size[child][list] += shared.size[slot][warp][child][list];
            }
        }
    }
}

/// Puts the shared parents' candidates into the lists, by all warps of the block, once their warps
/// have found the rows' places.
template <class Step>
__device__ void fill_shared(const Step& step, const SharedParents<Step::dimension>& shared) {
    const ConnectSum at[Step::n_lists] = {};
    ListCounts counts{};
    __syncthreads();
    for (unsigned slot = 0; slot < shared.n; ++slot) {
        const ParentCandidates<Step> candidates(step, shared.parent[slot]);
        const CandidateRange range(candidates.n);
        ConnectSum place[n_children<Step::dimension>][Step::n_lists];
#pragma unroll
        for (unsigned child = 0; child < n_children<Step::dimension>; ++child) {
#pragma unroll
            for (int list = 0; list < Step::n_lists; ++list) {
                place[child][list] = shared.place[slot][child][list];
                for (unsigned warp = 0; warp < threadIdx.x / warp_lanes; ++warp) {
                    place[child][list] += shared.size[slot][warp][child][list];
                }
            }
        }
        for (std::uint32_t first = range.begin; first < range.end; first += warp_lanes) {
            const auto candidate = candidates.find(first + threadIdx.x % warp_lanes, counts);
            put_candidates(step, candidate, at, place);
        }
    }
}

} // namespace starfmm

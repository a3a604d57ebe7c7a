// SPDX-License-Identifier: BSD-3-Clause
// The CUDA side of the direct sum: a block holds up to 64 targets, and its warps meet different
// sources.
#pragma once

#include "codelets/cuda/cooperative.cuh"
#include "codelets/pairs/direct.hpp"
#include "codelets/pairs/pair_tile.cuh"

namespace starfmm {

/// The warps of a block, and the blocks of a multiprocessor, at 128 registers a thread. More and
/// smaller blocks are 3 % slower from 5000 to 30000 points.
inline constexpr unsigned direct_warps = 8;
inline constexpr unsigned direct_blocks = 2;

/// The warp's part of all sources.
template <class K>
class SourceRange {
public:
    __device__ explicit SourceRange(const DirectTask<K>& task) : task_(task) {
        const std::size_t warp = threadIdx.x / warp_lanes;
        begin_ = task.n_sources * warp / direct_warps;
        n_ = static_cast<unsigned>(task.n_sources * (warp + 1) / direct_warps - begin_);
    }

    /// Shows a sample of the sources.
    __device__ void show_sources(RoundingScout<K>& scout) const {
        if (n_ > 0) {
            const std::size_t i = std::size_t(n_) * (threadIdx.x % warp_lanes) / warp_lanes;
            scout.look_at(task_.sources, task_.strengths, begin_ + i);
        }
    }

    /// Returns the number of sources on their way to a ring.
    [[nodiscard]] __device__ unsigned filled() const { return taken_; }

    __device__ void fill(unsigned wanted, SourceRing<K>& ring) {
        while (taken_ < wanted && taken_ < n_) {
            const unsigned rest = n_ - taken_;
            const unsigned n = rest < piece_sources ? rest : piece_sources;
            ring.fetch_piece(taken_, task_.sources, task_.strengths, begin_ + taken_, n, self());
            taken_ += n;
        }
    }

    /// Turns to all sources, once.
    __device__ bool next() {
        const bool is_first = taken_ < n_;
        taken_ = n_;
        return is_first;
    }

    [[nodiscard]] __device__ unsigned size() const { return n_; }

    [[nodiscard]] __device__ StreamSource<K> source(unsigned i) const {
        const std::size_t at = begin_ + i;
        return StreamSource<K>::of(task_.sources, task_.strengths, at, self());
    }

private:
    [[nodiscard]] __device__ std::int64_t self() const { return task_.args.direct.self; }

    const DirectTask<K>& task_;
    std::size_t begin_;
    unsigned n_;
    unsigned taken_ = 0;
};

template <class K>
__global__ void __launch_bounds__(direct_warps* warp_lanes, direct_blocks)
    direct_kernel(const __grid_constant__ DirectTask<K> task, unsigned block_targets) {
    const unsigned begin = blockIdx.x * block_targets;
    const auto n_targets = static_cast<unsigned>(task.n_targets);
    const unsigned end = n_targets - begin < block_targets ? n_targets : begin + block_targets;
    for_each_sum<K>(
        kernel_of<K>(task.args.kernel),
        {task.targets, begin, end, task.target_lengths},
        [&] { return SourceRange<K>(task); },
        pair_rooms<K>(),
        [&](unsigned i, const auto& value) { task.values.add(i, value); }
    );
}

/// Returns the targets of a block: those of a tile's shape. Blocks take equally long, so the
/// multiprocessor with the most of them decides: few targets leave it a short remainder, many
/// spread loads and loop, which cost as much as four targets, over more pairs.
template <class K>
unsigned direct_targets(std::size_t n_targets) {
    const unsigned n_processors = n_multiprocessors();
    const auto time = [&](unsigned targets) {
        return n_blocks(n_blocks(n_targets, targets), n_processors) * (targets + 4);
    };
    unsigned best = most_targets<K>;
    for (const unsigned targets : {48U, 40U, 32U, 24U, 16U, 8U}) {
        best = time(targets) < time(best) ? targets : best;
    }
    return best;
}

template <class K>
void direct_cuda(const DirectTask<K>& task) {
    if (task.n_targets == 0) {
        return;
    }
    if constexpr (has_packed<K>) {
        if (task.args.direct.packed != PackedSums::none) {
            return packed_cuda<K>(task);
        }
    }
    const unsigned targets = direct_targets<K>(task.n_targets);
    const unsigned blocks = n_blocks(task.n_targets, targets);
    constexpr std::size_t shared_bytes = direct_warps * sizeof(PairRoom<K>);
    constexpr unsigned threads = direct_warps * warp_lanes;
    if constexpr (has_mixed_pairs<K>) {
        allow_shared_bytes(direct_kernel<K>, shared_bytes); // more than any kernel may have
    }
    direct_kernel<K><<<blocks, threads, shared_bytes, cuda_stream()>>>(task, targets);
    check_cuda(cudaGetLastError(), "launch of direct_kernel");
}

} // namespace starfmm

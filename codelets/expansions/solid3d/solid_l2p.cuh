// SPDX-License-Identifier: BSD-3-Clause
// L2P of solid harmonics: a chunk of a leaf's targets a warp, one or two targets a lane; what each
// harmonic contributes to the potential and to its gradient is prepared in shared memory.
#pragma once

#include "codelets/cuda/lane_pair.cuh"
#include "codelets/expansions/l2p.hpp"
#include "codelets/expansions/solid3d/harmonic_steps.cuh"
#include "codelets/pairs/target_chunk.cuh"
#include "core/expansions/kernels3d.hpp"

#include <concepts>

namespace starfmm {

/// Whether L2P of a kernel is Laplace's, or its with the gradient: not those that replace it.
template <class K>
constexpr bool has_solid_l2p() {
    using Real = typename K::Real;
    if constexpr (std::derived_from<K, LaplaceGradient<Real>>) {
        using Base = LaplaceGradient<Real>;
        return &K::template l2p<Real, Real> == &Base::template l2p<Real, Real>;
    } else if constexpr (std::derived_from<K, Laplace<Real>>) {
        return &K::template l2p<Real, Real> == &Laplace<Real>::template l2p<Real, Real>;
    } else {
        return false;
    }
}

template <class K>
using HarmonicTerms = typename K::Base::template Terms<n_value_components<K>, typename K::Real>;

/// Of a warp's leaf: the terms of harmonics, and the steps between them.
template <class K>
class TermsRoom {
public:
    using Real = typename K::Real;

    STARFMM_HOST_DEVICE static std::size_t bytes(int order) {
        return terms_bytes(order) + HarmonicSteps<Real>::bytes(order);
    }

    __device__ explicit TermsRoom(int order)
        : begin_(static_cast<unsigned char*>(warp_shared(bytes(order)))),
          steps_(order, begin_ + terms_bytes(order)) {}

    /// By m, then by n.
    [[nodiscard]] __device__ HarmonicTerms<K>* terms() const {
        return reinterpret_cast<HarmonicTerms<K>*>(begin_);
    }

    [[nodiscard]] const __device__ HarmonicSteps<Real>& steps() const { return steps_; }

private:
    STARFMM_HOST_DEVICE static std::size_t terms_bytes(int order) {
        const std::size_t n = K::n_harmonics(order);
        return (n * sizeof(HarmonicTerms<K>) + 15) / 16 * 16;
    }

    unsigned char* begin_;
    HarmonicSteps<Real> steps_;
};

template <class K>
__device__ void prepare_terms(int order, const typename K::Real* b, const TermsRoom<K>& room) {
    __syncwarp();
    visit_lane_harmonics(order, [&](int k, int n, int m) {
        room.terms()[k] = K::template derive_terms<n_value_components<K>>(order, b, n, m);
    });
    __syncwarp();
}

/// What a target takes of `sum`: gradients were by coordinates in radii.
template <class K>
__device__ typename K::template Value<typename K::Real>
as_value(const typename K::Real (&sum)[n_value_components<K>], typename K::Real inverse_radius) {
    if constexpr (has_gradient<K>) {
        using Real = typename K::Real;
        return {sum[0], inverse_radius * Vector3<Real>{sum[1], sum[2], sum[3]}};
    } else {
        return sum[0];
    }
}

/// Targets of a leaf whose terms are prepared.
/// \tparam Box as expansion_frame() gives it
template <class K, class Box>
__device__ void add_targets(
    const L2PTask<K>& task, const TermsRoom<K>& room, const Box& frame, const TargetChunk& chunk
) {
    using Real = typename K::Real;
    constexpr int n = n_value_components<K>;
    const Real inverse = Real(1) / centred<Real>(frame).radius;
    const auto at = [&](std::size_t i) {
        const std::size_t target = i < chunk.end ? i : chunk.begin;
        return inverse * seen_from<Real>(frame.centre, task.targets[target]);
    };
    const auto set = [&](std::size_t i, const Real(&sum)[n]) {
        if (i < chunk.end) {
            task.far.set(i, as_value<K>(sum, inverse));
        }
    };
    const auto sum_at = [&](const auto& point, auto& sums) {
        K::sum_terms(
            task.args.order,
            point,
            [&](int k) { return room.terms()[k]; },
            [&](int k, int, int) { return room.steps()[k]; },
            sums
        );
    };
    const std::size_t lane = threadIdx.x % warp_lanes;
    for (std::size_t i = chunk.begin; i < chunk.end; i += 2 * warp_lanes) {
        if (chunk.end - i <= warp_lanes) {
            Real sums[n];
            sum_at(at(i + lane), sums);
            set(i + lane, sums);
            continue;
        }
        LanePair<Real> sums[n];
        sum_at(paired(at(i + lane), at(i + warp_lanes + lane)), sums);
        Real first[n];
        Real second[n];
#pragma unroll
        for (int c = 0; c < n; ++c) {
            first[c] = sums[c].first;
            second[c] = sums[c].second;
        }
        set(i + lane, first);
        set(i + warp_lanes + lane, second);
    }
}

template <class K>
__global__ void __launch_bounds__(most_solid_threads, 2)
    solid_l2p_kernel(const __grid_constant__ L2PTask<K> task, int n, std::size_t n_chunks) {
    using Real = typename K::Real;
    const int order = task.args.order;
    const TermsRoom<K> room(order);
    const auto tree = task.boxes.tree(task.args);
    visit_warp_rows(n_chunks, [&](std::size_t index) {
        const ChunkNumber number{static_cast<unsigned>(index), static_cast<unsigned>(n_chunks)};
        const TargetChunk chunk =
            warp_target_chunk(task.target_offsets, n_leaves_of<3>(task.args), number);
        if (chunk.begin == chunk.end) {
            return;
        }
        const std::size_t box = tree.leaf_box(chunk.leaf);
        const auto frame = expansion_frame<Real>(task.boxes, box);
        prepare_terms<K>(order, task.locals + box * n, room);
        add_targets(task, room, frame, chunk);
    });
}

template <class K>
void solid_l2p(const L2PTask<K>& task, int n) {
    const std::size_t n_chunks = n_target_chunks(n_leaves_of<3>(task.args), n_points(task.targets));
    const std::size_t warp_bytes = TermsRoom<K>::bytes(task.args.order);
    launch_solid_rows(
        solid_l2p_kernel<K>, warp_bytes, n_chunks, most_solid_warps, task, n, n_chunks
    );
    check_cuda(cudaGetLastError(), "launch of solid_l2p_kernel");
}

} // namespace starfmm

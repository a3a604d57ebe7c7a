// SPDX-License-Identifier: BSD-3-Clause
// L2P of solid harmonics: a warp has a chunk of a leaf's targets, and a lane one or two of them.
// The contributions of each harmonic to the potential and to its gradient are prepared in shared
// memory.
#pragma once

#include "codelets/cuda/lane_pair.cuh"
#include "codelets/expansions/l2p.hpp"
#include "codelets/expansions/solid3d/harmonic_steps.cuh"
#include "codelets/pairs/target_chunk.cuh"
#include "core/expansions/kernels3d.hpp"

namespace starfmm {

template <class K, class Base, class Real = typename K::Real>
inline constexpr bool has_l2p_of = requires {
    requires(&K::template l2p<Real, Real> == &Base::template l2p<Real, Real>);
};

/// Whether a kernel's L2P is Laplace's, or its with the gradient; it is not if the kernel replaces
/// it.
template <class K, class Real = typename K::Real>
inline constexpr bool has_solid_l2p =
    has_l2p_of<K, LaplaceGradient<Real>> || has_l2p_of<K, Laplace<Real>>;

/// The type that sums the terms of harmonics.
template <class K>
using TargetReal = typename AtTargets<K>::Real;

template <class K>
using HarmonicTerms =
    typename AtTargets<K>::Base::template Terms<n_value_components<K>, TargetReal<K>>;

/// The terms of harmonics of a warp's leaf, and the steps between them.
template <class K>
class TermsRoom {
public:
    using Real = TargetReal<K>;

    STARFMM_HOST_DEVICE static std::size_t bytes(int order) {
        return terms_bytes(order) + HarmonicSteps<Real>::bytes(order);
    }

    __device__ explicit TermsRoom(int order)
        : begin_(static_cast<unsigned char*>(warp_shared(bytes(order)))),
          steps_(order, begin_ + terms_bytes(order)) {}

    /// Returns the terms, by m, then by n.
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

/// Returns the unit in which a leaf's terms are rounded; is to be called by a whole warp.
__device__ inline double unit_of_row(const double* b, int n) {
    double largest = 0;
    for (int k = threadIdx.x % warp_lanes; k < n; k += warp_lanes) {
        largest = fmax(largest, fabs(b[k]));
    }
    for (int offset = warp_lanes / 2; offset > 0; offset /= 2) {
        largest = fmax(largest, other_lane(largest, offset));
    }
    return unit_of_local(largest);
}

/// Prepares the terms of a leaf. \returns the unit of the terms
template <class K>
__device__ double prepare_terms(int order, const typename K::Real* b, const TermsRoom<K>& room) {
    constexpr int n_sums = n_value_components<K>;
    double unit = 1;
    if constexpr (rounds_locals<K>) {
        unit = unit_of_row(b, K::n_coefficients(order));
    }
    const double per_unit = 1 / unit;
    __syncwarp();
    visit_lane_harmonics(order, [&](int k, int n, int m) {
        const auto terms = K::template derive_terms<n_sums>(order, b, n, m);
        if constexpr (rounds_locals<K>) {
            for (int i = 0; i < n_sums; ++i) {
                room.terms()[k].of[i][0] = static_cast<float>(per_unit * terms.of[i][0]);
                room.terms()[k].of[i][1] = static_cast<float>(per_unit * terms.of[i][1]);
            }
        } else {
            room.terms()[k] = terms;
        }
    });
    __syncwarp();
    return unit;
}

/// A leaf's targets as its terms see them, in the unit ball, and what they take of sums, whose
/// gradients are by coordinates in radii.
template <class K>
class UnitTargets {
public:
    using Real = TargetReal<K>;
    static constexpr int n = n_value_components<K>;

    /// Takes a chunk of targets.
    /// \param unit  unit of the terms
    __device__ UnitTargets(
        const L2PTask<K>& task, const Frame<double, 3>& frame, const TargetChunk& chunk, double unit
    )
        : task_(task), centre_(frame.centre), chunk_(chunk),
          inverse_(Sum(1) / centred<Sum>(frame).radius), unit_(static_cast<Sum>(unit)) {}

    /// Returns a target, the first one for indices beyond the last.
    [[nodiscard]] __device__ Vector3<Real> operator[](std::size_t i) const {
        const std::size_t target = i < chunk_.end ? i : chunk_.begin;
        const Vector3<Sum> at = inverse_ * seen_from<Sum>(centre_, task_.targets[target]);
        return {static_cast<Real>(at.x), static_cast<Real>(at.y), static_cast<Real>(at.z)};
    }

    __device__ void set(std::size_t i, const Real (&sum)[n]) const {
        if (i >= chunk_.end) {
            return;
        }
        if constexpr (has_gradient<K>) {
            const Sum by_length = unit_ * inverse_;
            const Vector3<Sum> gradient{Sum(sum[1]), Sum(sum[2]), Sum(sum[3])};
            task_.far.set(i, {unit_ * Sum(sum[0]), by_length * gradient});
        } else {
            task_.far.set(i, unit_ * Sum(sum[0]));
        }
    }

private:
    using Sum = typename K::Real;

    const L2PTask<K>& task_;
    const Position<3, double>& centre_;
    const TargetChunk& chunk_;
    Sum inverse_;
    Sum unit_;
};

/// Adds to the targets of a leaf whose terms are prepared.
template <class K>
__device__ void add_targets(
    int order, const TermsRoom<K>& room, const UnitTargets<K>& targets, const TargetChunk& chunk
) {
    using Real = TargetReal<K>;
    constexpr int n = n_value_components<K>;
    const auto sum_at = [&](const auto& point, auto& sums) {
        AtTargets<K>::sum_terms(
            order,
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
            sum_at(targets[i + lane], sums);
            targets.set(i + lane, sums);
            continue;
        }
        LanePair<Real> sums[n];
        sum_at(paired(targets[i + lane], targets[i + warp_lanes + lane]), sums);
        Real first[n];
        Real second[n];
#pragma unroll
        for (int c = 0; c < n; ++c) {
            first[c] = sums[c].first;
            second[c] = sums[c].second;
        }
        targets.set(i + lane, first);
        targets.set(i + warp_lanes + lane, second);
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
        const double unit = prepare_terms<K>(order, task.locals + box * n, room);
        add_targets(order, room, UnitTargets<K>(task, frame, chunk, unit), chunk);
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

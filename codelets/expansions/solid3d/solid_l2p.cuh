// SPDX-License-Identifier: BSD-3-Clause
// L2P of solid harmonics: a chunk of a leaf's targets a warp, one or two targets a lane; what each
// harmonic contributes to the potential and to its gradient is prepared in shared memory.
#pragma once

#include "codelets/cuda/lane_pair.cuh"
#include "codelets/expansions/l2p.hpp"
#include "codelets/expansions/solid3d/warp_room.cuh"
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

/// What C_n^m and S_n^m contribute to each component of a value.
template <class K>
struct alignas(2 * sizeof(typename K::Real)) HarmonicTerms {
    using Real = typename K::Real;
    static constexpr int n = n_value_components<K>;
    Real of[n][2];

    /// Of coefficients of `order` degrees.
    __device__ void set(int order, const Real* b, int degree, int m) {
        of[0][0] = b[SolidIndex::cos(degree, m)];
        of[0][1] = m > 0 ? b[SolidIndex::sin(degree, m)] : Real(0);
        if constexpr (has_gradient<K>) {
            const auto terms = K::local_terms(order, b, degree, m);
            of[1][0] = terms.x.cos;
            of[1][1] = terms.x.sin;
            of[2][0] = terms.y.cos;
            of[2][1] = terms.y.sin;
            of[3][0] = terms.z.cos;
            of[3][1] = terms.z.sin;
        }
    }
};

/// Of a warp's leaf, in the order in which harmonics are visited.
template <class K>
constexpr std::size_t solid_l2p_bytes(int order) {
    const std::size_t n_harmonics = order * (order + 1) / 2;
    return (n_harmonics * sizeof(HarmonicTerms<K>) + 15) / 16 * 16;
}

template <class K>
__device__ void prepare_terms(int order, const typename K::Real* b, HarmonicTerms<K>* terms) {
    __syncwarp();
    for (int m = 0; m < order; ++m) {
        visit_lanes(order - m, [&](int i) { terms[i].set(order, b, m + i, m); });
        terms += order - m;
    }
    __syncwarp();
}

/// Components of a value, of one or two targets.
template <class K, class T>
struct HarmonicValue {
    T sum[HarmonicTerms<K>::n];

    /// \param at  in radii of the box, from its centre
    __device__ HarmonicValue(int order, const HarmonicTerms<K>* terms, const Vector3<T>& at) {
#pragma unroll
        for (T& component : sum) {
            component = T(0);
        }
        K::visit_harmonics(order, at, [&](int, int, const T& c, const T& s) {
            const HarmonicTerms<K> own = *terms++;
#pragma unroll
            for (int i = 0; i < HarmonicTerms<K>::n; ++i) {
                using A = Arithmetic<T>;
                sum[i] = A::fused(T(own.of[i][0]), c, A::fused(T(own.of[i][1]), s, sum[i]));
            }
        });
    }
};

/// What a target takes of `sum`: gradients were by coordinates in radii.
template <class K>
__device__ typename K::template Value<typename K::Real>
as_value(const typename K::Real (&sum)[HarmonicTerms<K>::n], typename K::Real inverse_radius) {
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
    const L2PTask<K>& task,
    const HarmonicTerms<K>* terms,
    const Box& frame,
    const TargetChunk& chunk
) {
    using Real = typename K::Real;
    constexpr int n = HarmonicTerms<K>::n;
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
    const std::size_t lane = threadIdx.x % warp_lanes;
    for (std::size_t i = chunk.begin; i < chunk.end; i += 2 * warp_lanes) {
        if (chunk.end - i <= warp_lanes) {
            const HarmonicValue<K, Real> value(task.args.order, terms, at(i + lane));
            set(i + lane, value.sum);
            continue;
        }
        const auto both = paired(at(i + lane), at(i + warp_lanes + lane));
        const HarmonicValue<K, LanePair<Real>> values(task.args.order, terms, both);
        Real first[n];
        Real second[n];
#pragma unroll
        for (int c = 0; c < n; ++c) {
            first[c] = values.sum[c].first;
            second[c] = values.sum[c].second;
        }
        set(i + lane, first);
        set(i + warp_lanes + lane, second);
    }
}

template <class K>
__global__ void __launch_bounds__(most_solid_threads)
    solid_l2p_kernel(const __grid_constant__ L2PTask<K> task, int n, std::size_t n_chunks) {
    using Real = typename K::Real;
    extern __shared__ __align__(16) unsigned char shared_bytes[];
    const int order = task.args.order;
    auto* terms = reinterpret_cast<HarmonicTerms<K>*>(
        shared_bytes + threadIdx.x / warp_lanes * solid_l2p_bytes<K>(order)
    );
    const auto tree = task.boxes.tree(task.args);
    visit_warp_rows(n_chunks, [&](std::size_t index) {
        const TargetChunk chunk =
            target_chunk(task.target_offsets, n_leaves_of<3>(task.args), index);
        if (chunk.begin == chunk.end) {
            return;
        }
        const std::size_t box = tree.leaf_box(chunk.leaf);
        const auto frame = expansion_frame<Real>(task.boxes, box);
        prepare_terms<K>(order, task.locals + box * n, terms);
        add_targets(task, terms, frame, chunk);
    });
}

template <class K>
void solid_l2p(const L2PTask<K>& task, int n) {
    const std::size_t n_chunks = n_target_chunks(n_leaves_of<3>(task.args), n_points(task.targets));
    const std::size_t warp_bytes = solid_l2p_bytes<K>(task.args.order);
    launch_solid_rows(
        solid_l2p_kernel<K>, warp_bytes, n_chunks, most_solid_warps, task, n, n_chunks
    );
    check_cuda(cudaGetLastError(), "launch of solid_l2p_kernel");
}

} // namespace starfmm

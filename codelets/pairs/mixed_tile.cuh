// SPDX-License-Identifier: BSD-3-Clause
// CUDA side of pairs in single precision: a warp rounds each stage of its sources, forms the pairs,
// and adds them up in double. Stages with pairs that are too close are formed in double.
#pragma once

#include "codelets/pairs/lane_targets.cuh"

namespace starfmm {

/// As LaneTargets, for pairs in single precision.
template <class K, class Shape>
struct MixedLaneTargets {
    static constexpr int D = dimension_of<K>;
    using Value = typename K::template Value<double>;
    Position<D, PairReal<K>> z[Shape::tile];
    Value sum[Shape::tile];

    template <class Stream>
    __device__
    MixedLaneTargets(const TargetTile<D>& targets, const Stream& stream, SourceRing<K>& ring)
        : targets_(targets) {
        ring.targets = targets.points.x[0];
        const LaneTargets<K, Shape> exact(targets);
        RoundingScout<K> scout(exact.z);
        stream.show_sources(scout);
        frame_ = scout.frame();
        const double factor = inverse_power(frame_.units.length);
#pragma unroll
        for (int t = 0; t < Shape::tile; ++t) {
            const auto seen = factor * (exact.z[t] - frame_.middle);
            z[t] = make_position<D>([&](int d) { return rounded_once(coordinate(seen, d)); });
            sum[t] = Value{};
        }
        __syncwarp();
    }

    __device__ Position<D, double> idle() const {
        return frame_.middle;
    }

    __device__ void add(SourceRing<K>& ring, unsigned first, unsigned n, unsigned rounded) {
        bool own = false;
        bool in_range = frame_.can_round;
        for (unsigned i = threadIdx.x % warp_lanes; i < rounded; i += warp_lanes) {
            if (i < n) {
                const unsigned from = (first + i) % ring_sources<K>;
                const unsigned number = ring.numbers[from];
                ring.stage.numbers[i] = number;
                own = own || number - targets_.begin < targets_.end - targets_.begin;
                const bool fits =
                    ring.stage.store(i, ring.point(from), ring.strength(from), frame_);
                in_range = in_range && fits;
            } else {
                ring.stage.store_idle(i);
            }
        }
        __syncwarp();
        const bool has_own = __any_sync(0xffffffffU, own);
        if (!__all_sync(0xffffffffU, in_range) || !add_rounded(ring, rounded, has_own)) {
            add_exact(ring, first, rounded);
        }
    }

private:
    /// \returns whether the pairs are far enough apart: if not, nothing is added
    __device__ bool add_rounded(const SourceRing<K>& ring, unsigned n, bool has_own) {
        using Sums = RoundedSums<K, Shape>;
        unsigned numbers[Shape::tile];
#pragma unroll
        for (int t = 0; t < Shape::tile; ++t) {
            numbers[t] = targets_.template number<Shape>(t);
        }
        Sums sums = has_own ? Sums::template over<true>(ring.stage, n, z, numbers)
                            : Sums::template over<false>(ring.stage, n, z, numbers);
        const bool valid = __all_sync(0xffffffffU, sums.are_valid(z));
        if (valid) {
#pragma unroll
            for (int t = 0; t < Shape::tile; ++t) {
                add_in_units<K>(sum[t], sums.of[t], frame_.units);
            }
        }
        return valid;
    }

    struct ExactSums {
        Value of[Shape::tile];
    };

    /// Apart from the rest, as it is rarely called.
    __device__ __noinline__ static ExactSums exact_sums(
        const TargetTile<D>& targets, const SourceRing<K>& ring, unsigned first, unsigned n
    ) {
        LaneTargets<K, Shape> exact(targets);
        add_stage<K, Shape>(exact.z, ring, first, n, exact.sum);
        ExactSums sums;
#pragma unroll
        for (int t = 0; t < Shape::tile; ++t) {
            sums.of[t] = exact.sum[t];
        }
        return sums;
    }

    __device__ void add_exact(const SourceRing<K>& ring, unsigned first, unsigned n) {
        const ExactSums sums = exact_sums(targets_, ring, first, n);
#pragma unroll
        for (int t = 0; t < Shape::tile; ++t) {
            sum[t] += sums.of[t];
        }
    }

    TargetTile<D> targets_;
    RoundingFrame frame_;
};

} // namespace starfmm

// SPDX-License-Identifier: BSD-3-Clause
// Sources of one warp in shared memory, to which it copies them asynchronously.
#pragma once

#include "codelets/cuda/cuda_check.cuh"
#include "codelets/pairs/pair_form.hpp"
#include "codelets/task/task_views.hpp"
#include "core/laws/pair_point.hpp"

#include <cuda_pipeline.h>

#include <type_traits>

namespace starfmm {

/// A point as pairs need it.
template <class K>
using WarpPoint = PairPoint<typename K::Real, Position<dimension_of<K>, typename K::Real>>;

/// The number of a source that is not among the task's targets.
inline constexpr unsigned no_target = ~0U;

/// Returns the number of a source among the task's targets.
/// \param self the first target's place among the sources, if targets are among them
__device__ inline unsigned target_number(std::size_t source, std::int64_t self) {
    return self == DirectArgs::nowhere
               ? no_target
               : static_cast<unsigned>(static_cast<std::int64_t>(source) - self);
}

/// The most targets of any shape: sums of several right-hand sides take the registers of more.
template <class K>
inline constexpr unsigned most_targets = columns_at_once<K> > 1 ? 32 : 64;

/// The sources between two waits.
inline constexpr unsigned stage_sources = 32;

/// The most sources that are copied at a time.
inline constexpr unsigned piece_sources = 64;

/// The room for the stage in use, the next one, and the end of a piece that began in it.
inline constexpr unsigned ring_sources = 2 * stage_sources + piece_sources;

/// The sources of one warp, numbered from the stream's first, modulo the ring's size.
template <class K>
struct alignas(16) SourceRing {
    static constexpr int D = dimension_of<K>;
    using Real = typename K::Real;
    using Point = WarpPoint<K>;
    using Value = typename K::template Value<Real>;
    static constexpr bool is_split = !std::is_same_v<Real, double>;
    Real x[D][ring_sources];
    Real low[D][is_split ? ring_sources : 1];
    alignas(16) Real strengths[n_strength_components<K>][ring_sources];
    /// Their numbers among the targets, of kernels that need them.
    unsigned numbers[acts_on_itself<K> ? ring_sources : 1];

    /// Has the warp begin to copy `n` <= piece_sources sources from `from` on of a group's arrays.
    /// \param self  as target_number() takes it
    __device__ void fetch_piece(
        unsigned at,
        const PointView<D>& points,
        const StrengthView<K>& given,
        std::size_t from,
        unsigned n,
        [[maybe_unused]] std::int64_t self
    ) {
#pragma unroll
        for (unsigned i = 0; i < piece_sources; i += warp_lanes) {
            const unsigned source = i + threadIdx.x % warp_lanes;
            if (source < n) {
                const unsigned i = (at + source) % ring_sources;
                if constexpr (acts_on_itself<K>) {
                    numbers[i] = target_number(from + source, self);
                }
                fetch_point(i, points, from + source);
                fetch_strength(i, given, from + source);
            }
        }
    }

    /// Begins to copy a strength to place `i`.
    __device__ void fetch_strength(unsigned i, const StrengthView<K>& given, std::size_t from) {
#pragma unroll
        for (int c = 0; c < n_strength_components<K>; ++c) {
            const Real* component = given.of_component[c];
            __pipeline_memcpy_async(strengths[c] + i, component + from, sizeof(Real));
        }
    }

    /// Begins to copy a point to place `i`; in single precision the point is split and stored at
    /// once.
    __device__ void fetch_point(unsigned i, const PointView<D>& points, std::size_t from) {
        if constexpr (is_split) {
            store_point(i, pair_point<Real>(points[from]));
        } else {
#pragma unroll
            for (int d = 0; d < D; ++d) {
                __pipeline_memcpy_async(x[d] + i, points.x[d] + from, sizeof(Real));
            }
        }
    }

    __device__ void store_point(unsigned i, const Point& z) {
#pragma unroll
        for (int d = 0; d < D; ++d) {
            if constexpr (is_split) {
                x[d][i] = coordinate(z.high, d);
                low[d][i] = coordinate(z.low, d);
            } else {
                x[d][i] = coordinate(z, d);
            }
        }
    }

    /// Stores a source without strength, which adds nothing to any target.
    __device__ void store_idle(unsigned at, const Point& z) {
        const unsigned i = at % ring_sources;
        store_point(i, z);
#pragma unroll
        for (int c = 0; c < n_strength_components<K>; ++c) {
            strengths[c][i] = 0;
        }
    }

    __device__ Point point(unsigned i) const {
        const auto high = make_position<D>([&](int d) { return x[d][i]; });
        if constexpr (is_split) {
            return {high, make_position<D>([&](int d) { return low[d][i]; })};
        } else {
            return high;
        }
    }

    __device__ typename K::template Strength<Real> strength(unsigned i) const {
        typename K::template Strength<Real> q;
        visit_components(q, [&](int c, Real& part) { part = strengths[c][i]; });
        return q;
    }

    /// Whether source `i` is a target of the task's.
    [[nodiscard]] __device__ bool is_target(unsigned i, unsigned number) const {
        if constexpr (acts_on_itself<K>) {
            return numbers[i] == number;
        } else {
            return false;
        }
    }

    /// Returns the room of the ring, which without sources serves to exchange results.
    __device__ ValueView<K> values() {
        constexpr int a_room = ring_sources / most_targets<K>; // components
        static_assert(ValueView<K>::n <= (D + n_strength_components<K>)*a_room);
        ValueView<K> view;
#pragma unroll
        for (int c = 0; c < ValueView<K>::n; ++c) {
            const int room = c / a_room;
            Real* const begin = room < D ? x[room] : strengths[room - D];
            view.of_component[c] = begin + c % a_room * most_targets<K>;
        }
        return view;
    }
};

} // namespace starfmm

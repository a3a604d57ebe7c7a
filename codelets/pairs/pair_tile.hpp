// SPDX-License-Identifier: BSD-3-Clause
// A tile of targets, a lane each, against a range of sources: what P2P and the direct sum share on
// CPUs.
#pragma once

#include "codelets/pairs/pair_form.hpp"
#include "codelets/simd/lanes.hpp"
#include "codelets/task/task_views.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace starfmm {

/// Targets of a tile: enough lanes in flight to hide the latency of the reciprocal, as far as sums
/// of several columns leave registers.
template <class K, class B>
inline constexpr std::size_t pair_tile = B::size >= 8 && n_value_components<K> <= 12 ? 2
                                         : columns_at_once<K> > 1                    ? 1
                                                                                     : 4;

/// Whether a tile's sums stay in registers. With 16 of them the plane's do not: copies of them cost
/// 5 to 10 %.
template <class K, class B>
inline constexpr bool sums_in_registers = sizeof(B) == 64 || dimension_of<K> == 3;

/// Sources [begin, end) of a group's arrays.
template <class K>
struct SourcePiece {
    PointView<dimension_of<K>> points;
    StrengthView<K> strengths;
    std::size_t begin;
    std::size_t end;
    /// The place of the task's first target among the sources, if its targets are among them.
    std::int64_t self = DirectArgs::nowhere;

    /// Returns a part of the piece.
    [[nodiscard]] SourcePiece part(std::size_t from, std::size_t to) const {
        return {points, strengths, from, to, self};
    }

    /// Returns the part of the piece that is targets [first, first + n) of the task's: none, if they
    /// are no sources of the piece.
    [[nodiscard]] SourcePiece targets(std::size_t first, std::size_t n) const {
        const auto place = [&](std::size_t target) {
            const std::int64_t i = self + static_cast<std::int64_t>(target);
            const auto from = static_cast<std::int64_t>(begin);
            return static_cast<std::size_t>(std::clamp(i, from, static_cast<std::int64_t>(end)));
        };
        return part(place(first), place(first + n));
    }
};

/// Returns a strength in all lanes but one; in all, if there is no such lane.
template <class B, class Q>
Q strength_of_others(Q q, std::int64_t lane) {
    if (lane < 0 || lane >= static_cast<std::int64_t>(B::size)) {
        return q;
    }
    visit_components(q, [&](int /*c*/, B& part) {
        alignas(64) typename B::value_type lanes[B::size];
        part.store_aligned(lanes);
        lanes[lane] = 0;
        part = B::load_aligned(lanes);
    });
    return q;
}

/// Sources of pairs, each in every lane.
template <class Real, int D>
class PairSources {
public:
    static constexpr std::size_t capacity = 64; ///< they are copied

    PairSources(const PointView<D>& points, std::size_t begin, std::size_t n) {
        for (std::size_t i = 0; i < n; ++i) {
            const auto point = pair_point<Real>(points[begin + i]);
            for (int d = 0; d < D; ++d) {
                high_[d][i] = coordinate(point.high, d);
                low_[d][i] = coordinate(point.low, d);
            }
        }
    }

    template <class B>
    PairPoint<Real, Position<D, B>> get(std::size_t i) const {
        return {
            make_position<D>([&](int d) { return B(high_[d][i]); }),
            make_position<D>([&](int d) { return B(low_[d][i]); })};
    }

private:
    alignas(64) Real high_[D][capacity];
    alignas(64) Real low_[D][capacity];
};

template <int D>
class PairSources<double, D> {
public:
    static constexpr std::size_t capacity = ~std::size_t(0);

    PairSources(const PointView<D>& points, std::size_t begin, std::size_t /*n*/) {
        for (int d = 0; d < D; ++d) {
            points_.x[d] = points.x[d] + begin;
        }
    }

    template <class B>
    Position<D, B> get(std::size_t i) const {
        return make_position<D>([&](int d) { return B(points_.x[d][i]); });
    }

private:
    PointView<D> points_;
};

/// \tparam are_targets whether sources are targets of the tile, the first of which is `first`
template <class K, class B, bool are_targets, std::size_t n_batches>
[[gnu::always_inline]] inline void add_pairs(
    const K& kernel,
    const LanePoint<K, B> (&z)[n_batches],
    [[maybe_unused]] std::size_t first,
    const SourcePiece<K>& piece,
    LaneValue<K, B> (&sum)[n_batches],
    const LaneLengths<K, B, n_batches>& lengths
) {
    constexpr int D = dimension_of<K>;
    using Sources = PairSources<typename K::Real, D>;
    const auto origin = make_position<D>([](int /*d*/) { return B(0); });
    for (std::size_t begin = piece.begin; begin < piece.end;) {
        const std::size_t n = std::min(Sources::capacity, piece.end - begin);
        const Sources sources(piece.points, begin, n);
        for (std::size_t j = 0; j < n; ++j) {
            const auto source = sources.template get<B>(j);
            const LaneStrength<K, B> q = same_strength<K, B>(piece.strengths, begin + j);
            for (std::size_t t = 0; t < n_batches; ++t) {
                const auto d = displacement(z[t], source);
                if constexpr (are_targets) {
                    const auto lane = static_cast<std::int64_t>(begin + j) - piece.self -
                                      static_cast<std::int64_t>(first + t * B::size);
                    const auto others = strength_of_others<B>(q, lane);
                    sum[t] += pair_with_length(kernel, origin, d, others, lengths.of[t]);
                } else {
                    sum[t] += pair_with_length(kernel, origin, d, q, lengths.of[t]);
                }
            }
        }
        begin += n;
    }
}

template <class K, class B, bool are_targets, std::size_t n_batches>
void add_part(
    const K& kernel,
    const LanePoint<K, B> (&z)[n_batches],
    std::size_t first,
    const SourcePiece<K>& piece,
    LaneValue<K, B> (&sum)[n_batches],
    const LaneLengths<K, B, n_batches>& lengths
) {
    if constexpr (sums_in_registers<K, B>) {
        LanePoint<K, B> own[n_batches];
        LaneValue<K, B> total[n_batches];
        std::copy_n(z, n_batches, own);
        std::copy_n(sum, n_batches, total);
        const LaneLengths<K, B, n_batches> own_lengths = lengths;
        add_pairs<K, B, are_targets>(kernel, own, first, piece, total, own_lengths);
        std::copy_n(total, n_batches, sum);
    } else {
        add_pairs<K, B, are_targets>(kernel, z, first, piece, sum, lengths);
    }
}

/// Adds the piece's sources to `n_batches` batches of targets, to none of them itself.
/// \param first    number of the first target among the task's
/// \param lengths  those of the targets, of kernels that have them
template <class K, class B, std::size_t n_batches>
void add_piece(
    const K& kernel,
    const LanePoint<K, B> (&z)[n_batches],
    std::size_t first,
    const SourcePiece<K>& piece,
    LaneValue<K, B> (&sum)[n_batches],
    const LaneLengths<K, B, n_batches>& lengths = {}
) {
    if constexpr (acts_on_itself<K>) {
        const SourcePiece<K> own = piece.targets(first, n_batches * B::size);
        const auto before = piece.part(piece.begin, own.begin);
        add_part<K, B, false>(kernel, z, first, before, sum, lengths);
        add_part<K, B, true>(kernel, z, first, own, sum, lengths);
        const auto behind = piece.part(own.end, piece.end);
        add_part<K, B, false>(kernel, z, first, behind, sum, lengths);
    } else {
        add_part<K, B, false>(kernel, z, first, piece, sum, lengths);
    }
}

} // namespace starfmm

// SPDX-License-Identifier: BSD-3-Clause
// Sources in single precision, as a few targets see them, on CPUs.
#pragma once

#include "codelets/pairs/pair_tile.hpp"
#include "codelets/simd/lanes.hpp"
#include "core/laws/mixed_pairs.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace starfmm {

/// The sources rounded to a kernel's PairReal, and where they come from.
template <class K>
class RoundedSources {
public:
    static constexpr int D = dimension_of<K>;
    using Real = PairReal<K>;
    static constexpr std::size_t capacity = 256; ///< longer sums in Real would lose digits

    [[nodiscard]] std::size_t size() const { return n_; }

    [[nodiscard]] std::size_t room() const {
        return n_pieces_ < most_pieces && in_range_ ? capacity - n_ : 0;
    }

    /// Whether all numbers are of a size that keeps pairs within Real's range.
    [[nodiscard]] bool in_range() const { return in_range_; }

    void clear() {
        n_ = 0;
        n_pieces_ = 0;
        in_range_ = true;
    }

    /// Adds the sources of `piece`, at most room() of them, as seen from `origin`.
    void
    add(const SourcePiece<K>& piece, const Position<D, double>& origin, const MixedUnits& units) {
        pieces_[n_pieces_++] = piece;
        const std::size_t n = piece.end - piece.begin;
        for (int d = 0; d < D; ++d) {
            const double* x = piece.points.x[d] + piece.begin;
            in_range_ &= round({x, n, coordinate(origin, d), units.length, mixed_farthest}, x_[d]);
        }
        for (int c = 0; c < n_strength_components<K>; ++c) {
            const double* q = piece.strengths.of_component[c] + piece.begin;
            in_range_ &= round({q, n, 0, units.strength, mixed_strongest}, q_[c]);
        }
        n_ += n;
    }

    /// Returns source `i` in every lane.
    template <class B>
    Position<D, B> point(std::size_t i) const {
        return make_position<D>([&](int d) { return B(x_[d][i]); });
    }

    template <class B>
    LaneStrength<K, B> strength(std::size_t i) const {
        LaneStrength<K, B> q;
        visit_components(q, [&](int c, B& lanes) { lanes = B(q_[c][i]); });
        return q;
    }

    template <class Use>
    void for_each_piece(const Use& use) const {
        std::for_each_n(pieces_, n_pieces_, use);
    }

private:
    static constexpr std::size_t most_pieces = 32;

    struct Numbers {
        const double* from;
        std::size_t n;
        double origin;
        double unit;
        double largest;
    };

    /// Rounds numbers. \returns whether all are in range
    bool round(const Numbers& numbers, Real* to) const {
        const double factor = 1 / numbers.unit;
        int n_large = 0;
        for (std::size_t i = 0; i < numbers.n; ++i) {
            const double x = (numbers.from[i] - numbers.origin) * factor;
            n_large += std::abs(x) > numbers.largest ? 1 : 0;
            to[n_ + i] = static_cast<Real>(x);
        }
        return n_large == 0;
    }

    std::size_t n_ = 0;
    std::size_t n_pieces_ = 0;
    bool in_range_ = true;
    alignas(64) Real x_[D][capacity];
    alignas(64) Real q_[n_strength_components<K>][capacity];
    SourcePiece<K> pieces_[most_pieces];
};

} // namespace starfmm

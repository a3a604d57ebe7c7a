// SPDX-License-Identifier: BSD-3-Clause
// A few targets against sources by pairs in single precision, on CPUs: sums of up to a few hundred
// pairs are added up in double precision. core/laws/mixed_pairs.hpp says which pairs are formed in
// double.
#pragma once

#include "codelets/pairs/pair_tile.hpp"
#include "codelets/pairs/rounded_sources.hpp"
#include "codelets/simd/lanes.hpp"
#include "core/laws/mixed_pairs.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace starfmm {

/// Up to `capacity` targets, whose sums over pieces of sources are formed side by side.
template <class K, class Isa>
class MixedTargets {
public:
    static constexpr std::size_t capacity = 128;

    /// Takes targets [begin, end). `pieces` calls what it is given with each piece that is to be
    /// added: units follow from the extent of the targets and from the pieces' first sources, a
    /// sample which the others need not be like.
    template <class Pieces>
    MixedTargets(
        const K& kernel,
        const PointView<dimension_of<K>>& points,
        std::size_t begin,
        std::size_t end,
        const Pieces& pieces
    )
        : kernel_(kernel), points_(points), begin_(begin), n_(end - begin) {
        double extent = softening_of(kernel);
        for (int d = 0; d < D; ++d) {
            const auto [low, high] = std::minmax_element(points.x[d] + begin, points.x[d] + end);
            middle_[d] = *low + (*high - *low) / 2;
            extent = std::max(extent, *high - *low);
        }
        double strength = 0;
        pieces([&](const SourcePiece<K>& piece) { look_at(piece, extent, strength); });
        if (extent > 0 && strength > 0) {
            units_ = {power_above(extent), power_above(strength)};
            can_round_ = may_soften_mixed(softening_of(kernel), units_);
        }
        if (can_round_) {
            round_targets();
        }
    }

    void add(const SourcePiece<K>& piece) {
        if (!can_round_) {
            add_in_double(0, n_, piece);
            return;
        }
        // pairs of targets with each other are formed in double
        const SourcePiece<K> own = piece.targets(begin_, n_);
        add_rounded(piece.part(piece.begin, own.begin));
        add_in_double(0, n_, own);
        add_rounded(piece.part(own.end, piece.end));
    }

    /// Stores the sums once all pieces are added.
    void store(const ValueView<K>& values, Store how) {
        flush();
        for (int c = 0; c < n_values; ++c) {
            double* out = values.of_component[c] + begin_;
            for (std::size_t i = 0; i < n_; ++i) {
                out[i] = sums_[c][i] + (how == Store::add ? out[i] : 0);
            }
        }
    }

private:
    static constexpr int D = dimension_of<K>;
    static constexpr int n_values = n_value_components<K>;
    using Real = PairReal<K>;
    using B = Batch<Real, Isa>;
    using Wide = Batch<double, Isa>;

    static double power_above(double x) { return std::ldexp(1, std::ilogb(x) + 1); }

    void look_at(const SourcePiece<K>& piece, double& extent, double& strength) const {
        if (piece.begin == piece.end) {
            return;
        }
        for (int d = 0; d < D; ++d) {
            extent = std::max(extent, std::abs(piece.points.x[d][piece.begin] - middle_[d]));
        }
        for (const double* component : piece.strengths.of_component) {
            strength = std::max(strength, std::abs(component[piece.begin]));
        }
    }

    /// Rounds the targets, of which idle lanes of the last batch repeat the first.
    void round_targets() {
        for (int d = 0; d < D; ++d) {
            const double* x = points_.x[d] + begin_;
            const double factor = 1 / units_.length;
            for (std::size_t i = 0; i < n_; ++i) {
                x_[d][i] = static_cast<Real>((x[i] - middle_[d]) * factor);
            }
            for (std::size_t i = n_; i % B::size != 0; ++i) {
                x_[d][i] = x_[d][0];
            }
        }
    }

    void add_rounded(SourcePiece<K> piece) {
        const auto origin = make_position<D>([&](int d) { return middle_[d]; });
        while (piece.begin < piece.end) {
            if (sources_.room() == 0) {
                flush();
            }
            const std::size_t end = std::min(piece.end, piece.begin + sources_.room());
            sources_.add(piece.part(piece.begin, end), origin, units_);
            piece.begin = end;
        }
    }

    void flush() {
        constexpr std::size_t tile = pair_tile<K, B>;
        std::size_t i = 0;
        for (; i + (tile - 1) * B::size < n_; i += tile * B::size) {
            add_tile<tile>(i);
        }
        for (; i < n_; i += B::size) {
            add_tile<1>(i);
        }
        sources_.clear();
    }

    /// Adds the rounded sources to the targets from `i`.
    template <std::size_t n_batches>
    void add_tile(std::size_t i) {
        const auto origin = make_position<D>([](int /*d*/) { return B(0); });
        const MixedKernel<K> kernel = mixed_kernel(kernel_, 1 / units_.length);
        Position<D, B> z[n_batches];
        LaneValue<K, B> sum[n_batches];
        B closest[n_batches];
        for (std::size_t t = 0; t < n_batches; ++t) {
            z[t] =
                make_position<D>([&](int d) { return B::load_aligned(x_[d] + i + t * B::size); });
            sum[t] = zero_value<K, B>();
            closest[t] = B(1);
        }
        for (std::size_t j = 0; j < sources_.size(); ++j) {
            const auto source = sources_.template point<B>(j);
            const auto q = sources_.template strength<B>(j);
            for (std::size_t t = 0; t < n_batches; ++t) {
                const auto d = displacement(z[t], source);
                closest[t] = xsimd::min(closest[t], square(d));
                sum[t] += mixed_pair(kernel, origin, d, q);
            }
        }
        bool is_valid = sources_.in_range();
        const B softening(static_cast<Real>(softening_of(kernel)));
        for (std::size_t t = 0; t < n_batches; ++t) {
            const B softened = closest[t] + softening * softening;
            is_valid &= xsimd::all(softened > mixed_closest_square(z[t]));
        }
        add_up<n_batches>(i, sum, is_valid);
    }

    template <std::size_t n_batches>
    void add_up(std::size_t i, const LaneValue<K, B> (&sum)[n_batches], bool is_valid) {
        if (!is_valid) {
            const std::size_t end = std::min(n_, i + n_batches * B::size);
            sources_.for_each_piece([&](const auto& piece) { add_in_double(i, end, piece); });
            return;
        }
        for (std::size_t t = 0; t < n_batches; ++t) {
            visit_components(sum[t], [&](int c, const B& lanes) {
                alignas(64) Real parts[B::size];
                lanes.store_aligned(parts);
                double* sums = sums_[c] + i + t * B::size;
                const double unit = unit_of(c);
                for (std::size_t k = 0; k < B::size; ++k) {
                    sums[k] += unit * static_cast<double>(parts[k]);
                }
            });
        }
    }

    /// Returns the unit of component `c` of the results.
    [[nodiscard]] double unit_of(int c) const {
        const double potential = units_.strength / units_.length;
        return c % (n_values / columns_at_once<K>) == 0 ? potential : potential / units_.length;
    }

    /// Adds a piece's sources to targets [begin, end).
    void add_in_double(std::size_t begin, std::size_t end, const SourcePiece<K>& piece) {
        constexpr std::size_t tile = pair_tile<K, Wide>;
        for (std::size_t i = begin; piece.begin < piece.end && i < end; i += tile * Wide::size) {
            Position<D, Wide> z[tile];
            LaneValue<K, Wide> sum[tile];
            for (std::size_t t = 0; t < tile; ++t) {
                const std::size_t k = i + t * Wide::size;
                z[t] = load_pair_points<double, Wide>(
                    points_, begin_ + k, k < end ? end - k : 0, points_[begin_ + i]
                );
                sum[t] = zero_value<K, Wide>();
            }
            add_piece<K, Wide>(kernel_, z, begin_ + i, piece, sum);
            for (std::size_t t = 0; t < tile && i + t * Wide::size < end; ++t) {
                add_wide(i + t * Wide::size, end, sum[t]);
            }
        }
    }

    void add_wide(std::size_t i, std::size_t end, const LaneValue<K, Wide>& sum) {
        visit_components(sum, [&](int c, const Wide& lanes) {
            double* sums = sums_[c] + i;
            store_lanes(lanes + load_lanes<Wide>(sums, end - i, 0.0), sums, end - i);
        });
    }

    [[no_unique_address]] K kernel_;
    PointView<D> points_;
    std::size_t begin_;
    std::size_t n_;
    double middle_[D];
    bool can_round_ = false;
    MixedUnits units_;
    alignas(64) Real x_[D][capacity];
    alignas(64) double sums_[n_values][capacity] = {};
    RoundedSources<K> sources_;
};

/// The place where sums go.
template <class K>
struct StoredSums {
    ValueView<K> values;
    Store how;
};

/// Sums over all pieces for targets [begin, end).
template <class K, class Isa, class Pieces>
void mixed_sums(
    const K& kernel,
    const PointView<dimension_of<K>>& targets,
    std::size_t begin,
    std::size_t end,
    const Pieces& pieces,
    const StoredSums<K>& sums
) {
    using Targets = MixedTargets<K, Isa>;
    for (std::size_t i = begin; i < end; i += Targets::capacity) {
        Targets some(kernel, targets, i, std::min(end, i + Targets::capacity), pieces);
        pieces([&](const SourcePiece<K>& piece) { some.add(piece); });
        some.store(sums.values, sums.how);
    }
}

} // namespace starfmm

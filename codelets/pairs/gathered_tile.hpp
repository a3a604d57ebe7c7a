// SPDX-License-Identifier: BSD-3-Clause
// A leaf's targets against its near leaves, with a source a lane, on CPUs: leaves are small, and
// their near ones together are not, so that next to no lane is idle.
#pragma once

#include "codelets/pairs/pair_form.hpp"
#include "codelets/pairs/pair_tile.hpp"
#include "codelets/simd/lanes.hpp"
#include "core/laws/pair_point.hpp"
#include "core/split.hpp"

#include <algorithm>
#include <cstddef>
#include <type_traits>

namespace starfmm {

/// Points as pairs see them, each in a lane of its own or one in every lane.
template <class K, class B, PairForm form>
using GatheredPoint =
    std::conditional_t<form == PairForm::split, LanePoint<K, B>, Position<dimension_of<K>, B>>;

/// Sources of several pieces, one after the other.
template <class K, class B, PairForm form>
class GatheredSources {
public:
    static constexpr int D = dimension_of<K>;
    using Real = typename K::Real;
    static constexpr std::size_t capacity = 1024; ///< the first cache holds them

    /// Rounded sources are differences from `centre`; split ones do without it.
    explicit GatheredSources(const Position<D, double>& centre) : centre_(centre) {}

    [[nodiscard]] std::size_t size() const { return n_; }

    [[nodiscard]] std::size_t room() const { return capacity - n_; }

    void clear() {
        n_ = 0;
        own_ = {};
    }

    /// Some of the sources that are targets, which follow each other.
    struct Targets {
        std::size_t begin = 0; ///< place of the first
        std::size_t end = 0;
        std::size_t first = 0; ///< its number among the task's targets

        /// Returns the place of a target as seen from a source.
        [[nodiscard]] std::int64_t lane(std::size_t target, std::size_t source) const {
            return static_cast<std::int64_t>(target + begin) -
                   static_cast<std::int64_t>(first + source);
        }
    };

    /// Returns those that are among the targets that were asked for.
    [[nodiscard]] const Targets& own() const { return own_; }

    /// Adds sources as add() does. \param own those of them that are targets, if any
    void add(const SourcePiece<K>& piece, const SourcePiece<K>& own) {
        if (own.begin < own.end) {
            const std::size_t begin = n_ + (own.begin - piece.begin);
            const auto first = static_cast<std::int64_t>(own.begin) - own.self;
            own_ = {begin, begin + (own.end - own.begin), static_cast<std::size_t>(first)};
        }
        add(piece, piece.begin, piece.end - piece.begin);
    }

    /// Adds `n` sources, at most room(), of the piece's from `begin` on.
    void add(const SourcePiece<K>& piece, std::size_t begin, std::size_t n) {
        for (int d = 0; d < D; ++d) {
            add_coordinates(d, piece.points.x[d] + begin, n);
        }
        for (int c = 0; c < n_strength_components<K>; ++c) {
            std::copy_n(piece.strengths.of_component[c] + begin, n, q_[c] + n_);
        }
        n_ += n;
    }

    /// Lanes behind the last source: they repeat the last one, with no strength.
    void fill_idle() {
        // a multiple of the lanes in any case: the compiler must see that arrays do not end before
        const std::size_t end = std::min((n_ + B::size - 1) / B::size * B::size, capacity);
        for (std::size_t i = n_; i < end; ++i) {
            for (int d = 0; d < D; ++d) {
                x_[d][i] = x_[d][n_ - 1];
                if constexpr (form == PairForm::split) {
                    low_[d][i] = low_[d][n_ - 1];
                }
            }
            for (auto& component : q_) {
                component[i] = 0;
            }
        }
    }

    /// The places of B::size sources from `i` on.
    [[nodiscard]] GatheredPoint<K, B, form> points(std::size_t i) const {
        const auto load = [&](const Real(&x)[D][capacity]) {
            return make_position<D>([&](int d) { return B::load_aligned(x[d] + i); });
        };
        if constexpr (form == PairForm::split) {
            return {load(x_), load(low_)};
        } else {
            return load(x_);
        }
    }

    [[nodiscard]] LaneStrength<K, B> strengths(std::size_t i) const {
        LaneStrength<K, B> q;
        visit_components(q, [&](int c, B& lanes) { lanes = B::load_aligned(q_[c] + i); });
        return q;
    }

    /// A target in every lane.
    [[nodiscard]] GatheredPoint<K, B, form> same(const Position<D, double>& target) const {
        const auto spread = [](const Position<D, Real>& x) {
            return make_position<D>([&](int d) { return B(coordinate(x, d)); });
        };
        if constexpr (form == PairForm::split) {
            const auto split = pair_point<Real>(target);
            return {spread(split.high), spread(split.low)};
        } else {
            return make_position<D>([&](int d) {
                return B(static_cast<Real>(coordinate(target, d) - coordinate(centre_, d)));
            });
        }
    }

private:
    void add_coordinates(int d, const double* x, std::size_t n) {
        const double centre = coordinate(centre_, d);
        for (std::size_t i = 0; i < n; ++i) {
            if constexpr (form == PairForm::split) {
                const SplitReal parts = split(x[i]);
                x_[d][n_ + i] = parts.high;
                low_[d][n_ + i] = parts.low;
            } else {
                x_[d][n_ + i] = static_cast<Real>(x[i] - centre);
            }
        }
    }

    static constexpr std::size_t low_capacity = form == PairForm::split ? capacity : B::size;

    std::size_t n_ = 0;
    Targets own_;
    Position<D, double> centre_;
    alignas(64) Real x_[D][capacity];
    alignas(64) Real low_[D][low_capacity];
    alignas(64) Real q_[n_strength_components<K>][capacity];
};

/// Sums of a leaf's targets over sources that are added piece by piece.
template <class K, class Isa, PairForm form>
class GatheredSums {
public:
    static constexpr int D = dimension_of<K>;
    using Real = typename K::Real;

    /// Targets [begin, end), as seen from `centre`. Clears their `values`.
    GatheredSums(
        const K& kernel,
        const PointView<D>& targets,
        std::size_t begin,
        std::size_t end,
        const Position<D, double>& centre,
        const ValueView<K>& values
    )
        : kernel_(kernel), targets_(targets), begin_(begin), end_(end), values_(values),
          sources_(centre) {
        for (Real* component : values.of_component) {
            std::fill(component + begin, component + end, Real(0));
        }
    }

    void add(const SourcePiece<K>& piece) {
        for (std::size_t i = piece.begin; i < piece.end;) {
            const std::size_t n = std::min(piece.end - i, sources_.room());
            const SourcePiece<K> part = piece.part(i, i + n);
            sources_.add(part, part.targets(begin_, end_ - begin_));
            i += n;
            if (sources_.room() == 0) {
                flush();
            }
        }
    }

    /// Once all pieces are added.
    void finish() {
        if (sources_.size() > 0) {
            flush();
        }
    }

private:
    using B = Batch<Real, Isa>;

    /// Targets at once: as many as have room in registers.
    static constexpr std::size_t tile = sizeof(B) == 64 ? 4 : 1;

    void flush() {
        sources_.fill_idle();
        std::size_t i = begin_;
        for (; i + tile <= end_; i += tile) {
            add_to<tile>(i);
        }
        add_to_rest<tile - 1>(i);
        sources_.clear();
    }

    /// Adds all gathered sources to the last targets, from `i` on: at most `most`.
    template <std::size_t most>
    void add_to_rest(std::size_t i) {
        if constexpr (most > 0) {
            if (end_ - i == most) {
                add_to<most>(i);
            } else {
                add_to_rest<most - 1>(i);
            }
        }
    }

    /// Adds all gathered sources to `n` targets from `begin` on.
    template <std::size_t n>
    void add_to(std::size_t begin) {
        const K kernel = kernel_; // a copy: no store changes it
        const auto origin = make_position<D>([](int /*d*/) { return B(0); });
        GatheredPoint<K, B, form> z[n];
        LaneValue<K, B> sum[n];
        for (std::size_t t = 0; t < n; ++t) {
            z[t] = sources_.same(targets_[begin + t]);
            sum[t] = zero_value<K, B>();
        }
        const auto add = [&](std::size_t j, const auto& strength_for)
            __attribute__((always_inline)) {
            const auto source = sources_.points(j);
            const LaneStrength<K, B> q = sources_.strengths(j);
            for (std::size_t t = 0; t < n; ++t) {
                const auto d = displacement(z[t], source);
                sum[t] += pair_in_form<form>(kernel, origin, d, strength_for(t, q));
            }
        };
        const auto add_all = [&](std::size_t from, std::size_t to) __attribute__((always_inline)) {
            for (std::size_t j = from; j < to; j += B::size) {
                add(j, [](std::size_t /*t*/, const LaneStrength<K, B>& q) { return q; });
            }
        };
        if constexpr (acts_on_itself<K>) {
            const auto& own = sources_.own();
            const std::size_t own_begin = own.begin / B::size * B::size;
            const std::size_t own_end = (own.end + B::size - 1) / B::size * B::size;
            add_all(0, own_begin);
            for (std::size_t j = own_begin; j < own_end; j += B::size) {
                add(j, [&](std::size_t t, const LaneStrength<K, B>& q) {
                    return strength_of_others<B>(q, own.lane(begin + t, j));
                });
            }
            add_all(own_end, sources_.size());
        } else {
            add_all(0, sources_.size());
        }
        add_lanes(sum, begin);
    }

    /// Adds the sums over lanes to the values of targets from `begin` on, four sums at a time where
    /// that divides them, which are found together.
    template <std::size_t n>
    void add_lanes(const LaneValue<K, B> (&sum)[n], std::size_t begin) {
        constexpr std::size_t n_parts = n_value_components<K>;
        constexpr std::size_t width = n * n_parts % 4 == 0 ? 4 : n * n_parts;
        constexpr std::size_t n_rows = n * n_parts / width;
        B lanes[n_rows][width];
        Real sums[n_rows][width];
        for (std::size_t t = 0; t < n; ++t) {
            visit_components(sum[t], [&](int c, const B& part) {
                const std::size_t i = t * n_parts + static_cast<std::size_t>(c);
                lanes[i / width][i % width] = part;
            });
        }
        for (std::size_t row = 0; row < n_rows; ++row) {
            sum_lanes(lanes[row], sums[row]);
        }
        for (std::size_t i = 0; i < n * n_parts; ++i) {
            values_.of_component[i % n_parts][begin + i / n_parts] += sums[i / width][i % width];
        }
    }

    K kernel_;
    PointView<D> targets_;
    std::size_t begin_;
    std::size_t end_;
    ValueView<K> values_;
    GatheredSources<K, B, form> sources_;
};

/// A leaf's extent.
template <int D>
struct TargetExtent {
    Position<D, double> centre;
    double width = 0; ///< largest width of the bounds

    TargetExtent(const PointView<D>& points, std::size_t begin, std::size_t end) {
        centre = make_position<D>([&](int d) {
            double low = points.x[d][begin];
            double high = low;
            for (std::size_t i = begin; i < end; ++i) {
                low = std::min(low, points.x[d][i]);
                high = std::max(high, points.x[d][i]);
            }
            width = std::max(width, high - low);
            return low + (high - low) / 2;
        });
    }
};

/// Adds all pieces; those of leaves that follow each other, as in one box, at once.
template <class K, class Pieces, class Sums>
void add_runs(const Pieces& pieces, Sums& sums) {
    SourcePiece<K> run{};
    pieces([&](const SourcePiece<K>& piece) {
        const bool same = piece.points.x[0] == run.points.x[0];
        if (same && piece.begin == run.end) {
            run.end = piece.end;
        } else if (same && piece.end == run.begin) {
            run.begin = piece.begin;
        } else {
            sums.add(run);
            run = piece;
        }
    });
    sums.add(run);
    sums.finish();
}

/// Targets [begin, end) of a group's.
template <int D>
struct TargetRun {
    const PointView<D>& points;
    std::size_t begin;
    std::size_t end;
};

/// Sums over all pieces of a leaf's targets.
/// \param pieces calls what it is given with each piece
/// \param form  form that serves whatever the kernel's softening
template <class K, class Isa, class Pieces>
void gathered_sums(
    const K& kernel,
    const TargetRun<dimension_of<K>>& targets,
    const Pieces& pieces,
    const ValueView<K>& values,
    PairForm form = PairForm::split
) {
    const auto& [points, begin, end] = targets;
    if (begin == end) {
        return;
    }
    const TargetExtent<dimension_of<K>> extent(points, begin, end);
    if (form == PairForm::rounded || may_round_pairs(kernel, extent.width)) {
        GatheredSums<K, Isa, PairForm::rounded> sums(
            kernel, points, begin, end, extent.centre, values
        );
        add_runs<K>(pieces, sums);
    } else {
        GatheredSums<K, Isa, PairForm::split> sums(
            kernel, points, begin, end, extent.centre, values
        );
        add_runs<K>(pieces, sums);
    }
}

} // namespace starfmm

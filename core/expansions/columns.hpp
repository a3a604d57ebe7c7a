// SPDX-License-Identifier: BSD-3-Clause
// Several right-hand sides in one traversal: what the geometry says of a pair is found once for all
// of them.
#pragma once

#include "core/expansions/expansion.hpp"

#include <type_traits>

namespace starfmm {

/// The most right-hand sides that tasks take at once. More take several evaluations.
inline constexpr int max_columns = 4;

/// The strengths, or the values, that all right-hand sides have at one point.
template <class T>
struct ColumnsOf {
    T of[max_columns];

    STARFMM_HOST_DEVICE ColumnsOf& operator+=(const ColumnsOf& other) {
        for (int c = 0; c < max_columns; ++c) {
            of[c] += other.of[c];
        }
        return *this;
    }
};

template <class T>
inline constexpr int n_components_of<ColumnsOf<T>> = max_columns* n_components_of<T>;

/// Calls use(index, component) for all components, one right-hand side after the other.
template <class T, class Use>
STARFMM_HOST_DEVICE void visit_columns(T& columns, const Use& use) {
    constexpr int n = n_components_of<std::remove_cvref_t<decltype(columns.of[0])>>;
    for (int column = 0; column < max_columns; ++column) {
        visit_components(columns.of[column], [&](int c, auto& part) { use(column * n + c, part); });
    }
}

template <class T, class Use>
STARFMM_HOST_DEVICE void visit_components(ColumnsOf<T>& columns, const Use& use) {
    visit_columns(columns, use);
}

template <class T, class Use>
STARFMM_HOST_DEVICE void visit_components(const ColumnsOf<T>& columns, const Use& use) {
    visit_columns(columns, use);
}

/// A kernel in the sense of P2P only: what kernel `K` makes of pairs of points that have the
/// strengths of several right-hand sides.
template <class K>
struct Columns {
    using Real = typename K::Real;
    using PairReal = starfmm::PairReal<K>;
    template <class T>
    using Strength = ColumnsOf<typename K::template Strength<T>>;
    template <class T>
    using Value = ColumnsOf<typename K::template Value<T>>;

    static constexpr int dimension = dimension_of<K>;
    [[no_unique_address]] K kernel;

    STARFMM_HOST_DEVICE static Columns of(const KernelParameters& parameters) {
        return {kernel_of<K>(parameters)};
    }

    [[nodiscard]] STARFMM_HOST_DEVICE double softening() const requires requires(const K& one) {
        one.softening();
    }

    { return kernel.softening(); }

    [[nodiscard]] STARFMM_HOST_DEVICE auto in_single(double per_length) const requires
        requires(const K& one) {
        one.in_single(1.0);
    }

    { return Columns<decltype(kernel.in_single(per_length))>{kernel.in_single(per_length)}; }

    template <template <class> class Point, class T>
    STARFMM_HOST_DEVICE Value<T> p2p(Point<T> target, Point<T> source, const Strength<T>& q) const {
        Value<T> value;
        if constexpr (MutualKernel<K>) {
            const auto g = K::pair(source - target);
            for (int c = 0; c < max_columns; ++c) {
                value.of[c] = times(q.of[c], g);
            }
        } else {
            for (int c = 0; c < max_columns; ++c) {
                value.of[c] = kernel.p2p(target, source, q.of[c]);
            }
        }
        return value;
    }
};

template <class K>
inline constexpr int columns_at_once = 1;
template <class K>
inline constexpr int columns_at_once<Columns<K>> = max_columns;

/// The number of real components of a kernel's strengths.
template <class K>
inline constexpr int n_strength_components =
    n_components_of<typename K::template Strength<typename K::Real>>;

} // namespace starfmm

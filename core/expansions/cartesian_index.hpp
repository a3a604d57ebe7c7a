// SPDX-License-Identifier: BSD-3-Clause
// Numbers of the coefficients of Cartesian expansions in space, and loops over these coefficients,
// which are unrolled where the compiler knows the order, so that they stay in registers.
#pragma once

#include "core/host_device.hpp"

#include <array>
#include <cstddef>
#include <type_traits>
#include <utility>

namespace starfmm {

/// The exponents of x, y and z, which name one coefficient. Coefficients of one degree i + j + k
/// follow each other, with the exponent of x falling and then that of y, so that the first
/// coefficients are the expansion of lower order. Members are always inlined: to weigh 18 000 calls
/// took GCC 12 half of a unit's compile time.
struct CartesianPower {
    int i, j, k;

    [[nodiscard, gnu::always_inline]] STARFMM_HOST_DEVICE constexpr int degree() const {
        return i + j + k;
    }

    /// The degree that y and z have together.
    [[nodiscard, gnu::always_inline]] STARFMM_HOST_DEVICE constexpr int side() const {
        return j + k;
    }

    [[nodiscard, gnu::always_inline]] STARFMM_HOST_DEVICE constexpr int index() const {
        return index_of(degree(), side(), k);
    }

    /// The number of coefficients whose degrees are below `degree`.
    [[gnu::always_inline]] STARFMM_HOST_DEVICE static constexpr int before(int degree) {
        return degree * (degree + 1) * (degree + 2) / 6;
    }

    [[gnu::always_inline]] STARFMM_HOST_DEVICE static constexpr int
    index_of(int degree, int side, int k) {
        return before(degree) + side * (side + 1) / 2 + k;
    }
};

/// The number of coefficients that an expansion of `order` has: those of degrees up to `order`.
STARFMM_HOST_DEVICE constexpr int n_cartesian(int order) {
    return CartesianPower::before(order + 1);
}

/// The largest order that Cartesian expansions may have.
inline constexpr int largest_cartesian_order = 8;

/// The degree of the coefficient at `index`.
[[gnu::always_inline]] STARFMM_HOST_DEVICE constexpr int cartesian_degree(int index) {
    int degree = 0;
    for (int next = 1; next <= largest_cartesian_order; ++next) {
        degree += index >= CartesianPower::before(next) ? 1 : 0;
    }
    return degree;
}

/// The highest order whose loops are unrolled: it has 462 pairs of coefficients, the next has 924.
inline constexpr int largest_unrolled_order = 5;

namespace detail {

/// All exponents that there are, by the index of their coefficient.
inline constexpr auto cartesian_powers = [] {
    std::array<CartesianPower, n_cartesian(largest_cartesian_order)> powers{};
    for (int degree = 0; degree <= largest_cartesian_order; ++degree) {
        for (int side = 0; side <= degree; ++side) {
            for (int k = 0; k <= side; ++k) {
                powers[CartesianPower::index_of(degree, side, k)] = {degree - side, side - k, k};
            }
        }
    }
    return powers;
}();

/// The index of the sum of two triples of exponents.
template <int a, int b>
inline constexpr int sum_index =
    CartesianPower{
        cartesian_powers[a].i + cartesian_powers[b].i,
        cartesian_powers[a].j + cartesian_powers[b].j,
        cartesian_powers[a].k + cartesian_powers[b].k}
        .index();

template <int a, class Use, std::size_t... b>
[[gnu::always_inline]] STARFMM_HOST_DEVICE inline void
visit_row(const Use& use, std::index_sequence<b...> /*indices*/) {
    (use(a, static_cast<int>(b), sum_index<a, static_cast<int>(b)>), ...);
}

template <int order, class Use, std::size_t... a>
[[gnu::always_inline]] STARFMM_HOST_DEVICE inline void
visit_rows(const Use& use, std::index_sequence<a...> /*indices*/) {
    (visit_row<static_cast<int>(a)>(
         use, std::make_index_sequence<n_cartesian(order - cartesian_powers[a].degree())>{}
     ),
     ...);
}

template <class Use, std::size_t... index>
[[gnu::always_inline]] STARFMM_HOST_DEVICE inline void
visit_known(const Use& use, std::index_sequence<index...> /*indices*/) {
    (use(std::integral_constant<int, static_cast<int>(index)>{}), ...);
}

} // namespace detail

/// An order that the compiler knows, or, if `known` is 0, does not know.
template <int known>
struct CartesianOrder {
    int value;

    [[gnu::always_inline]] STARFMM_HOST_DEVICE constexpr int operator()() const {
        return known > 0 ? known : value;
    }
};

/// Calls use(CartesianOrder) with `order`, unrolled if it is low enough.
template <class Use>
[[gnu::always_inline]] STARFMM_HOST_DEVICE inline void
with_cartesian_order(int order, const Use& use) {
    static_assert(largest_unrolled_order == 5);
    switch (order) {
    case 1:
        return use(CartesianOrder<1>{1});
    case 2:
        return use(CartesianOrder<2>{2});
    case 3:
        return use(CartesianOrder<3>{3});
    case 4:
        return use(CartesianOrder<4>{4});
    case 5:
        return use(CartesianOrder<5>{5});
    default:
        return use(CartesianOrder<0>{order});
    }
}

/// Calls use(power) for each coefficient, degree by degree.
template <int known, class Use>
[[gnu::always_inline]] STARFMM_HOST_DEVICE inline void
visit_powers(CartesianOrder<known> order, const Use& use) {
    if constexpr (known > 0) {
        detail::visit_known(
            [&](auto index) __attribute__((always_inline)) {
                constexpr CartesianPower power = detail::cartesian_powers[index()];
                use(power);
            },
            std::make_index_sequence<n_cartesian(known)>{}
        );
    } else {
        for (int degree = 0; degree <= order(); ++degree) {
            for (int side = 0; side <= degree; ++side) {
                for (int k = 0; k <= side; ++k) {
                    use(CartesianPower{degree - side, side - k, k});
                }
            }
        }
    }
}

/// Calls use(power) for each coefficient but that of degree 0, the highest degrees first.
template <int known, class Use>
[[gnu::always_inline]] STARFMM_HOST_DEVICE inline void
visit_powers_down(CartesianOrder<known> order, const Use& use) {
    if constexpr (known > 0) {
        constexpr int n = n_cartesian(known) - 1;
        detail::visit_known(
            [&](auto index) __attribute__((always_inline)) {
                constexpr CartesianPower power = detail::cartesian_powers[n - index()];
                use(power);
            },
            std::make_index_sequence<n>{}
        );
    } else {
        for (int degree = order(); degree > 0; --degree) {
            for (int side = 0; side <= degree; ++side) {
                for (int k = 0; k <= side; ++k) {
                    use(CartesianPower{degree - side, side - k, k});
                }
            }
        }
    }
}

/// Calls use(CartesianOrder) with 1, 2, ... up to the order.
template <int known, class Use>
[[gnu::always_inline]] STARFMM_HOST_DEVICE inline void
visit_orders(CartesianOrder<known> order, const Use& use) {
    if constexpr (known > 0) {
        detail::visit_known(
            [&](auto below)
                __attribute__((always_inline)) { use(CartesianOrder<below() + 1>{below() + 1}); },
            std::make_index_sequence<known>{}
        );
    } else {
        for (int n = 1; n <= order(); ++n) {
            use(CartesianOrder<0>{n});
        }
    }
}

/// Calls use(a, b, index of their sum) for the indices of all pairs of coefficients whose degrees
/// add up to no more than the order: (p + 6)! / (p! 6!) of them.
template <int known, class Use>
[[gnu::always_inline]] STARFMM_HOST_DEVICE inline void
visit_pairs(CartesianOrder<known> order, const Use& use) {
    if constexpr (known > 0) {
        detail::visit_rows<known>(use, std::make_index_sequence<n_cartesian(known)>{});
    } else {
        visit_powers(order, [&](const CartesianPower& a) {
            const int row = a.index();
            for (int degree = 0; degree <= order() - a.degree(); ++degree) {
                for (int side = 0; side <= degree; ++side) {
                    const int first = CartesianPower::index_of(degree, side, 0);
                    const int sum =
                        CartesianPower::index_of(a.degree() + degree, a.side() + side, a.k);
                    for (int k = 0; k <= side; ++k) {
                        use(row, first + k, sum + k);
                    }
                }
            }
        });
    }
}

} // namespace starfmm

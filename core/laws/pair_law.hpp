// SPDX-License-Identifier: BSD-3-Clause
// The concept of pair laws, checked at compile time: what the struct of a plugged-in law must
// provide for near fields.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <string_view>

namespace starfmm {

/// A law whose near field the library can sum:
///
///   Phi_i = sum_j G(x_j - x_i) q_j  with real q_j.
///
/// The law has:
///
///  - `Real`: double or float.
///  - `dimension`: 2 or 3.
///  - `n_values`: the number of components of G.
///  - `name`: the name in task names and performance models.
///  - `pair(d)`: G of the difference d = x_j - x_i, for `Real` and for SIMD batches of it; zero
///    where d is zero, so that a point does not act on itself.
///  - `parity`: for each component +1 if G(-d) = G(d), -1 if G(-d) = -G(d). By Newton's third law
///    one evaluation of a pair then serves both its points.
template <class L>
concept PairLaw =
    requires(const std::array<typename L::Real, static_cast<std::size_t>(L::dimension)>& d) {
    requires std::floating_point<typename L::Real>;
    requires L::dimension == 2 || L::dimension == 3;
    requires L::n_values >= 1;
    { L::name } -> std::convertible_to<std::string_view>;
    { L::parity } -> std::convertible_to<std::array<int, static_cast<std::size_t>(L::n_values)>>;
    {
        L::pair(d)
        } -> std::same_as<std::array<typename L::Real, static_cast<std::size_t>(L::n_values)>>;
};

} // namespace starfmm

// SPDX-License-Identifier: BSD-3-Clause
// How P2P of single precision gets the differences of points.
#pragma once

#include "codelets/task/task_views.hpp"
#include "core/expansions/expansion.hpp"
#include "core/laws/mixed_pairs.hpp"

#include <type_traits>

namespace starfmm {

/// Whether a kernel has pairs of points that coincide, so that a point would act on itself: sums of
/// points over themselves leave that out.
template <class K>
inline constexpr bool acts_on_itself = has_softening<K> || has_lengths<K>;

/// Whether P2P gathers sources: in single precision, where each source is rounded or split in two
/// numbers, once for all targets, and a batch has as many lanes as a leaf has points.
template <class K>
inline constexpr bool gathers_sources =
    dimension_of<K> == 3 && columns_at_once<K> == 1 && std::is_same_v<typename K::Real, float>;

/// Whether near fields round points as seen from their leaf, all of whose near leaves are of its
/// size: differences are right to 3 2^-24 of it. A source takes 16 bytes then.
template <class K>
inline constexpr bool rounds_near_field =
    columns_at_once<K> == 1 && std::is_same_v<typename K::Real, float> && !has_softening<K> &&
    dimension_of<K> + n_strength_components<K> <= 4;

/// How pairs get their difference: from points rounded as seen from a centre, or from points split
/// in two numbers, whose difference does not cancel.
enum class PairForm { rounded, split };

/// Whether points rounded as seen from the leaf's centre serve: of a pair at distance d a rounded
/// difference is wrong by 2^-24 (width + d) at most, which softening makes less than 2^-15 of the
/// largest force.
template <class K>
STARFMM_HOST_DEVICE bool may_round_pairs(const K& kernel, double width) {
    if constexpr (has_softening<K>) {
        const double epsilon = kernel.softening();
        return epsilon > 0 && width <= 0x1p8 * epsilon;
    } else {
        return false;
    }
}

/// kernel.p2p of a difference that a form has. Rounded points are softened: where the kernel has
/// p2p_softened, which need not look for points that coincide, that serves.
template <PairForm form, class K, class Point, class T>
STARFMM_HOST_DEVICE auto
pair_in_form(const K& kernel, const Point& origin, const Point& d, const T& q) {
    if constexpr (form == PairForm::rounded && requires { kernel.p2p_softened(d, q); }) {
        return kernel.p2p_softened(d, q);
    } else {
        return kernel.p2p(origin, d, q);
    }
}

} // namespace starfmm

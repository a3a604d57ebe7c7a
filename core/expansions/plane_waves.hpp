// SPDX-License-Identifier: BSD-3-Clause
// Plane waves in place of solid harmonics for M2L between cubes of one size, two or three sides
// apart along the z axis [GR97 Sec 3]: translations multiply each wave by a number.
//
// In units of the cubes' side a source box's field at r = x - c is, for r.z >= 3/2,
//
//   (1 / side) sum_k sum_j w_k 2 / M_k Re[W_kj exp(-l_k r.z + i l_k (r.x cos a_j + r.y sin a_j))],
//
// with a_j = 2 pi (j + 1/2) / M_k, j < M_k / 2: the waves of the other half circle are conjugates.
// Against the axis the field is the same sum with the multipole and the offsets mirrored at the
// origin.
#pragma once

#include "core/expansions/wave_rules.hpp"
#include "core/position.hpp"

#include <cstddef>
#include <cstdint>

namespace starfmm {

/// Returns the shortest rule whose largest error is at most 2.5 times a relative tolerance, or the
/// longest: sums then err no more than by M2L of the order for cubes (docs/numerics.md).
[[nodiscard]] WaveRule wave_rule(double tolerance);

/// Returns M_k / 2, the number of angles of a rule's node.
[[nodiscard]] int wave_angles(const WaveRule& rule, int node);

/// The longest expansions whose sums plane waves are as good as.
inline constexpr int most_wave_order = 36;

/// The number of leaves below which launches and matrices take a GPU as long as turns of axes do.
inline constexpr std::size_t least_wave_leaves = 2000;

/// The least tolerance that waves in single precision meet: their roundings, 6e-8 each, add up to a
/// tenth of the tolerance.
inline constexpr double least_single_waves = 5e-7;

/// Whether waves meet a relative tolerance, expansions are not longer than waves allow, and the
/// multipole acceptance criterion separates cubes of one size with one between them, as waves take
/// for granted.
[[nodiscard]] bool are_plane_waves_apt(double tolerance, int order, double theta);

/// The coordinates in which an axis is z: (z, y, x) for x, (z, x, y) for y.
enum class WaveAxis : std::uint8_t { x, y, z };

/// Returns `v` in the coordinates of `axis`.
template <class T>
STARFMM_HOST_DEVICE constexpr Vector3<T> along_axis(WaveAxis axis, const Vector3<T>& v) {
    switch (axis) {
    case WaveAxis::x:
        return {v.z, v.y, v.x};
    case WaveAxis::y:
        return {v.z, v.x, v.y};
    default:
        return v;
    }
}

} // namespace starfmm

// SPDX-License-Identifier: BSD-3-Clause
// Cubes that touch, and their children: the geometry of an octree's boxes for plane waves of a GPU.
#pragma once

#include "core/host_device.hpp"
#include "core/position.hpp"
#include "core/tree/geometry.hpp"

#include <cstdint>

namespace starfmm {

/// The octant of a box that is no eighth of its parent, or not there.
inline constexpr std::uint8_t no_octant = 0xff;
inline constexpr std::uint32_t no_wave_box = 0xffffffffU;

/// The number of boxes about a parent, itself among them.
inline constexpr int parent_neighbours = 27;

/// The roundings of centres, in sides of a box, that waves may neglect; smaller boxes go by
/// expansions.
inline constexpr double wave_place_rounding = 4e-12;

/// Returns which eighth of its parent's cube a box is, a bit a coordinate.
STARFMM_HOST_DEVICE inline std::uint8_t
octant_of(const Frame<double, 3>& parent, const Frame<double, 3>& box) {
    constexpr double per_radius = 1.7320508075688772935; // of the parent, over the box's side
    const double size = parent.radius - 2 * box.radius;
    if (!(size <= wave_place_rounding * box.radius && -size <= wave_place_rounding * box.radius)) {
        return no_octant;
    }
    int octant = 0;
    for (int d = 0; d < 3; ++d) {
        const double t = (coordinate(box.centre, d) - coordinate(parent.centre, d)) *
                         (per_radius / parent.radius);
        const double rounding = (t < 0 ? -t : t) - 0.5;
        if (!(rounding <= wave_place_rounding && -rounding <= wave_place_rounding)) {
            return no_octant;
        }
        octant |= t > 0 ? 1 << d : 0;
    }
    return static_cast<std::uint8_t>(octant);
}

/// Returns the number of a cube among those that touch `own`, which is the middle one itself; -1 if
/// it is none of them.
STARFMM_HOST_DEVICE inline int
neighbour_of(const Frame<double, 3>& own, const Frame<double, 3>& other) {
    constexpr double per_radius = 0.86602540378443864676; // over the side
    const double size = own.radius - other.radius;
    if (!(size <= wave_place_rounding * own.radius && -size <= wave_place_rounding * own.radius)) {
        return -1;
    }
    int number = 0;
    for (int d = 2; d >= 0; --d) {
        const double t =
            (coordinate(other.centre, d) - coordinate(own.centre, d)) * (per_radius / own.radius);
        const int at = t < -0.5 ? -1 : t > 0.5 ? 1 : 0;
        const double rounding = t - at;
        if (!(rounding <= wave_place_rounding && -rounding <= wave_place_rounding)) {
            return -1;
        }
        number = 3 * number + at + 1;
    }
    return number;
}

/// Returns coordinate d of a neighbour, -1 to 1.
STARFMM_HOST_DEVICE constexpr int neighbour_at(int number, int d) {
    return (d == 0 ? number : d == 1 ? number / 3 : number / 9) % 3 - 1;
}

/// Whether children of a box and of a neighbour have a box between them.
STARFMM_HOST_DEVICE constexpr bool are_far_children(int neighbour, int source, int target) {
    bool far = false;
    for (int d = 0; d < 3; ++d) {
        const int apart = 2 * neighbour_at(neighbour, d) + (source >> d & 1) - (target >> d & 1);
        far = far || apart > 1 || apart < -1;
    }
    return far;
}

/// Returns the number of pairs of far children, of those that there are, a bit each.
STARFMM_HOST_DEVICE constexpr int
n_far_children(int neighbour, unsigned sources, unsigned targets) {
    int n = 0;
    for (int source = 0; source < 8; ++source) {
        for (int target = 0; target < 8; ++target) {
            const bool exist = (sources >> source & targets >> target & 1U) != 0;
            n += exist && are_far_children(neighbour, source, target) ? 1 : 0;
        }
    }
    return n;
}

} // namespace starfmm

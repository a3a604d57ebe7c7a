// SPDX-License-Identifier: BSD-3-Clause
// Cubes among a parent's neighbours' children, and the children of the parent that they send plane
// waves to in each direction: each pair two or three sides apart occurs once, and the cubes that
// send to the same children stand together.
//
// Places count from the parent's first child: the parent's children are at 0 or 1 in each
// coordinate, the others at -2 to 3. A cube at -2 or 3 is far from all children, so that one
// direction serves all. A cube at -1 or 2 is far from the farther children only; the directions of
// the next axis serve those that are left.
#pragma once

#include "core/expansions/plane_waves.hpp"

#include <cstdint>

namespace starfmm {

/// The places of the children of the 3^3 boxes, in one coordinate.
inline constexpr int least_wave_place = -2;
inline constexpr int wave_places = 6;
inline constexpr int all_wave_places = wave_places * wave_places * wave_places;

STARFMM_HOST_DEVICE constexpr int wave_place(int x, int y, int z) {
    return ((z - least_wave_place) * wave_places + y - least_wave_place) * wave_places + x -
           least_wave_place;
}

/// Returns the octant of a child that lies at `seen`, a bit a coordinate, in the coordinates of an
/// axis.
STARFMM_HOST_DEVICE constexpr int octant_from_axis(WaveAxis axis, int seen) {
    const int x = seen % 2;
    const int y = seen / 2 % 2;
    const int z = seen / 4;
    return axis == WaveAxis::x ? z + 2 * y + 4 * x : axis == WaveAxis::y ? y + 2 * z + 4 * x : seen;
}

/// A cube that sends waves, aligned so that one load fetches it.
struct alignas(4) WaveSender {
    std::uint8_t place; ///< index of its place, by wave_place
    /// Offset from it to the first child, across the direction, mirrored against it.
    std::int8_t dx;
    std::int8_t dy;
};

/// The cubes that send to the same children.
struct WaveSenders {
    std::uint8_t begin;
    std::uint8_t end;
    std::uint8_t children; ///< the children, a bit each, in the coordinates of the axis
    /// Whether they are two sides from the nearer children and three from the others.
    bool is_outer;
};

/// All senders by direction: twice the axis, and one more against it.
class WaveSenderTable {
public:
    static constexpr int most_groups = 10;
    static constexpr int n_senders = 248;

    WaveSender senders[n_senders] = {};
    WaveSenders groups[6][most_groups] = {};
    int n_groups[6] = {};

    constexpr WaveSenderTable() {
        int end = 0;
        for (int direction = 0; direction < 6; ++direction) {
            int children[all_wave_places] = {};
            for (int place = 0; place < all_wave_places; ++place) {
                children[place] = children_of(direction, place);
            }
            for (const int of_place : children) {
                if (of_place != 0) {
                    end = add_group(direction, of_place, children, end);
                }
            }
        }
    }

private:
    static constexpr bool is_outer(int at) { return at == -2 || at == 3; }

    static constexpr bool is_inner(int at) { return at == -1 || at == 2; }

    static constexpr bool is_far(int at, int child) { return at - child >= 2 || child - at >= 2; }

    /// The place of a source, x to z.
    struct Place {
        int at[3];

        explicit constexpr Place(int place)
            : at{place % wave_places + least_wave_place,
                 place / wave_places % wave_places + least_wave_place,
                 place / (wave_places * wave_places) + least_wave_place} {}

        [[nodiscard]] constexpr Vector3<int> seen_along(int axis) const {
            return along_axis(static_cast<WaveAxis>(axis), Vector3<int>{at[0], at[1], at[2]});
        }
    };

    /// Returns the children, in the coordinates of the axis, that a place sends to in this
    /// direction.
    static constexpr int children_of(int direction, int place) {
        const Place from(place);
        const int axis = direction / 2;
        const int along = from.at[axis];
        const bool below = along < 0;
        if (below != (direction % 2 == 0) || !(is_outer(along) || is_inner(along))) {
            return 0;
        }
        for (int d = 0; d < 3; ++d) {
            if (d != axis && is_outer(from.at[d]) && (d > axis || !is_outer(along))) {
                return 0; // goes along that axis
            }
        }
        return is_outer(along) ? 0xff : inner_children(axis, from.at);
    }

    static constexpr int inner_children(int axis, const int (&at)[3]) {
        int children = 0;
        for (int octant = 0; octant < 8; ++octant) {
            const int child[3] = {octant % 2, octant / 2 % 2, octant / 4};
            bool takes = is_far(at[axis], child[axis]);
            for (int d = 2; d > axis; --d) {
                takes = takes && !is_far(at[d], child[d]);
            }
            const Vector3<int> seen =
                along_axis(static_cast<WaveAxis>(axis), Vector3<int>{child[0], child[1], child[2]});
            children |= takes ? 1 << (seen.x + 2 * seen.y + 4 * seen.z) : 0;
        }
        return children;
    }

    /// Moves the places that have these children from `left` to the senders.
    /// \returns the end of the senders
    constexpr int add_group(int direction, int children, int (&left)[all_wave_places], int begin) {
        int end = begin;
        for (int place = 0; place < all_wave_places; ++place) {
            if (left[place] == children) {
                left[place] = 0;
                const int sign = direction % 2 == 0 ? -1 : 1;
                const Vector3<int> seen = Place(place).seen_along(direction / 2);
                senders[end++] = {
                    static_cast<std::uint8_t>(place),
                    static_cast<std::int8_t>(sign * seen.x),
                    static_cast<std::int8_t>(sign * seen.y)};
            }
        }
        groups[direction][n_groups[direction]++] = {
            static_cast<std::uint8_t>(begin),
            static_cast<std::uint8_t>(end),
            static_cast<std::uint8_t>(children),
            children == 0xff};
        return end;
    }
};

} // namespace starfmm

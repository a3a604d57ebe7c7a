// SPDX-License-Identifier: BSD-3-Clause
// M2M and L2L of solid harmonics between a cube and its eight halves, as dense matrices of few
// constants.
//
// A child's centre is half of a half side from its parent's along each axis, so that the eight
// translations are mirror images: with T of the child on the positive sides, that of child c, whose
// bit d says that it is on the negative side of axis d, has entries (-1)^|(A ^ B) & c| T[a][b],
// where bit d of A tells whether harmonic a is odd along d, and bit d of B whether b is. So M2M is
//
//   out[a] = sum_b T[a][b] x[A ^ B][b],  x[s] = sum_c (-1)^|s & c| child[c],
//
// and L2L, which takes the transpose, is
//
//   child[c][b] = sum_A (-1)^|(A ^ B) & c| y[A][b],
//   y[A][b] = sum over the class A of T[a][b] parent[a]:
//
// both take p^4 / 2 multiply-adds for eight children.
#pragma once

#include "core/expansions/solid_tables.hpp"
#include "core/host_device.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace starfmm {

/// The harmonics by their parities: a harmonic that is odd along axis d has bit d in the number of
/// its class. Whatever the order is, the first members of a class are those of the lowest degrees.
class CubeClasses {
public:
    static constexpr int n_classes = 8;
    static constexpr int most_members = 210; ///< most members that a class has

    constexpr CubeClasses() {
        int count[n_classes] = {};
        for (int n = 0; n < max_degrees; ++n) {
            for (int of_class = 0; of_class < n_classes; ++of_class) {
                below_[of_class][n] = static_cast<std::uint8_t>(count[of_class]);
            }
            for (int m = 0; m <= n; ++m) {
                const int z = (n + m) % 2 * 4;
                add(n, SolidIndex::cos(n, m), m % 2 + z, count);
                if (m > 0) {
                    add(n, SolidIndex::sin(n, m), (m + 1) % 2 + 2 + z, count);
                }
            }
        }
        for (int of_class = 0; of_class < n_classes; ++of_class) {
            below_[of_class][max_degrees] = static_cast<std::uint8_t>(count[of_class]);
        }
    }

    /// The number of members whose degrees are below `n`.
    [[nodiscard]] STARFMM_HOST_DEVICE constexpr int below(int of_class, int n) const {
        return below_[of_class][n];
    }

    /// The coefficient that is the `i`-th member.
    [[nodiscard]] STARFMM_HOST_DEVICE constexpr int member(int of_class, int i) const {
        return member_[of_class][i];
    }

    /// The class that coefficient `k` belongs to.
    [[nodiscard]] STARFMM_HOST_DEVICE constexpr int class_of(int k) const { return class_[k]; }

    [[nodiscard]] STARFMM_HOST_DEVICE constexpr int place(int k) const { return place_[k]; }

    [[nodiscard]] STARFMM_HOST_DEVICE constexpr int degree(int k) const { return degree_[k]; }

private:
    constexpr void add(int n, int k, int of_class, int* count) {
        class_[k] = static_cast<std::uint8_t>(of_class);
        degree_[k] = static_cast<std::uint8_t>(n);
        place_[k] = static_cast<std::uint8_t>(count[of_class]);
        member_[of_class][count[of_class]++] = static_cast<std::uint16_t>(k);
    }

    std::uint16_t member_[n_classes][most_members] = {};
    std::uint8_t below_[n_classes][max_degrees + 1] = {};
    std::uint8_t class_[max_degrees * max_degrees] = {};
    std::uint8_t place_[max_degrees * max_degrees] = {};
    std::uint8_t degree_[max_degrees * max_degrees] = {};
};

/// Replaces eight values by sums with signs: x[s] becomes sum_c (-1)^|s & c| x[c].
template <class T>
STARFMM_HOST_DEVICE inline void combine_mirrored(T (&x)[8]) {
    for (int bit = 1; bit < 8; bit *= 2) {
        for (int i = 0; i < 8; ++i) {
            if ((i & bit) == 0) {
                const T sum = x[i] + x[i | bit];
                x[i | bit] = x[i] - x[i | bit];
                x[i] = sum;
            }
        }
    }
}

/// The distance, relative to its distance along an axis, that a child's centre may be off its
/// place: cells are off by roundings where they are small. What an expansion of `order` degrees
/// leaves out, about 0.4^order, is 1e4 times that; or the distance is what points lose by their own
/// roundings. The search takes O(order).
template <class Real>
constexpr double cube_rounding(int order) {
    constexpr double least = sizeof(Real) == sizeof(double) ? 5e-14 : 1e-9;
    double rounding = 1e-4;
    for (int n = 0; n < order; ++n) {
        rounding *= 0.4;
    }
    return std::clamp(rounding, least, 1e-9);
}

/// Returns T of M2M between balls about a cube and its half: [p^2][p^2], row by row, in O(p^5).
[[nodiscard]] std::vector<double> cube_shift_matrix(int order);

/// Two entries of T, as matrix units take them a piece of [8][8] at a time: a lane has both entries
/// of outer index lane / 4, at inner index lane % 4 and four more.
struct alignas(16) CubePair {
    double first;
    double second;
};

inline constexpr int cube_piece = 8;        ///< rows and columns of a piece
inline constexpr int cube_piece_pairs = 32; ///< number of lanes that share a piece

/// The pieces of T that are not zero. M2M takes them class by class of rows: tile t of a class has
/// its members 8 t to 8 t + 7, and all columns follow in their order. L2L takes them class by class
/// of T's rows, then chunk by chunk of cube_chunk_tiles(order) times eight columns, then eight
/// members of the class at a time, the first of which are left out where they are zero.
struct CubePieces {
    std::vector<CubePair> pairs;
    std::vector<std::uint32_t> begin; ///< [8][n + 1], first piece of a tile or chunk
};

/// The number of tiles that the largest class has.
STARFMM_HOST_DEVICE constexpr int cube_tiles(int order) {
    // that of even parities, whose first degrees are even: 1 + 2 + ... of the cosines
    const int degrees = (order + 1) / 2;
    return (degrees * (degrees + 1) / 2 + cube_piece - 1) / cube_piece;
}

/// The number of tiles of columns that L2L takes at once: as many as leave room for the parents'
/// coefficients.
STARFMM_HOST_DEVICE constexpr int cube_chunk_tiles(int order) {
    return order <= 24 ? 4 : 2;
}

STARFMM_HOST_DEVICE constexpr int cube_chunks(int order) {
    const int columns = cube_piece * cube_chunk_tiles(order);
    return (order * order + columns - 1) / columns;
}

[[nodiscard]] CubePieces cube_m2m_pieces(int order, const std::vector<double>& matrix);
[[nodiscard]] CubePieces cube_l2l_pieces(int order, const std::vector<double>& matrix);

} // namespace starfmm

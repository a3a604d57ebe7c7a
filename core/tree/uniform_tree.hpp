// SPDX-License-Identifier: BSD-3-Clause
// UniformTree: a uniform quadtree or octree whose boxes follow the Z-order curve [SL13 Sec II.A]. A
// box of any level covers contiguous boxes of the finest level, so that their point offsets
// describe the whole tree.
#pragma once

#include "core/host_device.hpp"
#include "core/particles/points.hpp"
#include "core/tree/morton.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace starfmm {

/// The least and most boxes of the third level that the cube of all points is wide if it is not 8
/// of them: a tree's boxes of one level are halves of their parents, but how many of them the
/// points take is another matter.
inline constexpr int min_roots = 4;
inline constexpr int max_roots = 7;

/// Returns the side of the root box, in units of the cube of all points. Half of eight boxes would
/// be a level in vain. The side is a hair more than 8 / roots, so that the last points are in the
/// last of those boxes, not alone in the next one.
STARFMM_HOST_DEVICE constexpr double domain_stretch(int roots) {
    constexpr double hair = 0x1p-40;
    return roots > min_roots ? (1 + hair) * 8.0 / roots : 1.0;
}

/// The square or cube that a tree divides. Unit: the user's.
template <int D>
struct Domain {
    std::array<double, D> corner{}; ///< lowest coordinates
    double side = 1;                ///< > 0

    /// Returns the finest box of a point; points outside belong to the box of the border next to
    /// them. A subtraction, a product and a truncation are the same on every processor.
    STARFMM_HOST_DEVICE ZCode box_of(const std::array<double, D>& x, int height) const {
        const auto boxes = static_cast<double>(std::uint32_t(1) << height);
        const double scale = boxes / side;
        std::array<std::uint32_t, D> at{};
        for (int d = 0; d < D; ++d) {
            const double t = (x[d] - corner[d]) * scale;
            at[d] = t <= 0 ? 0 : static_cast<std::uint32_t>(t < boxes ? t : boxes - 1);
        }
        return z_code<D>(at);
    }
};

/// Returns the smallest domain that holds the points, in O(N): a corner, and the largest extent, or
/// side 1 if that is 0.
template <int D>
[[nodiscard]] Domain<D> bounding_domain(const Points<D>& points);

/// A view of a uniform tree. Boxes of level l (root: 0) are numbered 0 to 2^(D l) - 1 along the
/// curve.
template <int D>
struct UniformTree {
    Domain<D> domain;
    int height = 0;                         ///< finest level, in [0, max_height<D>]
    const std::uint32_t* offsets = nullptr; ///< [n_boxes(height) + 1] first point of finest boxes

    STARFMM_HOST_DEVICE static constexpr std::size_t n_boxes(int level) {
        return std::size_t(1) << (D * level);
    }

    STARFMM_HOST_DEVICE static constexpr ZCode parent(ZCode box) { return box >> D; }

    STARFMM_HOST_DEVICE static constexpr ZCode first_child(ZCode box) { return box << D; }

    /// Returns the first point of a box; the next box's is one past its last.
    STARFMM_HOST_DEVICE std::uint32_t begin(int level, std::size_t box) const {
        return offsets[box << (D * (height - level))];
    }

    STARFMM_HOST_DEVICE std::uint32_t size(int level, std::size_t box) const {
        return begin(level, box + 1) - begin(level, box);
    }

    STARFMM_HOST_DEVICE std::array<double, D> centre(int level, ZCode box) const {
        const auto at = z_coordinates<D>(box);
        const double side = domain.side / static_cast<double>(std::uint32_t(1) << level);
        std::array<double, D> x{};
        for (int d = 0; d < D; ++d) {
            x[d] = domain.corner[d] + side * (static_cast<double>(at[d]) + 0.5);
        }
        return x;
    }

    /// Returns the radius of the ball about a box's centre that holds the box.
    STARFMM_HOST_DEVICE double radius(int level) const {
        constexpr double half_diagonal = D == 2 ? 0.70710678118654752 : 0.86602540378443865;
        return half_diagonal * domain.side / static_cast<double>(std::uint32_t(1) << level);
    }
};

} // namespace starfmm

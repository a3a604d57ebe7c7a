// SPDX-License-Identifier: BSD-3-Clause
// Pictures of bodies: their mass projected along z, in logarithmic colours.
#pragma once

#include "core/particles/bodies.hpp"

#include <cstdint>
#include <vector>

namespace starfmm {

/// Red, green and blue of every pixel, row by row from the top left.
struct Image {
    int width = 0;
    int height = 0;
    std::vector<std::uint8_t> rgb; ///< [height x width x 3]
};

/// Side of a square about the origin that holds 95 % of the bodies; rounded up to 1, 2 or 5 times a
/// power of ten, so that pictures of a sequence show the same square.
[[nodiscard]] double fitting_width(const Bodies& bodies);

/// Mass in each of `pixels` x `pixels` squares of that of side `width` about the origin, row by row
/// from the top left. A particle is spread over some 5 x 5 pixels (a binomial filter), so that
/// single ones are visible.
[[nodiscard]] std::vector<double> projected_mass(const Bodies& bodies, double width, int pixels);

/// The logarithm of the mass over three decades below the greatest, from black over purple and
/// orange to white. \throws InputError unless pixels is in [16, 16384] and the square has a side
[[nodiscard]] Image draw(const Bodies& bodies, double width, int pixels);

} // namespace starfmm

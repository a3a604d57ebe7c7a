// SPDX-License-Identifier: BSD-3-Clause
// How gravity sums what is far.
#pragma once

namespace starfmm {

/// The expansions of gravity by an octree.
enum class FarField {
    harmonics, ///< solid harmonics: any tolerance, no softening
    taylor     ///< Cartesian Taylor expansions: softened
};

} // namespace starfmm

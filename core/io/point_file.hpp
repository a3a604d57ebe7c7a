// SPDX-License-Identifier: BSD-3-Clause
// Points, strengths and potentials in files, the format by the extension: .npy or .csv, for results
// in space also .vtp.
#pragma once

#include "core/particles/bodies.hpp"
#include "core/particles/points.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace starfmm {

/// Sources of a sum in the plane or in space, in the file's order.
struct PointFile {
    AnyPoints points;
    std::vector<Strengths> strengths; ///< strengths of each right-hand side
};

/// \throws InputError listing the formats unless `path` ends in one of their extensions.
void check_point_file_name(const std::string& path);

/// Columns x, y, q (real strengths) or x, y, q_re, q_im (complex ones), in space z before them; of
/// several right-hand sides q1, q2 ... or q1_re, q1_im, q2_re ...
/// \param dimension 2 or 3
/// \throws InputError naming the file, what is wrong with it and what is expected; so for values
/// that are not finite
PointFile
read_sources(const std::string& path, std::size_t n_right_hand_sides = 1, int dimension = 2);

/// Columns x, y, in space z.
/// \throws InputError as read_sources
AnyPoints read_targets(const std::string& path, int dimension = 2);

/// Writes one column, complex where potentials are; with gradients three or four: phi, phi_x,
/// phi_y, in space phi_z; such columns of several right-hand sides side by side: phi1, phi2 ... The
/// file appears complete or not at all.
/// \throws OutputError; InputError by the extension
void write_potentials(const std::string& path, std::span<const Potentials> potentials);

/// \throws InputError listing the formats unless results at points of this dimension go to `path`
void check_result_file_name(const std::string& path, int dimension);

/// Writes what write_potentials does; in .vtp files, which are of space, the targets and at each of
/// them phi (phi_re and phi_im where complex) and gradient, or phi1, gradient1, phi2 ...
/// \throws OutputError; InputError by the extension
void write_results(
    const std::string& path, const PointsRef& targets, std::span<const Potentials> potentials
);

/// Columns x, y, z, m, and epsilon where each body has a softening length.
/// \throws InputError as read_sources, also for values beyond 1e150 and negative lengths
Bodies read_bodies(const std::string& path);

/// Columns ax, ay, az of accelerations, which are in the place of gradients, and, where there are
/// potentials, phi. The file appears complete or not at all.
/// \throws OutputError; InputError by the extension
void write_accelerations(const std::string& path, const Potentials& results);

} // namespace starfmm

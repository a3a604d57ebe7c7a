// SPDX-License-Identifier: BSD-3-Clause
// The O(N^2) reference in extended precision, and the distance of potentials from it.
#pragma once

#include "core/particles/points.hpp"
#include "core/reference/exact_kernel.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace starfmm {

/// The exact potentials of some targets, one element for each of them.
struct DirectSum {
    std::vector<long double> re;
    std::vector<long double> im;
    std::vector<long double> magnitude; ///< sum_j |G(y_i, x_j) q_j|, the scale of rounding errors
    /// The gradient of the real part by the target's coordinates, for kernels that have it.
    std::array<std::vector<long double>, 3> gradient{};
    std::vector<long double> gradient_magnitude{}; ///< the same sum of its terms' magnitudes
};

/// Tells of a target and a source, by their indices, whether the source acts on the target.
using PairFilter = std::function<bool(std::size_t target, std::size_t source)>;

/// The pairs of a near field: of points in boxes that are the same or touch, where the smallest
/// square or cube that holds all points is halved `height` times [SL13].
[[nodiscard]] PairFilter near_pairs(const PointsRef& sources, const PointsRef& targets, int height);

/// Returns the potentials of targets `which` by direct summation over all sources, on all cores.
/// Complex strengths of a kernel of real ones are summed part by part; gradients are those of the
/// real part.
/// \param which indices of targets, in any order
/// \param acts  leaves out the pairs that it denies; empty: none
/// \throws InputError if the sizes of the sources differ, points are not of the kernel's dimension
/// or an index is beyond the targets
[[nodiscard]] DirectSum direct_sum(
    const ExactKernel& kernel,
    const PointsRef& sources,
    const StrengthsRef& strengths,
    const PointsRef& targets,
    const std::vector<std::size_t>& which,
    const PairFilter& acts = {}
);

/// The distance from the exact potentials, relative to them.
struct ErrorNorms {
    double max_rel;      ///< max_i |Phi_i - exact_i| / |exact_i| [GE12 Eq 5.3]
    double l2_rel;       ///< ||Phi - exact||_2 / ||exact||_2
    std::size_t checked; ///< number of targets compared
};

/// Compares potentials[which[i]] with exact[i]. Where the exact value (or norm) is 0, the relative
/// error is 0 if the computed one is 0 as well, else infinity. A computed value that is not finite
/// has an infinite error.
/// \throws InputError if `which` is beyond the potentials or of another length than `exact`
ErrorNorms compare(
    const Potentials& potentials, const DirectSum& exact, const std::vector<std::size_t>& which
);

/// Compares gradients as compare() does potentials: |gradient - exact| in terms of |exact|.
/// \throws InputError where compare() does, and if `exact` has no gradients
ErrorNorms compare_gradient(
    const Potentials& potentials, const DirectSum& exact, const std::vector<std::size_t>& which
);

/// Returns `k` distinct indices below `m` in ascending order, or all of them if k >= m.
std::vector<std::size_t> random_targets(std::size_t m, std::size_t k, std::uint64_t seed);

} // namespace starfmm

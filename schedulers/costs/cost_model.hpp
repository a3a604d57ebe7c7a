// SPDX-License-Identifier: BSD-3-Clause
// How long a plan will take: what it has to do times what a unit of it costs on this machine.
#pragma once

#include "core/options.hpp"
#include "core/tree/domain.hpp"
#include "schedulers/costs/unit_costs.hpp"
#include "schedulers/runtime/session.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace starfmm {

/// What a plan's time depends on: in the plane both trees cost alike, in space it is an octree.
struct PlanShape {
    std::size_t n_sources = 1;
    std::size_t n_targets = 1;
    bool separate_targets = false; ///< sorted by themselves
    int levels = 0;
    double theta = 0.5;
    int order = 1;
    int dimension = 2;
    int roots = min_roots;     ///< PlanOptions::roots of an octree
    double terms_besides = 0;  ///< KernelTraits::terms_besides, in space
    double wave_tolerance = 0; ///< tolerance of the plane waves of M2L on GPUs; 0: none
};

/// Points of one set in a leaf of an octree, on average.
[[nodiscard]] double points_of_octree_leaf(const PlanShape& shape);

/// Leaves of that octree.
[[nodiscard]] double octree_leaves(const PlanShape& shape);

/// PlanOptions::leaf_size of that octree: so many that hardly a leaf of uniform points has more.
[[nodiscard]] std::uint32_t octree_leaf_size(const PlanShape& shape);

[[nodiscard]] Units units_of(const PlanShape& shape);
[[nodiscard]] DirectUnits direct_units(std::size_t n_sources, std::size_t n_targets);

/// Seconds from points in memory to potentials in memory.
[[nodiscard]] double
predict_fmm(const UnitCosts& costs, const PlanShape& shape, const WorkerCounts& workers);
[[nodiscard]] double predict_direct(
    const UnitCosts& costs,
    std::size_t n_sources,
    std::size_t n_targets,
    const WorkerCounts& workers
);

/// Whether some machine and kernel may have such costs: none is a million times the built-in one,
/// and whole sums are not a thousand times as fast.
[[nodiscard]] bool
are_plausible(const UnitCosts& costs, const WorkerCounts& workers, int dimension = 2);

/// A run whose time is known.
struct TimedRun {
    std::vector<double> units;
    double time; ///< seconds, > 0
};

/// Costs x >= 0 that minimize the sum of (units x / time - 1)^2 over the runs, plus a hundredth of
/// the sum of (x_i / (s expected_i) - 1)^2, where s is the median of time / (units expected): what
/// the runs do not tell apart stays in the proportions expected.
/// \param expected [units.size()] costs elsewhere, > 0
[[nodiscard]] std::vector<double>
fit_costs(const std::vector<TimedRun>& runs, const std::vector<double>& expected);

/// Costs of the harmonic kernel, or in space of the Laplace kernel with gradients, in double
/// precision on the machines of docs/performance.md.
[[nodiscard]] const UnitCosts& builtin_costs(WorkerCounts workers, int dimension = 2);

} // namespace starfmm

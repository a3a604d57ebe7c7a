// SPDX-License-Identifier: BSD-3-Clause
// What a unit of each kind of work costs on a machine.
#pragma once

#include "codelets/task/task_cost.hpp"

#include <array>
#include <cstddef>
#include <map>
#include <string>

namespace starfmm {

/// Units of work of one plan and one evaluation: what its time is a sum of. Of an expansion of
/// order p, coefficients are p in the plane and p^2 in space, products p^2 and p^3: what moving it
/// to another centre takes. Translations between far boxes (M2L) count with the terms they need.
enum class Unit {
    once,              ///< what every plan pays: tasks, waits, allocations
    level,             ///< kernels that are launched for each
    point,             ///< sources, and targets if separate
    point_level,       ///< points times levels: sort
    point_coefficient, ///< points times coefficients: P2M, L2P
    box,               ///< boxes of all levels
    box_product,       ///< boxes times products: M2M, L2L
    shift,             ///< M2L translations, and connect, which finds them
    shift_coefficient, ///< translations times coefficients
    shift_product,     ///< translations times products
    wave,              ///< boxes times coefficients: M2L by plane waves, whose number follows them
    near_leaf,         ///< pairs of near leaves
    near_pair,         ///< pairs of points: P2P
    count
};

using Units = std::array<double, static_cast<std::size_t>(Unit::count)>;

/// Units of work of direct summation.
enum class DirectUnit { once, point, pair, count };

using DirectUnits = std::array<double, static_cast<std::size_t>(DirectUnit::count)>;

/// Seconds a unit, none negative.
struct UnitCosts {
    Units fmm{}; ///< all by one CPU worker in turn; with GPUs, as their tasks overlap
    DirectUnits direct{};
    double task = 0; ///< what StarPU adds to one of a CPU's tasks
};

/// Costs of operators, by the names of their codelets.
using TaskCosts = std::map<std::string, OperatorCosts>;

/// What one set of workers costs.
struct MachineCosts {
    UnitCosts costs;   ///< costs of the GPUs, if there are any, else of the CPU workers
    UnitCosts cores{}; ///< costs of the CPU workers beside GPUs; 0 where there are none
    TaskCosts tasks;   ///< costs of operators on both kinds of workers, as far as measured
};

/// MeasuredCosts::busy up to which nothing disturbed a measurement.
inline constexpr double undisturbed = 1.25;

/// Costs, and how they were found.
struct MeasuredCosts : MachineCosts {
    /// Time that passed over the processor time used: 1 on an idle machine. Above `undisturbed`
    /// costs are doubtful, as times are that no processor can have.
    double busy = 1;
    int attempts = 1; ///< measurements so far, of which these costs are the least disturbed
    double age_s = 0; ///< since they were kept
};

/// Where costs come from.
enum class CostSource {
    none,    ///< nowhere yet
    builtin, ///< measured once, on the machines of docs/performance.md
    cached,  ///< measured on this machine before
    measured ///< just now
};

struct TunedCosts : MachineCosts {
    CostSource source = CostSource::none;
    std::string file;          ///< cache file of measured costs
    std::string notice;        ///< why measured costs could not be kept; empty if they were
    bool are_doubtful = false; ///< measured beside other programs: a later run measures again
    int n_looked_at = 0;       ///< evaluations that review_costs() was shown
};

} // namespace starfmm

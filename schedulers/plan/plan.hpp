// SPDX-License-Identifier: BSD-3-Clause
// The public facade: plan once, evaluate any number of times.
#pragma once

#include "codelets/sets/kernel_set.hpp"
#include "core/options.hpp"
#include "core/particles/points.hpp"
#include "schedulers/costs/unit_costs.hpp"
#include "schedulers/runtime/runtime.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace starfmm {

/// Work that a plan's evaluation does.
struct WorkCounts {
    std::uint64_t p2p_pairs = 0;  ///< (target, source) pairs
    std::uint64_t m2l_shifts = 0; ///< translations
    std::uint64_t p2l_pairs = 0;  ///< sources into local expansions
    std::uint64_t m2p_pairs = 0;  ///< multipoles at targets
};

/// What a plan decided.
struct PlanInfo {
    Method method = Method::fmm; ///< fmm or direct
    TreeKind tree = TreeKind::pyramid;
    std::uint32_t leaf_size = 0; ///< of a quadtree: most sources, most targets of a leaf
    double theta = 0;
    int order = 0;
    int levels = 0;         ///< finest level
    std::size_t leaves = 0; ///< boxes without children
    int groups = 1;
    int chunks = 1; ///< that the sources are cut into on their way to groups
    WorkCounts work;
    double topology_s = 0;         ///< seconds from the points to complete lists
    double predicted_fmm_s = 0;    ///< time of plan and evaluation; 0: there was nothing to choose
    double predicted_direct_s = 0; ///< of direct summation; 0: only with Method::automatic
    CostSource costs = CostSource::none; ///< what the predictions rest on
    /// Smallest tolerance that precision, order and theta are for: an order of the user's own may
    /// leave it above PlanOptions::tolerance.
    double reachable_tolerance = 0;
    std::string tuning_notice; ///< why measured costs could not be kept on disk, if so
};

/// One leaf for a picture of the mesh: bounds of its points, and how the box at hand meets it.
struct MeshLeaf {
    double x_min, x_max, y_min, y_max;
    enum class Relation { none, self, far, near } relation;
};

/// Sums over fixed points. The points and the results are the caller's, in the caller's order.
/// Points may change once the constructor has returned, although their sorting may go on: the first
/// evaluation overlaps with it.
///
///     Runtime runtime({});
///     Plan plan(runtime, kernel_set<Harmonic<double, false>>(), points, {.tolerance = 1e-9});
///     Potentials phi = plan.evaluate(strengths);
///
/// What the options leave open is chosen by predicted time (schedulers/costs/tuning.hpp). For that,
/// the first large plan of a kernel on a machine measures costs, in less than a second, and caches
/// them; Tuning::builtin forbids it.
///
/// Memory: about 75 bytes a point during sort, then 60 to 110 (order, leaf size) besides the
/// caller's arrays.
class Plan {
public:
    /// Sources are the targets; a point does not act on itself nor on points at the same place.
    /// Points may have any extent: where arithmetic needs another unit of length, tasks get copies
    /// in that unit (docs/numerics.md).
    /// \throws InputError for options out of range, a tolerance that neither the precision nor any
    ///         order can meet, no points, coordinates that are not finite, points that no unit of
    ///         length lets the precision tell apart, more than 2^32 - 1 points
    Plan(Runtime& runtime, KernelSet& kernel, const Points<2>& sources, const PlanOptions& options);

    /// Sources and targets differ. `targets` may hold any number of points >= 1.
    Plan(
        Runtime& runtime,
        KernelSet& kernel,
        const Points<2>& sources,
        const Points<2>& targets,
        const PlanOptions& options
    );

    Plan(const Plan&) = delete;
    Plan& operator=(const Plan&) = delete;
    ~Plan();

    /// Potentials at the targets, in the user's order. O(N order) + O(boxes order^2), direct: O(N
    /// M).
    ///
    /// Complex strengths with a kernel of real ones are two right-hand sides, real and imaginary
    /// parts.
    /// \throws InputError if the number of strengths is not that of the sources, one is not finite,
    /// or there are no points after a failed rebuild(); MemoryError, std::bad_alloc
    [[nodiscard]] Potentials evaluate(const Strengths& strengths);

    /// As above, into `out`, whose memory is used again if it has the right size.
    void evaluate(const Strengths& strengths, Potentials& out);

    /// Several right-hand sides: up to four share one traversal of the tree, and what a near pair
    /// has of geometry. Four take about twice as long as one.
    /// \throws as above, naming the right-hand side, counted from 1
    [[nodiscard]] std::vector<Potentials> evaluate(std::span<const Strengths> strengths);

    /// As above, into `out`, of as many elements as there are right-hand sides.
    void evaluate(std::span<const Strengths> strengths, std::span<Potentials> out);

    /// Replaces the points, as a new plan would, with the same options.
    /// \throws as the constructors. Sizes and options that are refused leave the plan as it was;
    /// after any other failure, of evaluate() too, it has no points until a rebuild succeeds.
    void rebuild(const Points<2>& sources);
    void rebuild(const Points<2>& sources, const Points<2>& targets);

    /// Waits for the topology.
    [[nodiscard]] const PlanInfo& info() const;

    /// Leaves as the tree has them, coloured by their relation to leaf `leaf`; none with
    /// Method::direct.
    [[nodiscard]] std::vector<MeshLeaf> mesh(std::size_t leaf);

private:
    struct State;
    std::unique_ptr<State> state_;
};

} // namespace starfmm

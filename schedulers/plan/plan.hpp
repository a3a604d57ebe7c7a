// SPDX-License-Identifier: BSD-3-Clause
// The public facade: plan once, evaluate any number of times.
#pragma once

#include "codelets/sets/kernel_set.hpp"
#include "core/options.hpp"
#include "core/particles/points.hpp"
#include "schedulers/plan/plan_info.hpp"
#include "schedulers/runtime/runtime.hpp"

#include <array>
#include <memory>
#include <span>
#include <vector>

namespace starfmm {

struct PlanState;

/// What sums over points, the last ones or coarse ones, found there: boxes may then be separated by
/// what they leave out relative to it [D14], so that none of the targets has a large relative
/// error.
struct LastField {
    /// Most that a pair of boxes leaves out of the gradient at a target, relative to the field
    /// there, which is sum |q| / r^2 as far as potential and gradient tell; (0, 1)
    double own_error;
    double sum_of_strengths;              ///< of their magnitudes
    const std::vector<double>& strengths; ///< of one sign each, of which the field was
    const std::vector<double>& potential; ///< as evaluate() wrote it
    const std::array<std::vector<double>, 3>& gradient;
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
    /// Of points of the plane, or of any dimension that the kernel has.
    /// Sources are the targets; a point does not act on itself nor on points at the same place.
    /// Points may have any extent: where arithmetic needs another unit of length, tasks get copies
    /// in that unit (docs/numerics.md).
    /// \throws InputError for points of other dimensions than the kernel's, options out of range, a
    /// tolerance that neither the precision nor any
    ///         order can meet, no points, coordinates that are not finite, points that no unit of
    ///         length lets the precision tell apart, more than 2^32 - 1 points
    Plan(Runtime& runtime, KernelSet& kernel, const Points<2>& sources, const PlanOptions& options);
    Plan(Runtime& runtime, KernelSet& kernel, const PointsRef& sources, const PlanOptions& options);

    /// Sources and targets differ. `targets` may hold any number of points >= 1.
    Plan(
        Runtime& runtime,
        KernelSet& kernel,
        const Points<2>& sources,
        const Points<2>& targets,
        const PlanOptions& options
    );
    Plan(
        Runtime& runtime,
        KernelSet& kernel,
        const PointsRef& sources,
        const PointsRef& targets,
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
    void rebuild(const PointsRef& sources);
    void rebuild(const Points<2>& sources, const Points<2>& targets);
    void rebuild(const PointsRef& sources, const PointsRef& targets);

    /// As above, of an octree whose boxes are separated by own errors besides.
    /// \throws as above; InputError for own_error out of range, arrays of other lengths than the
    /// points', kernels of the plane or without gradients, options without an octree or an order or
    /// with heavy_theta
    /// \pre potentials are sums of q / r, softened or not
    void rebuild(const PointsRef& sources, const LastField& field);

    /// Waits for the topology.
    [[nodiscard]] const PlanInfo& info() const;

    /// Leaves as the tree has them, coloured by their relation to leaf `leaf`; none with
    /// Method::direct.
    [[nodiscard]] std::vector<MeshLeaf> mesh(std::size_t leaf);

private:
    std::unique_ptr<PlanState> state_;
};

} // namespace starfmm

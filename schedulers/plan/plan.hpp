// SPDX-License-Identifier: BSD-3-Clause
// The public facade: a program plans once and evaluates any number of times.
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

/// A field of the same kind, found by an earlier sum over the last points or by a coarse sum. With
/// it, the separation of boxes may depend on what a pair leaves out relative to the field at its
/// targets [D14], so that none of the targets has a large relative error.
struct LastField {
    /// Largest part of the gradient at a target that a pair of boxes may leave out, relative to the
    /// field there, which is sum |q| / r^2 as far as potential and gradient tell; (0, 1)
    double own_error;
    double sum_of_strengths; ///< sum of the strengths' magnitudes
    /// Strengths of the sources of the field, of one sign each.
    std::span<const double> strengths;
    std::span<const double> potential; ///< values as evaluate() wrote them
    std::array<std::span<const double>, 3> gradient;
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
    /// Plans a sum over points of the plane, or of any dimension that the kernel has. Sources are
    /// the targets; a point does not act on itself nor on points at the same place. Points may have
    /// any extent: where arithmetic needs another unit of length, tasks get copies in that unit
    /// (docs/numerics.md). Lengths of points are copied.
    /// \throws InputError for points of another dimension than the kernel's, options out of range,
    /// a tolerance that neither the precision nor any order can meet, no points, coordinates that
    /// are not finite, points that no unit of length lets the precision tell apart, more than 2^32
    /// - 1 points
    Plan(Runtime& runtime, KernelSet& kernel, const Points<2>& sources, const PlanOptions& options);
    Plan(Runtime& runtime, KernelSet& kernel, const PointsRef& sources, const PlanOptions& options);

    /// Plans a sum whose targets differ from its sources. `targets` may hold any number of points
    /// >= 1. They have lengths only in direct sums.
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

    /// Returns the potentials at the targets, in the user's order. O(N order) + O(boxes order^2),
    /// direct: O(N M).
    ///
    /// Complex strengths with a kernel of real ones are two right-hand sides, real and imaginary
    /// parts.
    /// \throws InputError if the number of strengths is not that of the sources, one is not finite,
    /// or there are no points after a failed rebuild()
    /// \throws MemoryError, std::bad_alloc if memory is short
    [[nodiscard]] Potentials evaluate(const Strengths& strengths);

    /// Writes the potentials of the other overload into `out`, whose memory is used again if it has
    /// the right size.
    void evaluate(const Strengths& strengths, Potentials& out);

    /// Evaluates several right-hand sides: up to four share one traversal of the tree and the
    /// geometry of each near pair. Four take about twice as long as one.
    /// \throws as evaluate() of one right-hand side, naming the right-hand side, counted from 1
    [[nodiscard]] std::vector<Potentials> evaluate(std::span<const Strengths> strengths);

    /// Evaluates several right-hand sides into `out`, which has an element for each of them.
    void evaluate(std::span<const Strengths> strengths, std::span<Potentials> out);

    /// Evaluates strengths of the kernel's type, of several right-hand sides, into arrays that have
    /// a value a target. Strengths and results may be arrays of a GPU (ArrayMemory::keep_on_gpu).
    /// \param meanwhile runs once while the tasks of a tree do, not at all where there is no tree
    void evaluate(
        std::span<const StrengthsRef> strengths,
        std::span<const ResultsRef> out,
        const WhileSumming& meanwhile = {}
    );

    /// Replaces the points, as a new plan would, with the same options.
    /// \throws as the constructors. Sizes and options that are refused leave the plan as it was;
    /// after any other failure, of evaluate() too, the plan has no points until a rebuild succeeds.
    void rebuild(const Points<2>& sources);
    void rebuild(const PointsRef& sources);
    void rebuild(const Points<2>& sources, const Points<2>& targets);
    void rebuild(const PointsRef& sources, const PointsRef& targets);

    /// Replaces the points of an octree whose boxes are separated by their own errors, too.
    /// \throws as the other overloads, and InputError for own_error out of range, arrays of other
    /// lengths than the points', kernels of the plane or without gradients, options without an
    /// octree or an order or with heavy_theta
    /// \pre potentials are sums of q / r, softened or not
    void rebuild(const PointsRef& sources, const LastField& field);

    /// Returns what the plan does, after waiting for the topology.
    [[nodiscard]] const PlanInfo& info() const;

    /// Returns the leaves of the tree with their relation to leaf `leaf`, which a picture may
    /// colour; none with Method::direct.
    [[nodiscard]] std::vector<MeshLeaf> mesh(std::size_t leaf);

private:
    std::unique_ptr<PlanState> state_;
};

} // namespace starfmm

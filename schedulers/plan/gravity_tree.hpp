// SPDX-License-Identifier: BSD-3-Clause
// Gravity by an octree, with Cartesian Taylor expansions or, of points, with solid harmonics, or of
// every pair.
#pragma once

#include "core/expansions/cartesian_index.hpp"
#include "core/expansions/cartesian_order.hpp"
#include "core/far_field.hpp"
#include "core/options.hpp"
#include "core/particles/bodies.hpp"
#include "schedulers/plan/plan.hpp"
#include "schedulers/runtime/runtime.hpp"

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace starfmm {

class TreeChoices;
struct SumPlaces;

/// What is summed.
enum class GravityResult { acceleration, with_potential };

/// What is summed, and how precisely.
struct GravityTreeOptions {
    double epsilon = 0; ///< softening length, >= 0; unit: the bodies'
    Softening softening = Softening::plummer;
    double g = 1; ///< gravitational constant
    /// mixed: pairs in single. Direct sums that are asked for, of Plummer's softening, round positions
    /// to single, of mixed precision to 48 bits, in a unit that none exceeds; but not at targets.
    Precision precision = Precision::single_precision;
    GravityResult result = GravityResult::with_potential; ///< without potentials pairs take less
    /// harmonics: without softening. The tolerance is of potentials then, in L2, and accelerations may
    /// have 30 times that; a plan chooses what is left open, of the method, too.
    FarField far_field = FarField::taylor;
    double tolerance99 = 1; ///< relative error of accelerations that 99 of 100 bodies keep
    /// Tolerance: of the median of those errors. What is left open of theta, order and leaf size
    /// follows from both, and from where the bodies lie.
    PlanOptions plan{.method = Method::fmm, .tree = TreeKind::orthtree, .tolerance = 2.6e-3};
    /// Most that a pair of boxes leaves out of a body's acceleration, relative to what attracts it
    /// [D14], (0, 1): boxes are separated by theta and by this. 0: by theta alone where masses are
    /// much alike, else as the tolerances ask.
    double own_error = 0;

    /// \throws InputError naming the first option that is out of its range
    void validate() const;

    /// \throws InputError naming an option that sums at targets do not have
    void check_targets() const;

    /// Options of the plan with nothing left open, as for spread bodies of equal masses: method
    /// direct where no tree has the tolerances.
    [[nodiscard]] PlanOptions closed() const;
};

/// Options of direct sums in double precision.
[[nodiscard]] GravityTreeOptions direct_gravity(double epsilon);

/// Options of a runtime that sums gravity directly and nothing else: one stream a GPU, which a task
/// fills, so that several GPUs share few bodies by one task each.
[[nodiscard]] inline RuntimeOptions gravity_runtime() {
    RuntimeOptions options;
    options.streams = 1;
    return options;
}

/// Whether the options ask for direct sums of packed bodies (PackedSums).
[[nodiscard]] PackedSums packed_sums(const GravityTreeOptions& options);

/// Codelets of Plummer's softening, of a spline's, or of points by solid harmonics.
[[nodiscard]] KernelSet&
gravity_kernel(Softening softening, Precision precision, FarField far_field = FarField::taylor);

/// Radii of the balls of bodies with lengths epsilon of their own, in a unit of length: 0 where the length
/// is so small that double precision could not tell it from zero. Empty of other bodies.
[[nodiscard]] std::vector<double> ball_radii(std::span<const double> epsilon, double unit);

/// The roots of an octree whose leaves suit the bodies best: builds the tree of each. O(N)
/// \param options leave nothing else open
[[nodiscard]] int
choose_roots(Runtime& runtime, const GravityTreeOptions& options, const BodiesRef& bodies);

/// Accelerations a_i = G sum_{j != i} m_j (x_j - x_i) / (|x_j - x_i|^2 + epsilon^2)^(3/2)
/// [MTM13 Eq 1] and potentials -G sum_{j != i} m_j / sqrt(|x_j - x_i|^2 + epsilon^2), or those of
/// balls (core/laws/spline.hpp), far bodies by expansions of boxes [FT19, GD08 Eq 1], or all of them
/// directly.
/// With epsilon = 0, or so small that the precision could not tell, bodies at the same place do not
/// act on each other.
///
/// Sums may be taken at targets of their own, which have no mass: over all bodies. One at a target's
/// place acts on it as its softening says: it adds the potential -G m / epsilon and no acceleration,
/// and nothing with epsilon = 0.
///
/// With Softening::splines each body has a length, and a pair the larger of both; targets have none.
/// Boxes are then far from each other only beyond the largest length of either's bodies.
///
///     Runtime runtime({});
///     GravityTree gravity(runtime, {.epsilon = 0.01});
///     Accelerations a;
///     gravity.evaluate(bodies, a); // any number of times; bodies may move in between
class GravityTree {
public:
    /// \throws InputError for options out of range
    GravityTree(Runtime& runtime, const GravityTreeOptions& options);

    /// O(N), directly O(N^2), on all workers: sorts the bodies anew. Arrays of `out` have a value a
    /// body; without potentials that one may be empty. With own_error it sums twice: by theta alone, for what attracts each body, and by
    /// both. Of few bodies, uneven masses, small leaves or bodies that are not spread in their cubes,
    /// sums with an order that was left open are checked at 512 bodies, and made anew, in the end
    /// directly, until the tolerances are kept; but for those by solid harmonics.
    /// \throws InputError for no bodies, arrays of different lengths, values that are not finite,
    /// and as largest_epsilon()
    void evaluate(const BodiesRef& bodies, const AccelerationsRef& out);

    /// Sums over all bodies at targets, any number of them anywhere. As for uneven masses, sums by a
    /// tree with an order that was left open are checked, at 512 targets.
    /// \throws InputError as the other overload, for no targets, own_error
    void evaluate(const BodiesRef& bodies, const PointsRef& targets, const AccelerationsRef& out);

    /// @{ The same with memory that is resized if it has another size.
    void evaluate(const BodiesRef& bodies, Accelerations& out);
    void evaluate(const BodiesRef& bodies, const PointsRef& targets, Accelerations& out);

    /// @}

    /// The tree of the bodies, as evaluate() first builds it, without the sums.
    const PlanInfo& build(const BodiesRef& bodies);

    /// Sums as evaluate() does, over bodies whose arrays are resident, as those of `out` may be: once
    /// there is a plan, none is looked at, and it keeps its unit. Nothing is
    /// checked: options with nothing left open, as chosen() has them, keep their tolerances. With
    /// own_error, what attracts bodies is what `out` has from the call before.
    /// \param out sums, for scale_sums(); as many as bodies
    /// \returns what makes them accelerations and potentials
    SumFactors sum(const BodiesRef& bodies, const AccelerationsRef& out);

    /// Whether tasks see positions as the user gave them, so that they may change where they are.
    [[nodiscard]] bool keeps_unit() const;

    /// Equal parts in which tasks take the bodies' arrays: one a GPU, where there are several.
    [[nodiscard]] std::size_t n_parts() const;

    [[nodiscard]] const GravityTreeOptions& options() const { return options_; }

    /// Whether the precision took a positive epsilon for zero in the last evaluation.
    [[nodiscard]] bool lost_epsilon() const;

    /// What the plan of the last evaluation decided.
    [[nodiscard]] const PlanInfo& info() const { return plan_->info(); }

    /// The options with which the last evaluation ended, that leave nothing open.
    [[nodiscard]] GravityTreeOptions chosen() const;

    /// GravityTreeOptions::own_error of the last evaluation: the user's, or the choice for uneven
    /// masses.
    [[nodiscard]] double own_error() const { return own_error_; }

    /// Relative error in L2 of the last evaluation's accelerations, at those bodies or targets that
    /// they were checked at, of targets with what a sample may miss; empty if they were not.
    [[nodiscard]] const std::optional<double>& sampled_l2() const { return sampled_l2_; }

    /// Why the last evaluation summed directly, if that was its choice; else empty.
    [[nodiscard]] const std::string& why_direct() const { return why_direct_; }

private:
    [[nodiscard]] bool is_packed() const;
    SumPlaces place(const BodiesRef& bodies);
    SumPlaces place(const BodiesRef& bodies, const PointsRef& targets);
    [[nodiscard]] double longest(const BodiesRef& bodies) const;
    PointsRef placed(const BodiesRef& bodies);
    void choose_unit(double length);
    void rebuild(const SumPlaces& places, const TreeChoices& choices);
    void rebuild_plan(const SumPlaces& places, PlanOptions options);
    void rebuild(const BodiesRef& bodies);
    void evaluate(const BodiesRef& bodies, const SumPlaces& places, AccelerationsRef out);
    [[nodiscard]] TreeChoices choices_for(const BodiesRef& bodies, const SumPlaces& places) const;
    SumFactors sum_within_tolerances(
        const BodiesRef& bodies, const SumPlaces& places, const AccelerationsRef& out
    );

    [[nodiscard]] bool has_own_errors() const;

    /// Builds the plan of the same bodies anew, separated by what their last sums were.
    void rebuild(const BodiesRef& bodies, const AccelerationsRef& last);

    /// Sums over the plan's bodies, in the unit of the plan, if need be twice.
    SumFactors sum_anew(const BodiesRef& bodies, const AccelerationsRef& out);
    SumFactors sum(std::span<const double> masses, const AccelerationsRef& out);
    void make_room(std::size_t n, Accelerations& out) const;

    Runtime& runtime_;
    GravityTreeOptions options_;
    KernelSet& kernel_;
    PlanOptions closed_;   ///< options of the plan, with nothing left open
    double own_error_ = 0; ///< GravityTreeOptions::own_error of the last rebuild()
    double length_ = 1;    ///< the plan's unit in the user's: a power of two
    double extent_ = 1;    ///< power of two that no length of the last bodies exceeds
    double epsilon_ = 0;   ///< softening length of the tasks, in the plan's unit
    std::unique_ptr<Plan> plan_;
    bool has_targets_ = false; ///< whether the last sums were not at the bodies
    Points<3> scaled_;         ///< where the plan's unit is another one, as the next ones
    Points<3> scaled_targets_;
    std::vector<double> lengths_;   ///< radii of bodies' balls in the plan's unit, of their own
    double total_mass_ = 0;         ///< sum of the masses' magnitudes, with own_error
    std::vector<double> potential_; ///< memory of potentials that were not asked for
    std::string why_direct_;
    std::optional<double> sampled_l2_;
};

} // namespace starfmm

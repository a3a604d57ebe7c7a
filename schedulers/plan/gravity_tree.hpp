// SPDX-License-Identifier: BSD-3-Clause
// The public facade of softened gravity by an octree and Cartesian Taylor expansions.
#pragma once

#include "core/expansions/cartesian_index.hpp"
#include "core/expansions/cartesian_order.hpp"
#include "core/options.hpp"
#include "core/particles/bodies.hpp"
#include "schedulers/plan/plan.hpp"
#include "schedulers/runtime/runtime.hpp"

#include <memory>

namespace starfmm {

/// What is summed, and how precisely.
struct GravityTreeOptions {
    double epsilon = 0; ///< softening length, >= 0; unit: the bodies'
    Softening softening = Softening::plummer;
    double g = 1;                                                    ///< gravitational constant
    GravityPrecision precision = GravityPrecision::single_precision; ///< single or double
    double tolerance99 = 1; ///< of the relative error of accelerations that 99 of 100 bodies keep
    /// Tolerance: of the median of those errors. What is left open of theta, order and leaf size
    /// follows from both, and from where the bodies lie.
    PlanOptions plan{.method = Method::fmm, .tree = TreeKind::orthtree, .tolerance = 2.6e-3};

    /// \throws InputError naming the first option that is out of its range
    void validate() const;

    /// Those of the plan with nothing left open.
    /// \throws InputError if no order has the tolerances
    [[nodiscard]] PlanOptions closed() const;

    /// For bodies at hand: upon the corners of the tree's cubes, as where a few places are taken
    /// many times, they take a higher order than where they are spread, or a smaller theta. O(1).
    /// \throws InputError if no order has the tolerances
    [[nodiscard]] PlanOptions closed(const PointsRef& points) const;
};

/// The roots of an octree whose leaves suit the bodies best: builds the tree of each. O(N)
/// \param options leave nothing else open
[[nodiscard]] int
choose_roots(Runtime& runtime, const GravityTreeOptions& options, const Bodies& bodies);

/// Accelerations a_i = G sum_{j != i} m_j (x_j - x_i) / (|x_j - x_i|^2 + epsilon^2)^(3/2)
/// [MTM13 Eq 1] and potentials -G sum_{j != i} m_j / sqrt(|x_j - x_i|^2 + epsilon^2), or those of
/// balls (core/laws/spline.hpp), far bodies by expansions of boxes [FT19]. With epsilon = 0, or so
/// small that single precision could not tell, bodies at the same place do not act on each other.
///
///     Runtime runtime({});
///     GravityTree gravity(runtime, {.epsilon = 0.01});
///     Accelerations a;
///     gravity.evaluate(bodies, a); // any number of times; bodies may move in between
class GravityTree {
public:
    /// \throws InputError for options out of range
    GravityTree(Runtime& runtime, const GravityTreeOptions& options);

    /// O(N), on all workers: sorts the bodies anew. `out` is resized if it has another size.
    /// \throws InputError for no bodies, arrays of different lengths, values that are not finite
    void evaluate(const Bodies& bodies, Accelerations& out);

    /// The tree of the bodies, as evaluate() builds it, without the sums.
    const PlanInfo& build(const Bodies& bodies);

    /// As evaluate(), of bodies whose arrays are resident, as those of `masses` and `out` may be:
    /// once there is a plan, none is looked at, and it keeps its unit. \param masses those of the
    /// bodies \param out sums, for scale_sums(); of the bodies' number \returns what makes them
    /// accelerations and potentials
    SumFactors sum(const Bodies& bodies, const Strengths& masses, Accelerations& out);

    /// Whether tasks see positions as the user gave them, so that they may change where they are.
    [[nodiscard]] bool keeps_unit() const;

    [[nodiscard]] const GravityTreeOptions& options() const { return options_; }

    /// Of the last evaluation.
    [[nodiscard]] const PlanInfo& info() const { return plan_->info(); }

private:
    void rebuild(const Bodies& bodies);
    SumFactors sum(const Strengths& masses, Accelerations& out);

    Runtime& runtime_;
    GravityTreeOptions options_;
    KernelSet& kernel_;
    PlanOptions closed_; ///< those of the plan
    double length_ = 1;  ///< the plan's unit in the user's: a power of two
    double epsilon_ = 0; ///< in the plan's unit: of tasks
    std::unique_ptr<Plan> plan_;
    Bodies scaled_; ///< where the plan's unit is another one
    Strengths masses_;
};

} // namespace starfmm

// SPDX-License-Identifier: BSD-3-Clause
// The public facade of gravity without softening by the fast multipole method.
#pragma once

#include "core/options.hpp"
#include "core/particles/bodies.hpp"
#include "core/particles/points.hpp"
#include "schedulers/plan/plan.hpp"
#include "schedulers/runtime/runtime.hpp"

#include <cstddef>
#include <memory>

namespace starfmm {

/// What is summed, and how precisely.
struct GravityFmmOptions {
    double g = 1; ///< gravitational constant
    /// mixed: pairs in single precision, expansions and sums in double
    Precision precision = Precision::double_precision;
    /// Tolerance and tree; with Method::direct or automatic, the plan may sum over all pairs.
    PlanOptions plan{.method = Method::fmm};

    /// \throws InputError naming the first option that is out of its range, or the tolerance if the
    /// precision cannot meet it
    void validate() const;
};

/// What the plan of `n` >= 1 bodies will do, and the predicted times that this rests on.
/// \throws InputError as Plan
[[nodiscard]] PlanInfo decide(Runtime& runtime, const GravityFmmOptions& options, std::size_t n);

/// Accelerations a_i = G sum_{j != i} m_j (x_j - x_i) / |x_j - x_i|^3 and potentials
/// -G sum_{j != i} m_j / |x_j - x_i| [GD08 Eq 1]. Bodies at the same place do not act on each
/// other. Potentials have the tolerance as their error in L2, accelerations up to 30 times it.
///
///     Runtime runtime({});
///     GravityFmm gravity(runtime, {.g = 1});
///     Accelerations a;
///     gravity.evaluate(bodies, a); // any number of times; bodies may move in between
///
/// On cores the same bodies give the same bits on as many workers; GPUs add near pairs as they
/// come.
class GravityFmm {
public:
    /// \throws InputError for options out of range
    GravityFmm(Runtime& runtime, const GravityFmmOptions& options);

    /// O(N), on all workers: sorts the bodies anew. `out` is resized if it has another size.
    /// \throws InputError for no bodies, arrays of different lengths, values that are not finite
    void evaluate(const Bodies& bodies, Accelerations& out);

    /// Sums as evaluate() does, over bodies whose arrays are resident, as those of `out` may be: none
    /// is looked at after the first evaluation.
    /// \param out sums, for scale_sums(); as many as bodies
    /// \returns what makes them accelerations and potentials
    SumFactors sum(const BodiesRef& bodies, const AccelerationsRef& out);

    /// Whether tasks see positions as the user gave them, so that they may change where they are.
    [[nodiscard]] bool keeps_unit() const;

    /// Equal parts in which tasks take the bodies' arrays: one a GPU, where there are several.
    [[nodiscard]] std::size_t n_parts() const;

    [[nodiscard]] const GravityFmmOptions& options() const { return options_; }

private:
    void rebuild(const BodiesRef& bodies);

    Runtime& runtime_;
    GravityFmmOptions options_;
    KernelSet& kernel_;
    std::unique_ptr<Plan> plan_;
};

} // namespace starfmm

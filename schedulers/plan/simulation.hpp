// SPDX-License-Identifier: BSD-3-Clause
// Bodies that move under their own gravity: leapfrog steps of direct sums, or of the fast multipole
// method.
#pragma once

#include "core/io/snapshot.hpp"
#include "schedulers/plan/gravity.hpp"
#include "schedulers/plan/gravity_fmm.hpp"
#include "schedulers/plan/gravity_tree.hpp"
#include "schedulers/runtime/runtime.hpp"

#include <variant>

namespace starfmm {

/// Whether the fast multipole method may sum this run: asked for, or left open without softening.
[[nodiscard]] bool may_use_fmm(const RunParameters& run);

/// What can be said against the method without the bodies.
/// \throws InputError for method fmm with softening, tolerances that the precision cannot meet,
/// values out of range; of direct sums nothing
void check_method(const RunParameters& run);

/// An N-body run that can stop after any step: its state is a snapshot, from which another run goes
/// on with the same bits, on as many workers of the same kind (direct sums are in fixed order; of
/// the fast multipole method that holds on cores).
class Simulation {
public:
    /// Decides what the run's method leaves open, and evaluates the accelerations at the start.
    /// \param start step 0: `start.start` is set here; later: as snapshot() gave it
    /// \throws InputError for no bodies or parameters out of range; as check_method()
    Simulation(Runtime& runtime, Snapshot start);

    /// One step; O(N^2), or O(N) by the fast multipole method.
    void advance();

    /// The method in it is fmm or direct, with nothing left open.
    [[nodiscard]] const Snapshot& snapshot() const { return state_; }

    /// Predicted times, where there was something to decide.
    [[nodiscard]] const PlanInfo& decided() const { return decided_; }

    /// Accelerations and potentials at the present positions.
    [[nodiscard]] const Accelerations& accelerations() const { return accelerations_; }

    /// At present. O(N).
    [[nodiscard]] Conserved conserved() const;

private:
    using Gravity = std::variant<GravitySum, GravityFmm, GravityTree>;

    /// Of a run whose method is decided.
    [[nodiscard]] static Gravity make_gravity(Runtime& runtime, const RunParameters& run);
    void evaluate(const Bodies& bodies, Accelerations& out);

    Snapshot state_;
    PlanInfo decided_;
    Gravity gravity_;
    Accelerations accelerations_;
};

} // namespace starfmm

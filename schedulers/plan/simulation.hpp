// SPDX-License-Identifier: BSD-3-Clause
// Bodies that move under their own gravity: leapfrog steps of direct sums, or of the fast multipole
// method.
#pragma once

#include "core/io/snapshot.hpp"
#include "schedulers/plan/gravity.hpp"
#include "schedulers/plan/gravity_fmm.hpp"
#include "schedulers/plan/gravity_tree.hpp"
#include "schedulers/plan/motion.hpp"
#include "schedulers/runtime/runtime.hpp"

#include <cstdint>
#include <memory>
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

    Simulation(const Simulation&) = delete;
    Simulation& operator=(const Simulation&) = delete;
    ~Simulation() = default;

    /// One step; O(N^2), or O(N) by the fast multipole method.
    void advance();

    /// The state at present, which may have to travel to the caller's memory first: O(N). The
    /// method in it is fmm or direct, with nothing left open. \throws InputError naming the first
    /// value that is no longer finite
    [[nodiscard]] const Snapshot& snapshot() const;

    [[nodiscard]] std::uint64_t step() const { return state_.step; }

    [[nodiscard]] double time() const { return state_.time; }

    [[nodiscard]] const RunParameters& run() const { return state_.run; }

    /// What drifts are relative to.
    [[nodiscard]] const Conserved& start() const { return state_.start; }

    /// Predicted times, where there was something to decide.
    [[nodiscard]] const PlanInfo& decided() const { return decided_; }

    /// Accelerations and potentials at the present positions.
    [[nodiscard]] const Accelerations& accelerations() const;

    /// At present. O(N).
    [[nodiscard]] Conserved conserved() const;

private:
    using Gravity = std::variant<GravitySum, GravityFmm, GravityTree>;

    /// Of a run whose method is decided.
    [[nodiscard]] static Gravity make_gravity(Runtime& runtime, const RunParameters& run);
    /// With the accelerations at the start.
    [[nodiscard]] std::unique_ptr<Motion> start_motion(Runtime& runtime);
    template <class G>
    [[nodiscard]] std::unique_ptr<Motion> start_by_tasks(Runtime& runtime, G& gravity);

    Snapshot state_;
    PlanInfo decided_;
    Accelerations accelerations_;
    Gravity gravity_;
    std::unique_ptr<Motion> motion_; ///< of the particles
};

} // namespace starfmm

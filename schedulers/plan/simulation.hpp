// SPDX-License-Identifier: BSD-3-Clause
// A simulation moves bodies under their own gravity, by leapfrog steps with direct sums, the fast
// multipole method, or a tree.
#pragma once

#include "core/io/snapshot.hpp"
#include "schedulers/plan/gravity_tree.hpp"
#include "schedulers/plan/task_motion.hpp"
#include "schedulers/runtime/runtime.hpp"

#include <cstdint>
#include <memory>

namespace starfmm {

/// Whether the fast multipole method may sum this run: it is asked for, or left open without
/// softening.
[[nodiscard]] bool may_use_fmm(const RunParameters& run);

/// Checks what can be refused of the method without the bodies.
/// \throws InputError for method fmm with softening, tolerances that the precision cannot meet,
/// values out of range, or options that only a tree takes
void check_method(const RunParameters& run);

/// An N-body run that can stop after any step. Its state is a snapshot, from which another run
/// continues with the same bits, on as many workers of the same kind (direct sums are in fixed
/// order; for the fast multipole method that holds on cores).
class Simulation {
public:
    /// Decides what the run's method leaves open, and evaluates the accelerations at the start.
    /// \param start state of step 0, whose `start.start` is set here, or of a later step, as
    /// snapshot() gave it
    /// \throws InputError for no bodies or parameters out of range, and as check_method()
    Simulation(Runtime& runtime, Snapshot start);

    Simulation(const Simulation&) = delete;
    Simulation& operator=(const Simulation&) = delete;
    ~Simulation() = default;

    /// Advances the bodies by one step; O(N^2), or O(N) by the fast multipole method.
    void advance();

    /// Returns the state at present, which may have to travel to the caller's memory first: O(N).
    /// The snapshot's run leaves nothing open.
    /// \throws InputError naming the first value that is no longer finite
    [[nodiscard]] const Snapshot& snapshot() const;

    [[nodiscard]] std::uint64_t step() const { return state_.step; }

    [[nodiscard]] double time() const { return state_.time; }

    [[nodiscard]] const RunParameters& run() const { return state_.run; }

    /// Conserved quantities at the start, which drifts are relative to.
    [[nodiscard]] const Conserved& start() const { return state_.start; }

    /// What was decided, with predicted times where there was something to decide.
    [[nodiscard]] const PlanInfo& decided() const { return decided_; }

    /// Returns accelerations and potentials at the present positions.
    [[nodiscard]] const Accelerations& accelerations() const;

    /// Computes the conserved quantities at present. O(N).
    [[nodiscard]] Conserved conserved() const;

private:
    /// Makes the gravity of a run whose method is decided.
    [[nodiscard]] static GravityTree make_gravity(Runtime& runtime, const RunParameters& run);
    /// Starts the motion with the accelerations at the start.
    [[nodiscard]] std::unique_ptr<Motion> start_motion(Runtime& runtime);
    [[nodiscard]] std::unique_ptr<Motion> start_by_tasks(Runtime& runtime);

    Snapshot state_;
    PlanInfo decided_;
    Accelerations accelerations_;
    GravityTree gravity_;
    std::unique_ptr<Motion> motion_; ///< motion of the particles
};

} // namespace starfmm

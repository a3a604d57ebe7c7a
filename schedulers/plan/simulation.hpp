// SPDX-License-Identifier: BSD-3-Clause
// Bodies that move under their own gravity: leapfrog steps of direct sums.
#pragma once

#include "core/io/snapshot.hpp"
#include "schedulers/plan/gravity.hpp"
#include "schedulers/runtime/runtime.hpp"

namespace starfmm {

/// An N-body run that can stop after any step: its state is a snapshot, from which another run goes
/// on with the same bits, on as many workers of the same kind (sums are in fixed order).
class Simulation {
public:
    /// Evaluates the accelerations at the start.
    /// \param start step 0: `start.start` is set here; later: as snapshot() gave it
    /// \throws InputError for no bodies or parameters out of range
    Simulation(Runtime& runtime, Snapshot start);

    /// One step; O(N^2).
    void advance();

    [[nodiscard]] const Snapshot& snapshot() const { return state_; }

    /// Accelerations and potentials at the present positions.
    [[nodiscard]] const Accelerations& accelerations() const { return accelerations_; }

    /// At present. O(N).
    [[nodiscard]] Conserved conserved() const;

private:
    Snapshot state_;
    GravitySum gravity_;
    Accelerations accelerations_;
};

} // namespace starfmm

// SPDX-License-Identifier: BSD-3-Clause
// The bodies of an N-body run on their way from one snapshot to the next.
#pragma once

#include "core/io/snapshot.hpp"
#include "schedulers/plan/plan_info.hpp"
#include "starfmm/starfmm.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>

namespace starfmm {

/// Whether a run may be by expansions: they are asked for, or left open without softening.
[[nodiscard]] bool may_use_fmm(const RunParameters& run);

/// Checks what can be refused of the method without the bodies.
/// \throws InputError for method fmm with softening, tolerances that the precision cannot meet,
/// values out of range, or options that only a tree takes
void check_method(const RunParameters& run);

/// Bodies that a Leapfrog moves by a Sum of gravity, from a snapshot on. They can stop after any step:
/// from the snapshot there, others go on with the same bits, on as many workers of the same kind
/// (direct sums are in fixed order; for expansions that holds on cores).
class Evolution {
public:
    /// Chooses what the run's method leaves open, and evaluates the accelerations at the start.
    /// \param start state of step 0, whose `start.start` is set here, or of a later step, as
    /// snapshot() gave it
    /// \throws InputError for no bodies or parameters out of range, and as check_method()
    Evolution(Context& context, Snapshot start);

    Evolution(const Evolution&) = delete;
    Evolution& operator=(const Evolution&) = delete;
    ~Evolution() = default;

    /// Moves the bodies by one step; O(N^2), or O(N) by expansions.
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

    /// What was chosen at the start, and why.
    [[nodiscard]] const Report& report() const { return report_; }

    [[nodiscard]] const PlanInfo& plan() const { return plan_; }

    /// Returns accelerations and potentials at the present positions.
    [[nodiscard]] const Accelerations& accelerations() const;

    /// Computes the conserved quantities at present. O(N).
    [[nodiscard]] Conserved conserved() const { return leapfrog_->conserved(); }

    /// Compares accelerations with exact ones of some bodies.
    [[nodiscard]] Errors check(std::size_t n, std::uint64_t seed) const;

private:
    void begin(Context& context, const SumOptions& options);

    /// Closes what the run has left open, as it was chosen.
    void close();

    Snapshot state_;
    Report report_;
    PlanInfo plan_;
    std::optional<Sum> sum_;
    std::optional<Leapfrog> leapfrog_; ///< of the state's particles
};

} // namespace starfmm

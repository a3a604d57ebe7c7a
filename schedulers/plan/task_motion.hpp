// SPDX-License-Identifier: BSD-3-Clause
// A motion by tasks, where the bodies' arrays lie.
#pragma once

#include "codelets/task/handle.hpp"
#include "core/particles/particles.hpp"
#include "schedulers/plan/motion.hpp"
#include "schedulers/plan/user_arrays.hpp"
#include "schedulers/runtime/runtime.hpp"

#include <array>
#include <deque>
#include <functional>
#include <span>
#include <vector>

namespace starfmm {

/// Factors that make a plan's sums accelerations and potentials, and the number of equal parts in
/// which the plan takes the bodies' arrays.
struct PlannedSums {
    SumFactors factors;
    std::size_t n_parts;
};

/// A motion by tasks: all arrays stay where tasks leave them until bring_home(). Tasks change them in
/// place: after a step that failed nothing can be asked of it any more.
class TaskMotion final : public Motion {
public:
    /// Evaluates a plan's sums of bodies whose arrays are resident, as are those of the sums, and
    /// returns their factors.
    using Field = std::function<PlannedSums(const BodiesRef& bodies, const AccelerationsRef& out)>;

    /// \throws MemoryError if the arrays do not fit beside each other
    TaskMotion(Runtime& runtime, Particles& particles, Accelerations& accelerations, Field field);

    void evaluate() override;

    /// \throws what the evaluation does, and Error after a step that failed, as all below
    void step(double dt) override;
    [[nodiscard]] Conserved conserved() override;
    void bring_home() override;

    /// Changes velocities by accelerations, and positions by velocities: parts of a step.
    void kick(double dt);
    void drift(double dt);

private:
    using Components = std::array<std::vector<double>, 3>;

    /// \throws Error if a step has failed
    void check_whole() const;

    /// Returns handles of the parts of a resident array. The parts are those of the plan, since an
    /// array that is asked for in other parts comes home.
    [[nodiscard]] std::vector<Handle> parts(const std::vector<double>& values);
    void advance(const Components& values, const Components& rates, double time_step);
    void submit(
        Codelet& codelet,
        std::span<Handle* const> handles,
        const MotionArgs& motion,
        std::size_t part
    );

    Runtime& runtime_;
    Particles& particles_;
    Accelerations& accelerations_;
    Field field_;
    Accelerations sums_; ///< sums of the plan, which planned_ makes accelerations and potentials
    PlannedSums planned_{{}, 1};
    std::deque<Resident> residents_;
    std::vector<MotionSums> energies_;
    bool is_home_ = true;
    bool is_broken_ = false; ///< from a step's begin to its end
};

} // namespace starfmm

// SPDX-License-Identifier: BSD-3-Clause
// What leapfrog steps do to a run's bodies: on the host, or by tasks where the bodies' arrays lie.
#pragma once

#include "codelets/task/handle.hpp"
#include "core/particles/particles.hpp"
#include "core/particles/points.hpp"
#include "schedulers/plan/user_arrays.hpp"
#include "schedulers/runtime/runtime.hpp"

#include <array>
#include <deque>
#include <functional>
#include <span>
#include <vector>

namespace starfmm {

/// Bodies between their steps, and their accelerations (leapfrog_step()).
class Motion {
public:
    Motion() = default;
    Motion(const Motion&) = delete;
    Motion& operator=(const Motion&) = delete;
    virtual ~Motion() = default;

    /// Velocities by accelerations.
    virtual void kick(double dt) = 0;

    /// Positions by velocities.
    virtual void drift(double dt) = 0;

    /// Accelerations and potentials at the present positions.
    virtual void evaluate() = 0;

    /// Of the present. O(n)
    /// \throws as bring_home()
    [[nodiscard]] virtual Conserved conserved() = 0;

    /// Has the caller's arrays hold the present.
    /// \throws InputError naming the first value that is not finite
    virtual void bring_home() = 0;
};

/// In the caller's arrays, by the caller.
class HostMotion final : public Motion {
public:
    using Field = std::function<void(const Bodies& bodies, Accelerations& out)>;

    /// All must outlive this.
    HostMotion(Particles& particles, Accelerations& accelerations, Field field)
        : particles_(particles), accelerations_(accelerations), field_(std::move(field)) {}

    void kick(double dt) override;
    void drift(double dt) override;

    void evaluate() override { field_(particles_.bodies, accelerations_); }

    [[nodiscard]] Conserved conserved() override;

    void bring_home() override {}

private:
    Particles& particles_;
    Accelerations& accelerations_;
    Field field_;
};

/// What makes a plan's sums accelerations and potentials, and how many equal parts it takes the
/// bodies' arrays in.
struct PlannedSums {
    SumFactors factors;
    std::size_t n_parts;
};

/// By tasks: all arrays stay where tasks leave them until bring_home().
class TaskMotion final : public Motion {
public:
    /// Evaluates a plan's sums of bodies whose arrays are resident, and says what they are.
    using Field = std::function<
        PlannedSums(const Bodies& bodies, const Strengths& masses, Accelerations& out)>;

    /// All must outlive this, and the particles' arrays keep their addresses and sizes.
    /// \throws MemoryError if they do not fit besides each other
    TaskMotion(Runtime& runtime, Particles& particles, Accelerations& accelerations, Field field);

    void kick(double dt) override;
    void drift(double dt) override;
    void evaluate() override;
    [[nodiscard]] Conserved conserved() override;
    void bring_home() override;

private:
    using Components = std::array<std::vector<double>, 3>;

    /// Names of the parts of an array that is resident: those of the plan, since an array that is
    /// asked for in other parts comes home.
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
    Strengths masses_;
    Accelerations sums_; ///< of the plan, which planned_ makes accelerations and potentials
    PlannedSums planned_{{}, 1};
    std::deque<Resident> residents_;
    std::vector<MotionSums> energies_;
    bool is_home_ = true;
};

} // namespace starfmm

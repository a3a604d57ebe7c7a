// SPDX-License-Identifier: BSD-3-Clause
// A motion applies leapfrog steps to a run's bodies: on the host, or by tasks where the bodies'
// arrays lie.
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

/// Bodies between their steps, and their accelerations; leapfrog_step() moves them.
class Motion {
public:
    Motion() = default;
    Motion(const Motion&) = delete;
    Motion& operator=(const Motion&) = delete;
    virtual ~Motion() = default;

    /// Changes velocities by accelerations.
    virtual void kick(double dt) = 0;

    /// Changes positions by velocities.
    virtual void drift(double dt) = 0;

    /// Computes accelerations and potentials at the present positions.
    virtual void evaluate() = 0;

    /// Computes the conserved quantities at present. O(n)
    /// \throws as bring_home()
    [[nodiscard]] virtual Conserved conserved() = 0;

    /// Copies the present state to the caller's arrays.
    /// \throws InputError naming the first value that is not finite
    virtual void bring_home() = 0;
};

/// A motion in the caller's arrays, on the host.
class HostMotion final : public Motion {
public:
    using Field = std::function<void(const Bodies& bodies, Accelerations& out)>;

    /// All arguments must outlive this object.
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

/// Factors that make a plan's sums accelerations and potentials, and the number of equal parts in
/// which the plan takes the bodies' arrays.
struct PlannedSums {
    SumFactors factors;
    std::size_t n_parts;
};

/// A motion by tasks: all arrays stay where tasks leave them until bring_home().
class TaskMotion final : public Motion {
public:
    /// Evaluates a plan's sums of bodies whose arrays are resident, and returns the factors of
    /// those sums.
    using Field = std::function<
        PlannedSums(const Bodies& bodies, const Strengths& masses, Accelerations& out)>;

    /// All arguments must outlive this object, and the particles' arrays keep their addresses and
    /// sizes.
    /// \throws MemoryError if the arrays do not fit beside each other
    TaskMotion(Runtime& runtime, Particles& particles, Accelerations& accelerations, Field field);

    void kick(double dt) override;
    void drift(double dt) override;
    void evaluate() override;
    [[nodiscard]] Conserved conserved() override;
    void bring_home() override;

private:
    using Components = std::array<std::vector<double>, 3>;

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
    Strengths masses_;
    Accelerations sums_; ///< sums of the plan, which planned_ makes accelerations and potentials
    PlannedSums planned_{{}, 1};
    std::deque<Resident> residents_;
    std::vector<MotionSums> energies_;
    bool is_home_ = true;
};

} // namespace starfmm

// SPDX-License-Identifier: BSD-3-Clause
// A motion applies leapfrog steps to bodies: on the host, or by tasks where the bodies' arrays lie.
#pragma once

#include "core/particles/particles.hpp"

#include <functional>
#include <utility>

namespace starfmm {

/// Bodies between their steps, and their accelerations. All that a motion is made of must outlive
/// it, and the particles' arrays keep their addresses and sizes.
class Motion {
public:
    Motion() = default;
    Motion(const Motion&) = delete;
    Motion& operator=(const Motion&) = delete;
    virtual ~Motion() = default;

    /// Computes accelerations and potentials at the present positions.
    virtual void evaluate() = 0;

    /// Takes a leapfrog step, after evaluate() or another one. O(n) besides the evaluation
    /// \throws what the evaluation does
    virtual void step(double dt) = 0;

    /// Computes the conserved quantities at present. O(n)
    /// \throws as bring_home()
    /// \pre the accelerations have potentials
    [[nodiscard]] virtual Conserved conserved() = 0;

    /// Copies the present state to the caller's arrays.
    /// \throws InputError naming the first value that is not finite
    virtual void bring_home() = 0;
};

/// A motion in the caller's arrays, on the host. A step that fails leaves them as they were.
class HostMotion final : public Motion {
public:
    using Field = std::function<void(const Bodies& bodies, Accelerations& out)>;

    HostMotion(Particles& particles, Accelerations& accelerations, Field field)
        : particles_(particles), accelerations_(accelerations), field_(std::move(field)) {}

    void evaluate() override { field_(particles_.bodies, accelerations_); }

    void step(double dt) override;
    [[nodiscard]] Conserved conserved() override;

    void bring_home() override {}

private:
    Particles& particles_;
    Accelerations& accelerations_;
    Field field_;
};

} // namespace starfmm

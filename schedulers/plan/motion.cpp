// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/plan/motion.hpp"

#include "core/particles/leapfrog.hpp"

namespace starfmm {

void HostMotion::step(double dt) {
    const auto x = particles_.bodies.x;
    const auto velocity = particles_.velocity;
    const Accelerations accelerations = accelerations_;
    try {
        leapfrog_step(particles_, accelerations_, dt, field_);
    } catch (...) {
        particles_.bodies.x = x; // into the same memory
        particles_.velocity = velocity;
        accelerations_ = accelerations;
        throw;
    }
}

Conserved HostMotion::conserved() {
    return starfmm::conserved(particles_, accelerations_.potential);
}

} // namespace starfmm

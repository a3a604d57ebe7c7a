// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/plan/simulation.hpp"

#include "core/particles/leapfrog.hpp"

#include <utility>

namespace starfmm {

namespace {

GravityOptions options_of(const RunParameters& run) {
    GravityOptions options;
    options.epsilon = run.epsilon;
    options.g = run.g;
    options.precision = run.precision;
    options.result = GravityResult::with_potential; // energies cost one operation a pair
    options.order = SummationOrder::fixed;
    return options;
}

} // namespace

Simulation::Simulation(Runtime& runtime, Snapshot start)
    : state_(std::move(start)), gravity_(runtime, options_of(state_.run)) {
    check_particles(state_.particles);
    gravity_.evaluate(state_.particles.bodies, accelerations_);
    if (state_.step == 0) {
        state_.start = conserved();
    }
}

void Simulation::advance() {
    auto field = [this](const Bodies& bodies, Accelerations& out) {
        gravity_.evaluate(bodies, out);
    };
    leapfrog_step(state_.particles, accelerations_, state_.run.time_step, field);
    ++state_.step;
    state_.time += state_.run.time_step;
}

Conserved Simulation::conserved() const {
    return starfmm::conserved(state_.particles, accelerations_.potential);
}

} // namespace starfmm

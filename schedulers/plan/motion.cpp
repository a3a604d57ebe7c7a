// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/plan/motion.hpp"

#include "codelets/motion/energies.hpp"
#include "codelets/sets/motion_set.hpp"
#include "core/particles/leapfrog.hpp"
#include "schedulers/costs/task_costs.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <utility>

namespace starfmm {

void HostMotion::kick(double dt) {
    advance(particles_.velocity, accelerations_.a, dt);
}

void HostMotion::drift(double dt) {
    advance(particles_.bodies.x, particles_.velocity, dt);
}

Conserved HostMotion::conserved() {
    return starfmm::conserved(particles_, accelerations_.potential);
}

TaskMotion::TaskMotion(
    Runtime& runtime, Particles& particles, Accelerations& accelerations, Field field
)
    : runtime_(runtime), particles_(particles), accelerations_(accelerations),
      field_(std::move(field)), masses_{particles.bodies.mass, {}}, energies_(n_energies) {
    const std::size_t n = particles.size();
    constexpr std::size_t n_arrays = 11;
    runtime.check_memory(n_arrays * n * sizeof(double));
    sums_.potential.resize(n);
    residents_.emplace_back(runtime, masses_.re);
    residents_.emplace_back(runtime, sums_.potential);
    for (std::size_t d = 0; d < 3; ++d) {
        sums_.a[d].resize(n);
        residents_.emplace_back(runtime, sums_.a[d]);
        residents_.emplace_back(runtime, particles.bodies.x[d]);
        residents_.emplace_back(runtime, particles.velocity[d]);
    }
    motion_set().for_each([](Codelet& codelet) {
        codelet.set_costs(builtin_task_costs(3).at(codelet.name()));
    });
}

Handle TaskMotion::handle(const std::vector<double>& values) {
    return std::move(runtime_.arrays().resident(values.data())->parts(1).front());
}

void TaskMotion::submit(
    Codelet& codelet, std::span<Handle* const> handles, const MotionArgs& motion
) {
    TaskArgs args;
    args.motion = motion;
    args.work = static_cast<double>(particles_.size());
    runtime_.submit(codelet, handles, args, 0);
}

void TaskMotion::advance(const Components& values, const Components& rates, double time_step) {
    for (std::size_t d = 0; d < values.size(); ++d) {
        Handle value = handle(values[d]);
        Handle rate = handle(rates[d]);
        const std::array<Handle*, 2> handles{&value, &rate};
        submit(motion_set().get<AdvanceTask>(), handles, {time_step, 0, 0});
    }
    is_home_ = false;
}

void TaskMotion::kick(double dt) {
    advance(particles_.velocity, sums_.a, factors_.acceleration * dt);
}

void TaskMotion::drift(double dt) {
    advance(particles_.bodies.x, particles_.velocity, dt);
}

void TaskMotion::evaluate() {
    factors_ = field_(particles_.bodies, masses_, sums_);
    is_home_ = false;
}

Conserved TaskMotion::conserved() {
    Handle sums(energies_.data(), energies_.size(), sizeof(MotionSums), runtime_.home());
    sums.write_through();
    std::vector<Handle> inputs;
    inputs.push_back(handle(masses_.re));
    inputs.push_back(handle(sums_.potential));
    for (const Components* components : {&particles_.bodies.x, &particles_.velocity}) {
        for (const std::vector<double>& values : *components) {
            inputs.push_back(handle(values));
        }
    }
    std::vector<Handle*> handles{&sums};
    std::ranges::transform(inputs, std::back_inserter(handles), [](Handle& input) {
        return &input;
    });
    submit(motion_set().get<EnergiesTask>(), handles, {0, factors_.own, factors_.potential});
    sums.read(std::span(energies_));
    const Conserved now =
        starfmm::conserved(std::accumulate(energies_.begin(), energies_.end(), MotionSums{}));
    if (!std::isfinite(now.energy())) {
        bring_home(); // names the value
    }
    return now;
}

void TaskMotion::bring_home() {
    if (is_home_) {
        return;
    }
    for (Resident& resident : residents_) {
        resident.bring_home();
    }
    check_particles(particles_);
    accelerations_ = sums_;
    scale_sums(particles_.bodies, factors_, accelerations_);
    is_home_ = true;
}

} // namespace starfmm

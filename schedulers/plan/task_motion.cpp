// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/plan/task_motion.hpp"

#include "codelets/motion/energies.hpp"
#include "codelets/sets/motion_set.hpp"
#include "core/error.hpp"
#include "core/particles/leapfrog.hpp"
#include "schedulers/costs/task_costs.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <utility>

namespace starfmm {

TaskMotion::TaskMotion(
    Runtime& runtime, Particles& particles, Accelerations& accelerations, Field field
)
    : runtime_(runtime), particles_(particles), accelerations_(accelerations),
      field_(std::move(field)) {
    const std::size_t n = particles.size();
    constexpr std::size_t n_arrays = 11;
    runtime.check_memory(n_arrays * n * sizeof(double));
    sums_.potential.resize(n);
    residents_.emplace_back(runtime, particles.bodies.mass);
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

std::vector<Handle> TaskMotion::parts(const std::vector<double>& values) {
    return runtime_.arrays().resident(values.data())->parts(planned_.n_parts);
}

void TaskMotion::submit(
    Codelet& codelet, std::span<Handle* const> handles, const MotionArgs& motion, std::size_t part
) {
    TaskArgs args;
    args.motion = motion;
    args.work = static_cast<double>(handles.back()->size());
    if (planned_.n_parts > 1) {
        args.part = {
            static_cast<std::uint32_t>(part), static_cast<std::uint32_t>(planned_.n_parts)};
    }
    runtime_.submit(codelet, handles, args, 0);
}

void TaskMotion::advance(const Components& values, const Components& rates, double time_step) {
    for (std::size_t d = 0; d < values.size(); ++d) {
        std::vector<Handle> value = parts(values[d]);
        std::vector<Handle> rate = parts(rates[d]);
        for (std::size_t part = 0; part < value.size(); ++part) {
            const std::array<Handle*, 2> handles{&value[part], &rate[part]};
            submit(motion_set().get<AdvanceTask>(), handles, {time_step, 0}, part);
        }
    }
    is_home_ = false;
}

void TaskMotion::kick(double dt) {
    advance(particles_.velocity, sums_.a, planned_.factors.acceleration * dt);
}

void TaskMotion::drift(double dt) {
    advance(particles_.bodies.x, particles_.velocity, dt);
}

void TaskMotion::check_whole() const {
    if (is_broken_) {
        throw Error("bodies that tasks moved are lost, as a step has failed: start another run");
    }
}

void TaskMotion::step(double dt) {
    check_whole();
    is_broken_ = true;
    leapfrog_step(*this, dt);
    is_broken_ = false;
}

void TaskMotion::evaluate() {
    planned_ = field_(particles_.bodies, sums_);
    is_home_ = false;
}

Conserved TaskMotion::conserved() {
    check_whole();
    std::vector<std::vector<Handle>> inputs;
    inputs.push_back(parts(particles_.bodies.mass));
    inputs.push_back(parts(sums_.potential));
    for (const Components* components : {&particles_.bodies.x, &particles_.velocity}) {
        for (const std::vector<double>& values : *components) {
            inputs.push_back(parts(values));
        }
    }
    energies_.resize(n_energies * planned_.n_parts);
    std::vector<Handle> sums;
    const MotionArgs motion{0, planned_.factors.potential};
    for (std::size_t part = 0; part < planned_.n_parts; ++part) {
        MotionSums* const own = energies_.data() + part * n_energies;
        sums.emplace_back(own, n_energies, sizeof(MotionSums), runtime_.home()).write_through();
        std::vector<Handle*> handles{&sums.back()};
        std::ranges::transform(inputs, std::back_inserter(handles), [=](auto& input) {
            return &input[part];
        });
        submit(motion_set().get<EnergiesTask>(), handles, motion, part);
    }
    for (std::size_t part = 0; part < sums.size(); ++part) {
        sums[part].read(std::span(energies_).subspan(part * n_energies, n_energies));
    }
    const Conserved now =
        starfmm::conserved(std::accumulate(energies_.begin(), energies_.end(), MotionSums{}));
    if (!std::isfinite(now.energy())) {
        bring_home(); // throws an error that names the value
    }
    return now;
}

void TaskMotion::bring_home() {
    check_whole();
    if (is_home_) {
        return;
    }
    for (Resident& resident : residents_) {
        resident.bring_home();
    }
    check_motion(particles_);
    accelerations_ = sums_;
    scale_sums(planned_.factors, accelerations_);
    is_home_ = true;
}

} // namespace starfmm

// SPDX-License-Identifier: BSD-3-Clause
// What our own programs see of contexts and sums beyond their interface: reports of every operator,
// starts of StarPU with options that few have, and runs of bodies where they lie.
#pragma once

#include "schedulers/plan/motion.hpp"
#include "schedulers/plan/plan_info.hpp"
#include "schedulers/runtime/runtime.hpp"
#include "starfmm/detail/context_state.hpp"
#include "starfmm/leapfrog.hpp"
#include "starfmm/sum.hpp"

#include <memory>

namespace starfmm::detail {

struct Access {
    /// Starts a context's workers by options of which Workers has some.
    static Context start(const RuntimeOptions& options);

    static Runtime& runtime(Context& context);

    /// Says what the plan of a sum says of itself, after waiting for its tree.
    /// \pre the sum is planned: one of gravity has been evaluated
    static const PlanInfo& plan(const Sum& sum);

    static ContextState& context(Sum& sum);

    /// Starts a motion by the sum's engine: SumEngine::start_motion().
    static std::unique_ptr<Motion>
    start_motion(Sum& sum, Particles& particles, Accelerations& accelerations);

    /// Starts a run of bodies that stay in the caller's memory, which bring_home() writes: the sum
    /// may borrow their positions. They must outlive the run.
    static Leapfrog leapfrog(Sum& sum, Particles& particles, double dt);

    /// Brings the bodies home.
    /// \returns their accelerations, and potentials if the sum has any
    static const Accelerations& bring_home(const Leapfrog& run);
};

} // namespace starfmm::detail

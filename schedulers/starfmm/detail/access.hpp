// SPDX-License-Identifier: BSD-3-Clause
// What our own programs see of contexts and sums beyond their interface: reports of every operator,
// and starts of StarPU with options that few have.
#pragma once

#include "schedulers/plan/plan_info.hpp"
#include "schedulers/runtime/runtime.hpp"
#include "starfmm/sum.hpp"

namespace starfmm::detail {

struct Access {
    /// Starts a context's workers by options of which Workers has some.
    static Context start(const RuntimeOptions& options);

    static Runtime& runtime(Context& context);

    /// Says what the plan of a sum says of itself, after waiting for its tree.
    /// \pre the sum is planned: one of gravity has been evaluated
    static const PlanInfo& plan(const Sum& sum);
};

} // namespace starfmm::detail

// SPDX-License-Identifier: BSD-3-Clause
// The codelets of softened gravity.
#pragma once

#include "codelets/pairs/gravity_model.hpp"
#include "codelets/sets/operator_set.hpp"
#include "core/laws/gravity.hpp"

#include <string>

namespace starfmm {

/// Codelets of one precision and result, on (sums, targets, sources, scratch). They differ in what
/// they do to the sums.
class GravitySet : public OperatorSet<GravityOperators<Any, GravityResult::acceleration>> {
public:
    using Machine = GravityMachine (*)();
    using Bodies = GravityOperators<Any, GravityResult::acceleration>::Bodies;

    GravitySet(
        const std::string& variant,
        const Bodies& cpu,
        const Bodies& cuda,
        Machine cpu_machine,
        Machine cuda_machine
    )
        : OperatorSet(variant, cpu, cuda), cpu_machine(cpu_machine), cuda_machine(cuda_machine) {}

    /// Overwrites them.
    [[nodiscard]] Codelet& first() { return get<GravityTask<Any, GravityResult::acceleration>>(); }

    /// Adds to them, in any order.
    [[nodiscard]] Codelet& next() {
        return get<GravityAddTask<Any, GravityResult::acceleration>>();
    }

    /// Adds to them, in the order of submission.
    [[nodiscard]] Codelet& next_in_order() {
        return get<GravityAddInOrderTask<Any, GravityResult::acceleration>>();
    }

    Machine cpu_machine;
    Machine cuda_machine; ///< null where there is none
};

/// Lives as long as the program: StarPU keeps codelets' addresses.
[[nodiscard]] GravitySet& gravity_set(GravityPrecision precision, GravityResult result);

} // namespace starfmm

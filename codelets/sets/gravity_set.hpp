// SPDX-License-Identifier: BSD-3-Clause
// The codelets of softened gravity.
#pragma once

#include "codelets/pairs/gravity_model.hpp"
#include "codelets/sets/kernel_set.hpp"
#include "codelets/task/codelet.hpp"
#include "core/laws/gravity.hpp"

#include <string>

namespace starfmm {

/// Bodies of gravity in one precision.
struct GravityBodies {
    BodyFunction acceleration;
    BodyFunction with_potential;
    GravityMachine (*machine)(); ///< of one core, or of the current GPU
};

/// Defined by codelets/sets/instantiate_gravity.hpp, in each variant of a precision's source.
template <class P, class Backend>
GravityBodies gravity_bodies();

/// Codelets of one precision and result, on (sums, targets, sources, scratch). They differ in what
/// they do to the sums.
struct GravitySet {
    GravitySet(
        const std::string& precision,
        GravityResult result,
        const GravityBodies& cpu,
        const GravityBodies& cuda
    );

    Codelet first;         ///< overwrites them
    Codelet next;          ///< adds to them, in any order
    Codelet next_in_order; ///< adds to them, in the order of submission
    GravityMachine (*cpu_machine)();
    GravityMachine (*cuda_machine)(); ///< null where there is none
};

/// Lives as long as the program: StarPU keeps codelets' addresses.
[[nodiscard]] GravitySet& gravity_set(GravityPrecision precision, GravityResult result);

} // namespace starfmm

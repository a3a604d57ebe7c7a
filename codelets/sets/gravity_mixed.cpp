// SPDX-License-Identifier: BSD-3-Clause
// Bodies of gravity in mixed precision.
#include "codelets/pairs/gravity.hpp"
#include "codelets/pairs/gravity_model.hpp"
#include "codelets/sets/compile.hpp"

namespace starfmm {

using Acceleration = GravityOperators<GravityMixed, GravityResult::acceleration>;
using WithPotential = GravityOperators<GravityMixed, GravityResult::with_potential>;

template Acceleration::Bodies bodies<Acceleration, CurrentBackend>();
template WithPotential::Bodies bodies<WithPotential, CurrentBackend>();

template <>
GravityMachine gravity_machine<GravityMixed, CurrentBackend>() {
#ifdef __CUDACC__
    return gravity_machine_cuda<GravityMixed>();
#else
    return gravity_machine_cpu<GravityMixed, CurrentBackend>();
#endif
}

} // namespace starfmm

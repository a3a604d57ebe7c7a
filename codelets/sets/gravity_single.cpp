// SPDX-License-Identifier: BSD-3-Clause
// Bodies of gravity in single precision.
#include "codelets/pairs/gravity.hpp"
#include "codelets/pairs/gravity_model.hpp"
#include "codelets/sets/compile.hpp"

namespace starfmm {

using Acceleration = GravityOperators<GravitySingle, GravityResult::acceleration>;
using WithPotential = GravityOperators<GravitySingle, GravityResult::with_potential>;

template Acceleration::Bodies bodies<Acceleration, CurrentBackend>();
template WithPotential::Bodies bodies<WithPotential, CurrentBackend>();

template <>
GravityMachine gravity_machine<GravitySingle, CurrentBackend>() {
#ifdef __CUDACC__
    return gravity_machine_cuda<GravitySingle>();
#else
    return gravity_machine_cpu<GravitySingle, CurrentBackend>();
#endif
}

} // namespace starfmm

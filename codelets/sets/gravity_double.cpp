// SPDX-License-Identifier: BSD-3-Clause
// Bodies of gravity in double precision.
#include "codelets/pairs/gravity.hpp"
#include "codelets/pairs/gravity_model.hpp"
#include "codelets/sets/compile.hpp"

namespace starfmm {

using Acceleration = GravityOperators<GravityDouble, GravityResult::acceleration>;
using WithPotential = GravityOperators<GravityDouble, GravityResult::with_potential>;

template Acceleration::Bodies bodies<Acceleration, CurrentBackend>();
template WithPotential::Bodies bodies<WithPotential, CurrentBackend>();

template <>
GravityMachine gravity_machine<GravityDouble, CurrentBackend>() {
#ifdef __CUDACC__
    return gravity_machine_cuda<GravityDouble>();
#else
    return gravity_machine_cpu<GravityDouble, CurrentBackend>();
#endif
}

} // namespace starfmm

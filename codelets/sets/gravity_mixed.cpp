// SPDX-License-Identifier: BSD-3-Clause
// Bodies of gravity in mixed precision.
#include "codelets/sets/instantiate_gravity.hpp"

template starfmm::GravityBodies
starfmm::gravity_bodies<starfmm::GravityMixed, starfmm::CurrentBackend>();

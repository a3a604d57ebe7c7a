// SPDX-License-Identifier: BSD-3-Clause
// Bodies of gravity in double precision.
#include "codelets/sets/instantiate_gravity.hpp"

template starfmm::GravityBodies
starfmm::gravity_bodies<starfmm::GravityDouble, starfmm::CurrentBackend>();

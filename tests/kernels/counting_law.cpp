// SPDX-License-Identifier: BSD-3-Clause
// This file makes the bodies of a pair law of the tests' own by the same way as a user's.
#include "tests/kernels/counting_law.hpp"

#include "codelets/sets/instantiate_law.hpp"

template starfmm::NearfieldBodies starfmm::nearfield_bodies<CountingLaw, starfmm::CurrentBackend>();

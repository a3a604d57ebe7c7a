// SPDX-License-Identifier: BSD-3-Clause
// A pairwise law of the tests' own, with bodies by the same door as a user's.
#include "tests/kernels/counting_law.hpp"

#include "codelets/sets/instantiate_law.hpp"

template starfmm::NearfieldBodies starfmm::nearfield_bodies<CountingLaw, starfmm::CurrentBackend>();

// SPDX-License-Identifier: BSD-3-Clause
// Bodies of strengths and gather over double.
#include "codelets/sets/instantiate_gather.hpp"

template starfmm::GatherBodies starfmm::gather_bodies<double, starfmm::CurrentBackend>();

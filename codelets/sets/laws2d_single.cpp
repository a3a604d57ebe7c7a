// SPDX-License-Identifier: BSD-3-Clause
// Bodies of the uniform quadtree and of the plane's pairwise laws in single precision.
#include "codelets/sets/compile.hpp"
#include "codelets/sets/instantiate_law.hpp"
#include "codelets/tree/zsort.hpp"
#include "core/laws/pair_laws.hpp"

template starfmm::ZOrderOperators<float, 2>::Bodies
starfmm::bodies<starfmm::ZOrderOperators<float, 2>, starfmm::CurrentBackend>();
template starfmm::NearfieldBodies
starfmm::nearfield_bodies<starfmm::HarmonicLaw<float>, starfmm::CurrentBackend>();
template starfmm::NearfieldBodies
starfmm::nearfield_bodies<starfmm::LogLaw<float>, starfmm::CurrentBackend>();

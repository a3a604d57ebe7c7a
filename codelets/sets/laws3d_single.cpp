// SPDX-License-Identifier: BSD-3-Clause
// Bodies of the uniform octree and of space's pairwise laws in single precision.
#include "codelets/sets/compile.hpp"
#include "codelets/sets/instantiate_law.hpp"
#include "codelets/tree/zsort.hpp"
#include "core/laws/pair_laws.hpp"

template starfmm::ZOrderOperators<float, 3>::Bodies
starfmm::bodies<starfmm::ZOrderOperators<float, 3>, starfmm::CurrentBackend>();
template starfmm::NearfieldBodies
starfmm::nearfield_bodies<starfmm::GravityLaw<float>, starfmm::CurrentBackend>();
template starfmm::NearfieldBodies
starfmm::nearfield_bodies<starfmm::LaplaceLaw<float>, starfmm::CurrentBackend>();
template starfmm::NearfieldBodies
starfmm::nearfield_bodies<starfmm::LaplaceGradientLaw<float>, starfmm::CurrentBackend>();

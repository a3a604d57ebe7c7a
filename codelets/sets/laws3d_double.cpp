// SPDX-License-Identifier: BSD-3-Clause
// Bodies of the uniform octree and of space's pairwise laws in double precision.
#include "codelets/sets/compile.hpp"
#include "codelets/sets/instantiate_law.hpp"
#include "codelets/tree/zsort.hpp"
#include "core/laws/pair_laws.hpp"

template starfmm::ZOrderOperators<double, 3>::Bodies
starfmm::bodies<starfmm::ZOrderOperators<double, 3>, starfmm::CurrentBackend>();
template starfmm::NearfieldBodies
starfmm::nearfield_bodies<starfmm::GravityLaw<double>, starfmm::CurrentBackend>();
template starfmm::NearfieldBodies
starfmm::nearfield_bodies<starfmm::LaplaceLaw<double>, starfmm::CurrentBackend>();
template starfmm::NearfieldBodies
starfmm::nearfield_bodies<starfmm::LaplaceGradientLaw<double>, starfmm::CurrentBackend>();

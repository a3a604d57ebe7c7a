// SPDX-License-Identifier: BSD-3-Clause
// Bodies of the uniform quadtree and of the plane's pairwise laws in double precision.
#include "codelets/sets/compile.hpp"
#include "codelets/sets/instantiate_law.hpp"
#include "codelets/tree/zsort.hpp"
#include "core/laws/pair_laws.hpp"

template starfmm::ZOrderOperators<double, 2>::Bodies
starfmm::bodies<starfmm::ZOrderOperators<double, 2>, starfmm::CurrentBackend>();
template starfmm::NearfieldBodies
starfmm::nearfield_bodies<starfmm::HarmonicLaw<double>, starfmm::CurrentBackend>();
template starfmm::NearfieldBodies
starfmm::nearfield_bodies<starfmm::LogLaw<double>, starfmm::CurrentBackend>();

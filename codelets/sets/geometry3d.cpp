// SPDX-License-Identifier: BSD-3-Clause
// Bodies of sort and connect in space.
#include "codelets/sets/instantiate_geometry.hpp"

template starfmm::GeometryOperators<3>::Bodies
starfmm::bodies<starfmm::GeometryOperators<3>, starfmm::CurrentBackend>();

// SPDX-License-Identifier: BSD-3-Clause
// Bodies of sort and connect in the plane.
#include "codelets/sets/instantiate_geometry.hpp"

template starfmm::GeometryOperators<2>::Bodies
starfmm::bodies<starfmm::GeometryOperators<2>, starfmm::CurrentBackend>();

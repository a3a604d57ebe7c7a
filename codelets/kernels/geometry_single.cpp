// SPDX-License-Identifier: BSD-3-Clause
// Bodies of sort, connect and gather over float.
#include "codelets/instantiate_geometry.hpp"

template starfmm::GeometryBodies starfmm::geometry_bodies<float, starfmm::CurrentBackend>();

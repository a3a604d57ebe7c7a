// SPDX-License-Identifier: BSD-3-Clause
// Bodies of sort, connect and gather over double.
#include "codelets/instantiate_geometry.hpp"

template starfmm::GeometryBodies starfmm::geometry_bodies<double, starfmm::CurrentBackend>();

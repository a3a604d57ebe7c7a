// SPDX-License-Identifier: BSD-3-Clause
// Bodies of sort and connect.
#include "codelets/sets/instantiate_geometry.hpp"

template starfmm::GeometryBodies starfmm::geometry_bodies<starfmm::CurrentBackend>();

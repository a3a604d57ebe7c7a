// SPDX-License-Identifier: BSD-3-Clause
// The geometry codelets of space.
#include "codelets/sets/geometry_set.hpp"

namespace starfmm {

template GeometrySet& geometry_set<3>();

} // namespace starfmm

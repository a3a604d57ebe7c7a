// SPDX-License-Identifier: BSD-3-Clause
#include "tests/support/cut_run.hpp"

TEST_CASE("cut: groups have what sort, bounds and root would make of their points") {
    for (const GeometryVariant& variant : geometry_variants<2>()) {
        CAPTURE(variant.name);
        check_cuts<Buffers, 2>(variant.bodies, variant.bodies);
    }
    for (const GeometryVariant& variant : geometry_variants<3>()) {
        CAPTURE(variant.name);
        check_cuts<Buffers, 3>(variant.bodies, variant.bodies);
    }
}

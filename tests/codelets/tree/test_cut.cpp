// SPDX-License-Identifier: BSD-3-Clause
#include "tests/support/cut_run.hpp"

TEST_CASE("cut: groups have what sort, bounds and root would make of their points") {
    for (const GeometryVariant& variant : geometry_variants()) {
        CAPTURE(variant.name);
        check_cuts<Buffers>(variant.bodies, variant.bodies);
    }
}

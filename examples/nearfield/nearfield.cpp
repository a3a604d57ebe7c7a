// SPDX-License-Identifier: BSD-3-Clause
// This driver sums near fields of a uniform quadtree or octree along the Z-order curve [SL13].
#include "examples/cli/cli.hpp"
#include "examples/nearfield/near_driver.hpp"

namespace {

int run(int argc, char** argv) {
    const auto options = starfmm::parse_near_options(argc, argv);
    if (!options) {
        return 0;
    }
    return options->table ? starfmm::run_near_table(*options) : starfmm::run_near_field(*options);
}

} // namespace

int main(int argc, char** argv) {
    return starfmm::run_driver(argc, argv, run);
}

// SPDX-License-Identifier: BSD-3-Clause
// What a build without MPI says to a launcher.
#include "core/error.hpp"
#include "examples/gravity/gravity_driver.hpp"

namespace starfmm {

int run_over_ranks(int n_ranks, int /*argc*/, char** /*argv*/, const DriverText& text) {
    throw InputError(
        std::to_string(n_ranks) + " ranks were started, but this " + text.name +
        " was built without MPI: install MPI and StarPU's library for it, and build with "
        "STARFMM_WITH_MPI"
    );
}

} // namespace starfmm

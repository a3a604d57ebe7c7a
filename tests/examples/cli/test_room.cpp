// SPDX-License-Identifier: BSD-3-Clause
#include "core/error.hpp"
#include "core/host_limits.hpp"
#include "examples/cli/problem.hpp"
#include "tests/support/program.hpp"

#include <doctest/doctest.h>

#include <string>
#include <utility>

TEST_CASE("room: more than there is is refused with both sizes") {
    CHECK_NOTHROW(starfmm::check_room("--n 5", 40, 40));
    CHECK_THROWS_WITH_AS(
        starfmm::check_room("--n 1000000000", 4e10, std::size_t{8'000'000'000}),
        "--n 1000000000: takes at least 40 GB of memory, 8 GB are available: fewer need less",
        starfmm::InputError
    );
}

TEST_CASE("room: no driver draws points that memory cannot hold") {
    const std::string most = "4294967295";
    if (static_cast<double>(starfmm::available_memory()) > 1e11) {
        MESSAGE("skipped: this machine holds 2^32 points");
        return;
    }
    for (const auto& asked :
         {std::pair("pyramid2d", "--n "),
          {"laplace3d", "--n "},
          {"gravity", "--n "},
          {"gravity", "--method tree --n "},
          {"nbody", "--n "},
          {"plug_in_kernel", "--n "},
          {"laplace3d", "--n 10 --targets "},
          {"pyramid2d", "--input /nowhere.npy --targets "},
          {"nearfield", "--height 0 --per-box "}}) {
        CAPTURE(asked.first);
        const ProgramResult run = run_program(asked.first, asked.second + most, "timeout 20");
        CAPTURE(run.err);
        CHECK(run.exit_code == 2);
        CHECK(run.err.find(most + ": takes at least ") != std::string::npos);
        CHECK(run.err.find("are available: fewer need less\n") != std::string::npos);
    }
}

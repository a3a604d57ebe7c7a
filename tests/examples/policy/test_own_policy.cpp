// SPDX-License-Identifier: BSD-3-Clause
#include "tests/support/program.hpp"

#include <doctest/doctest.h>

#include <string>

TEST_CASE("own_policy: sums are right under the program's own policy, and under another") {
    const std::string small = "--n 3000 --cpus 2 --gpus 0 --tune off --groups 64 --levels 4 ";
    const ProgramResult own = run_program("own_policy", small + "--check 100");
    CHECK(own.exit_code == 0);
    CHECK(own.out.find("scheduler heaviest-first") != std::string::npos);
    const ProgramResult other =
        run_program("own_policy", small + "--check 100 --scheduler starfmm");
    CHECK(other.exit_code == 0);
    CHECK(other.out.find("scheduler starfmm") != std::string::npos);
}

TEST_CASE("own_policy: its policy is listed where another is asked for") {
    check_rejects("own_policy", "--scheduler fastest --gpus 0", " heaviest-first", {});
}

TEST_CASE("own_policy: other programs do not have its policy") {
    check_rejects(
        "pyramid2d", "--scheduler heaviest-first", "--scheduler heaviest-first: must be one of", {}
    );
}

// SPDX-License-Identifier: BSD-3-Clause
#include "examples/nearfield/near_driver.hpp"
#include "tests/support/program.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

using Json = nlohmann::json;

namespace {

ProgramResult nearfield(const std::string& arguments) {
    return run_program("nearfield", arguments);
}

void check_rejected(const std::string& arguments, const std::string& message) {
    check_rejects("nearfield", arguments, message, {});
}

} // namespace

TEST_CASE("nearfield driver: points fill the boxes evenly") {
    constexpr int height = 2;
    const auto points = starfmm::points_in_boxes<3>(height, 5, 1);
    std::vector<int> sizes(64);
    for (std::size_t i = 0; i < points.size(); ++i) {
        std::size_t box = 0;
        for (const auto& x : points.x) {
            box = 4 * box + std::min<std::size_t>(3, static_cast<std::size_t>(4 * x[i]));
        }
        ++sizes[box];
    }
    CHECK(sizes == std::vector<int>(64, 5));
}

TEST_CASE("nearfield driver: runs of every law pass their check") {
    for (const std::string law : {"harmonic", "log", "gravity", "laplace", "laplace_gradient"}) {
        const std::string dimension = law == "harmonic" || law == "log" ? "2" : "3";
        for (const std::string precision : {"single", "double"}) {
            const ProgramResult run = nearfield(
                "--dimension " + dimension + " --law " + law + " --precision " + precision +
                " --height 2 --per-box 9 --cpus 1 --gpus 0 --check 40"
            );
            CAPTURE(run.err);
            CHECK(run.exit_code == 0);
            CHECK(run.out.find("error against the exact near field") != std::string::npos);
        }
    }
}

TEST_CASE("nearfield driver: a record and a trace") {
    const TemporaryFolder folder;
    const ProgramResult run = nearfield(
        "--height 3 --per-box 4 --cpus 2 --gpus 0 --groups 4 --repeat 3 --check 10 --json " +
        folder.file("a.json") + " --trace " + folder.file("trace.json")
    );
    CHECK(run.exit_code == 0);
    const Json record = Json::parse(folder.bytes("a.json"));
    CHECK(record["driver"] == "nearfield");
    CHECK(record["n"] == 256);
    CHECK(record["groups"] == 4);
    CHECK(record["tasks"] == 3 * 4 + 1); // strengths, P2P and gather of each group
    CHECK(record["time_s"]["evaluate"].size() == 3);
    CHECK(record["work"]["interactions"] == 16 * (4 * 4 + 24 * 6 + 36 * 9));
    CHECK(record["error"]["checked"] == 10);
    CHECK(!Json::parse(folder.bytes("trace.json"))["traceEvents"].empty());
}

TEST_CASE("nearfield driver: a failed check is exit code 1") {
    const ProgramResult run =
        nearfield("--height 2 --per-box 9 --cpus 1 --gpus 0 --check 9 --tol 1e-30");
    CHECK(run.exit_code == 1);
    CHECK(run.out.find("check failed") != std::string::npos);
}

TEST_CASE("nearfield driver: the paper's table") {
    const ProgramResult run = nearfield("--table sl13 --height 1 --cpus 1 --gpus 0 --check 20");
    CAPTURE(run.err);
    CHECK(run.exit_code == 0);
    for (const std::string value : {"no GPU", "79.51", "1774.18"}) {
        CHECK(run.out.find(value) != std::string::npos);
    }
}

TEST_CASE("nearfield driver: an error that was not looked for is none") {
    const ProgramResult run = nearfield("--table sl13 --height 1 --cpus 1 --gpus 0");
    CHECK(run.exit_code == 0);
    CHECK(run.out.find("0.0e+00") == std::string::npos);
    CHECK(run.out.find("         - |") != std::string::npos);
    const TemporaryFolder folder;
    const std::string json = folder.file("a.json");
    REQUIRE(nearfield("--height 2 --per-box 4 --seed 3 --quiet --json " + json).out.empty());
    const Json record = Json::parse(folder.bytes("a.json"));
    CHECK(record["error"].is_null());
    CHECK(record["seed"] == 3);
}

TEST_CASE("nearfield driver: bad options") {
    check_rejected("--table sl13 --trace /dev/null", "--table and --trace: only one can be given");
    check_rejected("--table sl13 --per-box 4", "--table and --per-box: only one can be given");
    check_rejected("--table sl13 --quiet", "--table and --quiet: only one can be given");
    check_rejected("--dimension 4", "--dimension 4: must be <= 3");
    check_rejected("--law gravity", "--law gravity: is not of dimension 2");
    check_rejected("--implementation fast", "must be auto, bpb or improved");
    check_rejected("--height 7 --per-box 1e6", "must be <= 262143 in 16384 boxes");
    check_rejected("--dimension 3 --height 9 --per-box 1", "--height 9: must be in [0, 8]");
    check_rejected("--unknown 1", "--unknown: unknown option");
    check_rejected("--per-box", "--per-box: a value is expected");
    check_rejected("--table sl14", "must be sl13");
    const TemporaryFolder folder;
    check_rejected("--json " + folder.file("missing/a.json"), folder.file("missing/a.json"));
}

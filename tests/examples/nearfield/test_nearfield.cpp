// SPDX-License-Identifier: BSD-3-Clause
#include "examples/nearfield/points_in_boxes.hpp"
#include "tests/support/program.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
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

TEST_CASE("nearfield driver: runs of every kernel pass their check") {
    for (const std::string kernel :
         {"--kernel harmonic2d",
          "--kernel log2d --gradient",
          "--dimension 3",
          "--dimension 3 --kernel laplace3d --gradient"}) {
        for (const std::string precision : {"single", "double"}) {
            const ProgramResult run = nearfield(
                kernel + " --precision " + precision +
                " --height 2 --per-box 9 --cpus 1 --gpus 0 --check 40"
            );
            CAPTURE(run.err);
            CHECK(run.exit_code == 0);
            CHECK(run.out.find("error of the potential against exact sums") != std::string::npos);
        }
    }
}

TEST_CASE("nearfield driver: kernels' former names serve with a note") {
    const std::string small =
        " --precision double --height 1 --per-box 4 --cpus 1 --gpus 0 --check 9";
    for (const auto& [given, note] :
         {std::pair("--law harmonic", "--kernel harmonic is called harmonic2d now\n"),
          {"--law log", "--kernel log is called log2d now\n"},
          {"--dimension 3 --law laplace", "--kernel laplace is called laplace3d now\n"},
          {"--dimension 3 --law gravity", "--kernel gravity is laplace3d with --gradient now\n"},
          {"--dimension 3 --law laplace_gradient",
           "--kernel laplace_gradient is laplace3d with --gradient now\n"}}) {
        const ProgramResult run = nearfield(given + small);
        CHECK(run.exit_code == 0);
        CHECK(run.err == std::string("note: --law is called --kernel now\nnote: ") + note);
    }
}

TEST_CASE("nearfield driver: a record and a trace") {
    const TemporaryFolder folder;
    const ProgramResult run = nearfield(
        "--height 3 --per-box 4 --cpus 2 --gpus 0 --groups 4 --repeat 3 --check 10 --json " +
        folder.file("a.json") + " --trace " + folder.file("trace.json")
    );
    CHECK(run.exit_code == 0);
    CHECK(run.out.find("pairs in boxes of level 3") != std::string::npos);
    const Json record = Json::parse(folder.bytes("a.json"));
    CHECK(record["driver"] == "nearfield");
    CHECK(record["n"] == 256);
    CHECK(record["groups"] == 4);
    // strengths, P2P and gather of each group, four tasks of each for the tree, and two more of it
    CHECK(record["tasks"] == 3 * 4 + 1 + 4 * 4 + 2);
    CHECK(record["time_s"]["evaluate"].size() == 3);
    CHECK(record["work"]["p2p_pairs"] == 16 * (4 * 4 + 24 * 6 + 36 * 9));
    CHECK(record["per_box"] == 4);
    CHECK(record["implementation"] == "auto");
    CHECK(record["levels"] == 3);
    CHECK(record["method"] == "near_field");
    CHECK(record["kernel"] == "harmonic2d");
    CHECK(record["error"]["checked"] == 10);
    CHECK(!Json::parse(folder.bytes("trace.json"))["traceEvents"].empty());
}

TEST_CASE("nearfield driver: a failed check is exit code 1") {
    const ProgramResult run =
        nearfield("--height 2 --per-box 9 --cpus 1 --gpus 0 --check 9 --tol 1e-30");
    CHECK(run.exit_code == 1);
    CHECK(run.out.find("check failed") != std::string::npos);
}

TEST_CASE("nearfield driver: an error that was not looked for is none") {
    const TemporaryFolder folder;
    const std::string json = folder.file("a.json");
    REQUIRE(nearfield("--height 2 --per-box 4 --seed 3 --quiet --json " + json).out.empty());
    const Json record = Json::parse(folder.bytes("a.json"));
    CHECK(record["error"].is_null());
    CHECK(record["seed"] == 3);
}

TEST_CASE("nearfield driver: bad options") {
    check_rejected("--dimension 4", "--dimension 4: must be <= 3");
    check_rejected("--kernel laplace3d", "--kernel laplace3d: is not of dimension 2");
    check_rejected("--kernel log3d", "log3d");
    check_rejected("--gradient", "--gradient: --kernel harmonic2d has none");
    check_rejected("--implementation fast", "must be auto, bpb or improved");
    check_rejected("--height 7 --per-box 1e6", "must be <= 262143 in 16384 boxes");
    check_rejected("--dimension 3 --height 9 --per-box 1", "--height 9: must be in [0, 8]");
    check_rejected("--unknown 1", "--unknown: unknown option");
    check_rejected("--per-box", "--per-box: a value is expected");
    const TemporaryFolder folder;
    check_rejected("--json " + folder.file("missing/a.json"), folder.file("missing/a.json"));
}

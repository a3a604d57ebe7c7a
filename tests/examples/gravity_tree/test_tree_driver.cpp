// SPDX-License-Identifier: BSD-3-Clause
#include "tests/support/program.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <string>

using Json = nlohmann::json;

namespace {

ProgramResult gravity_tree(const std::string& arguments) {
    return run_program("gravity_tree", "--gpus 0 " + arguments);
}

void check_rejected(const std::string& arguments, const std::string& message) {
    check_rejects("gravity_tree", "--gpus 0 " + arguments, message, {{"--json", "a.json"}});
}

} // namespace

TEST_CASE("tree_driver: the check passes in both precisions and for every distribution") {
    for (const std::string precision : {"double", "single"}) {
        for (const std::string distribution : {"plummer", "uniform", "normal"}) {
            const ProgramResult run = gravity_tree(
                "--n 20001 --check 500 --tol 1e-3 --tol99 2e-2 --precision " + precision +
                " --distribution " + distribution
            );
            CAPTURE(run.out);
            CHECK(run.exit_code == 0);
            CHECK(run.out.find("relative error at 500 bodies") != std::string::npos);
        }
    }
}

TEST_CASE("tree_driver: a check that fails is exit code 1, and says so") {
    const ProgramResult run = gravity_tree("--n 5000 --check 50 --order 1 --tol 1e-4 --tol99 1e-3");
    CHECK(run.exit_code == 1);
    CHECK(run.out.find("check failed: median error ") != std::string::npos);
    CHECK(run.out.find("check failed: 99th percentile error ") != std::string::npos);
}

TEST_CASE("tree_driver: an order of one's own is judged by what it should reach") {
    for (const std::string order : {"1", "4", "8"}) {
        const ProgramResult run =
            gravity_tree("--n 20000 --check 500 --theta 0.547 --ncrit 30 --order " + order);
        CAPTURE(run.out);
        CHECK(run.exit_code == 0);
    }
}

TEST_CASE("tree_driver: the record says what was asked for and what came of it") {
    const TemporaryFolder folder;
    const ProgramResult run = gravity_tree(
        "--n 3000 --epsilon 0.25 --g 2 --precision double --repeat 3 --warmup 1 --cpus 1 "
        "--order 3 --tol 0.1 --theta 0.6 --ncrit 17 --groups 8 --check 10 --json " +
        folder.file("a.json") + " --trace " + folder.file("trace.json")
    );
    REQUIRE(run.exit_code == 0);
    const Json record = Json::parse(folder.bytes("a.json"));
    CHECK(record.at("driver") == "gravity_tree");
    CHECK(record.at("n") == 3000);
    CHECK(record.at("precision") == "double");
    CHECK(record.at("epsilon") == 0.25);
    CHECK(record.at("softening") == "plummer");
    CHECK(record.at("g") == 2);
    CHECK(record.at("order") == 3);
    CHECK(record.at("theta") == 0.6);
    CHECK(record.at("ncrit") == 17);
    CHECK(record.at("time_s").at("total").size() == 3);
    CHECK(record.at("work").at("m2l_shifts") > 0);
    CHECK(record.at("error").at("median_rel") > 0);
    CHECK(record.at("error").at("p99_rel") >= record.at("error").at("median_rel"));
    CHECK(Json::parse(folder.bytes("trace.json")).contains("traceEvents"));
}

TEST_CASE("tree_driver: sums softened by a spline are checked and recorded as such") {
    const TemporaryFolder folder;
    const std::string record = folder.file("a.json");
    const ProgramResult run = gravity_tree(
        "--n 5000 --epsilon 0.05 --softening spline --tol 3e-3 --check 500 --json " + record
    );
    CAPTURE(run.out);
    CHECK(run.exit_code == 0);
    CHECK(run.out.find("single precision, spline softening, epsilon 0.05") != std::string::npos);
    CHECK(Json::parse(folder.bytes("a.json")).at("softening") == "spline");
}

TEST_CASE("tree_driver: results are in the bodies' order, potentials among them") {
    const TemporaryFolder folder;
    const std::string input = folder.file("bodies.csv", "x,y,z,m\n0,0,1,3\n2,0,1,1\n");
    const ProgramResult run = gravity_tree(
        "--precision double --epsilon 0 --input " + input + " --output " + folder.file("out.csv")
    );
    REQUIRE(run.exit_code == 0);
    CHECK(folder.bytes("out.csv").starts_with("ax,ay,az,phi\n0.25,"));
}

TEST_CASE("tree_driver: bad options are named") {
    check_rejected("--order 9", "--order 9: must be <= 8");
    check_rejected("--theta 1", "--theta 1: must be in (0, 1)");
    check_rejected("--tol 2", "--tol 2: must be in [0, 1]");
    check_rejected("--tol99 2", "--tol99 2: must be in (0, 1]");
    check_rejected("--ncrit 0", "--ncrit 0: must be >= 1");
    check_rejected("--precision half", "--precision half: must be double, single or mixed");
    check_rejected(
        "--precision mixed --tol 1e-7",
        "--tol 1e-07: pairs in single precision reach 1e-06: use a larger tolerance, or double "
        "precision"
    );
    check_rejected("--lists all", "--lists all: must be auto, gpus or cores");
    check_rejected("--softening none", "--softening none: must be plummer or spline");
    check_rejected("--groups 65", "--groups 65: must be <= 64");
}

TEST_CASE("tree_driver: where no tree serves, direct sums do, and the report says why") {
    const TemporaryFolder folder;
    const std::string record = folder.file("a.json");
    const ProgramResult few =
        gravity_tree("--n 2 --tol 1e-5 --precision double --check 2 --json " + record);
    CAPTURE(few.out);
    CHECK(few.exit_code == 0);
    CHECK(few.out.find("direct sums: 2 bodies are too few for a tree") != std::string::npos);
    CHECK(Json::parse(folder.bytes("a.json")).at("method") == "direct");
    const ProgramResult fine = gravity_tree(
        "--n 2000 --theta 0.7 --tol 1e-5 --precision double --check 200 --json " + record
    );
    CAPTURE(fine.out);
    CHECK(fine.exit_code == 0);
    CHECK(
        fine.out.find(
            "direct sums: no tree has errors of 1e-05 and, of 99 of 100 bodies, 1, not by order 8 "
            "and theta 0.7"
        ) != std::string::npos
    );
}

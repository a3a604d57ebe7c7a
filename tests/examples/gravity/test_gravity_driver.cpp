// SPDX-License-Identifier: BSD-3-Clause
#include "core/io/npy.hpp"
#include "tests/support/program.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <string>

using Json = nlohmann::json;

namespace {

ProgramResult gravity(const std::string& arguments) {
    return run_program("gravity", "--gpus 0 " + arguments);
}

void check_rejected(const std::string& arguments, const std::string& message) {
    check_rejects("gravity", "--gpus 0 " + arguments, message, {{"--json", "a.json"}});
}

} // namespace

TEST_CASE("gravity_driver: the check passes in every precision and for every distribution") {
    for (const std::string precision : {"double", "single", "mixed"}) {
        for (const std::string distribution : {"plummer", "uniform", "lattice"}) {
            const ProgramResult run = gravity(
                "--n 2001 --check 100 --potential yes --masses random --precision " + precision +
                " --distribution " + distribution
            );
            CAPTURE(run.out);
            CHECK(run.exit_code == 0);
            CHECK(run.out.find("relative error at 100 bodies") != std::string::npos);
        }
    }
}

TEST_CASE("gravity_driver: a check that fails is exit code 1, and says so") {
    const ProgramResult run = gravity("--n 500 --check 50 --precision single --tol 1e-12");
    CHECK(run.exit_code == 1);
    CHECK(run.out.find("check failed: ") != std::string::npos);
    CHECK(run.err.empty());
}

TEST_CASE("gravity_driver: the record says what was asked for and what came of it") {
    const TemporaryFolder folder;
    const ProgramResult run = gravity(
        "--n 3000 --epsilon 0.25 --g 2 --precision mixed --repeat 3 --warmup 1 --cpus 1 "
        "--target-block 1000 --source-block 2000 --check 10 --json " +
        folder.file("a.json") + " --trace " + folder.file("trace.json")
    );
    REQUIRE(run.exit_code == 0);
    const Json record = Json::parse(folder.bytes("a.json"));
    CHECK(record.at("driver") == "gravity");
    CHECK(record.at("n") == 3000);
    CHECK(record.at("precision") == "mixed");
    CHECK(record.at("epsilon") == 0.25);
    CHECK(record.at("g") == 2);
    CHECK(record.at("potential") == false);
    CHECK(record.at("tasks") == 6); // three blocks of targets, two of sources
    CHECK(record.at("time_s").at("total").size() == 3);
    CHECK(record.at("work").at("pairs") == 9e6);
    CHECK(record.at("phase_s").contains("gravity"));
    CHECK(record.at("phase_s").contains("gravity_add"));
    CHECK(record.at("error").at("checked") == 10);
    CHECK(record.at("error").at("potential_max_rel").is_null()); // there are none
    CHECK(run.out.find("; potential max -\n") != std::string::npos);
    CHECK(record.at("distribution") == "plummer");
    CHECK(record.at("sigma") == 0.1);
    CHECK(record.at("seed") == 1);
    CHECK(record.at("masses") == "equal");
    CHECK(record.at("summation") == "any");
    CHECK(record.at("input").is_null());
    CHECK(Json::parse(folder.bytes("trace.json")).at("traceEvents").size() > 6);
}

TEST_CASE("gravity_driver: results come back in the user's order, by file") {
    const TemporaryFolder folder;
    const std::string input = folder.file("in.csv", "x,y,z,m\n0,0,0,1\n3,4,0,50\n");
    const ProgramResult run = gravity(
        "--epsilon 0 --potential yes --input " + input + " --output " + folder.file("out.npy")
    );
    REQUIRE(run.exit_code == 0);
    const auto columns = starfmm::read_npy(folder.file("out.npy"), {{"ax", "ay", "az", "phi"}});
    CHECK(columns[0][0] == doctest::Approx(50 * 3.0 / 125));
    CHECK(columns[1][0] == doctest::Approx(50 * 4.0 / 125));
    CHECK(columns[0][1] == doctest::Approx(-3.0 / 125));
    CHECK(columns[2][1] == 0);
    CHECK(columns[3][0] == doctest::Approx(-10));
    CHECK(columns[3][1] == doctest::Approx(-0.2));
}

TEST_CASE("gravity_driver: the model's table has measured and predicted times") {
    const ProgramResult run = gravity("--model 4096 --precision single --cpus 1");
    CHECK(run.exit_code == 0);
    CHECK(run.out.find("predicted [s]") != std::string::npos);
    CHECK(run.out.find("\n      1024 ") != std::string::npos);
    CHECK(run.out.find("\n      4096 ") != std::string::npos);
}

TEST_CASE("gravity_driver: errors of potentials are told where there are some") {
    const TemporaryFolder folder;
    const std::string input = folder.file("in.csv", "x,y,z,m\n0,0,0,1\n3,4,0,50\n");
    const std::string json = folder.file("a.json");
    const ProgramResult run =
        gravity("--potential yes --check 2 --cpus 1 --input " + input + " --json " + json);
    REQUIRE(run.exit_code == 0);
    CHECK(run.out.find("; potential max -") == std::string::npos);
    const Json record = Json::parse(folder.bytes("a.json"));
    CHECK(record.at("error").at("potential_max_rel").is_number());
    CHECK(record.at("input") == input);
    CHECK(record.at("distribution").is_null());
    CHECK(record.at("masses").is_null());
    const ProgramResult quiet = gravity("--n 500 --cpus 1 --check 50 --quiet --heartbeat 1e-3");
    CHECK(quiet.exit_code == 0);
    CHECK(quiet.out.empty());
    CHECK(quiet.err.empty());
}

TEST_CASE("gravity_driver: options out of range are named") {
    check_rejected("--model 2000 --quiet", "--model and --quiet: only one can be given");
    check_rejected("--n 0", "--n 0");
    check_rejected("--epsilon=-1", "--epsilon -1: must be");
    check_rejected("--precision half", "--precision half: must be double, single or mixed");
    check_rejected("--potential maybe", "--potential maybe: must be no or yes");
    check_rejected("--n 10 --input a.csv", "--input and --n: only one can be given");
    check_rejected("--input none.csv", "none.csv");
    check_rejected("--sigma 0", "--sigma 0: must be");
    check_rejected("--tol 2", "--tol 2: must be");
}

// SPDX-License-Identifier: BSD-3-Clause
#include "core/io/npy.hpp"
#include "tests/support/program.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <cstddef>
#include <string>

namespace {

/// Options of a problem with a number of bodies divisible by neither 2 nor 4: the last rank has
/// fewer bodies.
const std::string problem = "--n 1031 --masses random --potential yes --gpus 0 --cpus 1 ";

std::string mpirun(int ranks) {
    return "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 mpirun --oversubscribe -np " +
           std::to_string(ranks);
}

ProgramResult on_ranks(int ranks, const std::string& arguments) {
    return run_program("gravity", arguments, mpirun(ranks));
}

starfmm::Columns results(const std::string& path) {
    return starfmm::read_npy(path, {{"ax", "ay", "az", "phi"}});
}

/// Largest difference over largest value.
double difference(const starfmm::Columns& a, const starfmm::Columns& b) {
    double largest = 0;
    double apart = 0;
    for (std::size_t c = 0; c < a.size(); ++c) {
        REQUIRE(a[c].size() == b[c].size());
        for (std::size_t i = 0; i < a[c].size(); ++i) {
            largest = std::fmax(largest, std::abs(a[c][i]));
            apart = std::fmax(apart, std::abs(a[c][i] - b[c][i]));
        }
    }
    return apart / largest;
}

starfmm::Columns by_one_process(const std::string& arguments) {
    const TemporaryFolder folder;
    const std::string output = folder.file("one.npy");
    const auto run = run_program("gravity", problem + arguments + " --output " + output);
    CAPTURE(run.err);
    REQUIRE(run.exit_code == 0);
    return results(output);
}

starfmm::Columns by_ranks(int ranks, const std::string& arguments) {
    const TemporaryFolder folder;
    const std::string output = folder.file("ranks.npy");
    const auto run = on_ranks(ranks, problem + arguments + " --output " + output);
    CAPTURE(run.err);
    REQUIRE(run.exit_code == 0);
    return results(output);
}

} // namespace

TEST_CASE("gravity_ranks: 2 and 4 ranks give what one process gives, whatever the pattern") {
    for (const std::string precision : {"single", "double"}) {
        const auto one = by_one_process("--precision " + precision);
        const double bound = precision == "single" ? 1e-6 : 1e-14;
        for (const int ranks : {2, 4}) {
            for (const std::string pattern : {"ring", "doubling"}) {
                CAPTURE(ranks);
                CAPTURE(pattern);
                const auto many =
                    by_ranks(ranks, "--precision " + precision + " --pattern " + pattern);
                CHECK(difference(one, many) <= bound);
            }
        }
    }
}

TEST_CASE("gravity_ranks: a fixed order of summation gives one process's bits") {
    const std::string fixed = "--precision single --summation fixed ";
    const auto one = by_one_process(fixed + "--target-block 258 --source-block 258");
    for (const std::string pattern : {"ring", "doubling"}) {
        CHECK(by_ranks(4, fixed + "--pattern " + pattern) == one); // 258 = 1031 / 4, rounded up
    }
}

TEST_CASE("gravity_ranks: more ranks than bodies, and repeated sums") {
    const TemporaryFolder folder;
    const auto run = on_ranks(
        4, "--n 2 --gpus 0 --cpus 1 --check 2 --warmup 1 --repeat 3 --json " + folder.file("a.json")
    );
    CAPTURE(run.err);
    CHECK(run.exit_code == 0);
    CHECK(run.out.find("4 ranks") != std::string::npos);
    const auto record = nlohmann::json::parse(folder.bytes("a.json"));
    CHECK(record.at("ranks") == 4);
    CHECK(record.at("reachable_tolerance").is_null());
}

TEST_CASE("gravity_ranks: bad input is named once, with exit code 2") {
    const auto check = [](int ranks, const std::string& arguments, const std::string& message) {
        const auto run = on_ranks(ranks, "--n 10 --gpus 0 " + arguments);
        CAPTURE(run.err);
        CHECK(run.exit_code == 2);
        CHECK(run.err.find("gravity: error: " + message) != std::string::npos);
        CHECK(run.err.find(message) == run.err.rfind(message));
    };
    check(2, "--pattern star", "--pattern star: must be ring or doubling");
    check(3, "--cpus 1000", "--cpus 1000");
    const std::string over_ranks = ": not over the 2 ranks of mpirun";
    check(2, "--method tree", "--method tree" + over_ranks + ", which sum directly");
    check(2, "--targets 5", "--targets" + over_ranks);
}

TEST_CASE("gravity_ranks: input that one rank alone refuses ends all of them") {
    const TemporaryFolder folder;
    static_cast<void>(folder.file("0.csv", "x,y,z,m\n0,0,0,1\n1,0,0,1\n"));
    const std::string other = folder.file("1.csv", "x,y,z,m\n0,0,0,1\n1,0,0\n");
    const std::string script =
        folder.file("run.sh", "exec \"$@\" --input " + folder.file("$OMPI_COMM_WORLD_RANK.csv\n"));
    const auto run = run_program("gravity", "--gpus 0 --cpus 1", mpirun(2) + " sh " + script);
    CAPTURE(run.err);
    CHECK(run.exit_code == 2);
    CHECK(run.err.find("gravity: error: " + other + ":3: ") != std::string::npos);
}

TEST_CASE("gravity_ranks: without several ranks gravity is as ever") {
    const auto run = run_program("gravity", "--n 10 --gpus 0 --pattern ring");
    CHECK(run.exit_code == 2);
    CHECK(run.err == "gravity: error: --pattern: needs several ranks: mpirun -np 4 gravity\n");
    // a step of Slurm's without MPI
    const std::string few = "--n 10 --gpus 0 --cpus 1 --quiet";
    CHECK(run_program("gravity", few, "SLURM_STEP_NUM_TASKS=2").exit_code == 0);
    const auto one = on_ranks(1, "--n 10 --gpus 0 --cpus 1 --check 10 --method tree");
    CAPTURE(one.err);
    CHECK(one.exit_code == 0);
}

// SPDX-License-Identifier: BSD-3-Clause
// Whole runs of drivers with an OpenCL device, on which P2P, direct sums and M2L of gravity may
// run.
#include "tests/support/program.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <string>

using Json = nlohmann::json;

namespace {

/// Runs a driver on a core and an OpenCL device, with a check of its sums.
void check_run(const std::string& driver, const std::string& arguments) {
    const TemporaryFolder folder;
    const std::string all =
        arguments + " --cpus 1 --opencl 1 --check 200 --json " + folder.file("a.json");
    const ProgramResult run = run_program(driver, all);
    CAPTURE(arguments);
    CAPTURE(run.err);
    if (run.exit_code == 2 && run.err.find("--opencl 1: this ") != std::string::npos) {
        MESSAGE("skipped: ", run.err);
        return;
    }
    REQUIRE(run.exit_code == 0);
    CHECK(run.out.find("workers: 1 CPU") != std::string::npos);
    CHECK(run.out.find(", 0 CUDA, 1 OpenCL; scheduler") != std::string::npos);
    const Json record = Json::parse(folder.bytes("a.json"));
    CHECK(record.at("workers") == Json{{"cpu", 1}, {"cuda", 0}, {"opencl", 1}});
    CHECK(record.at("error").at("checked") == 200); // else the exit code were 1
}

} // namespace

TEST_CASE("opencl runs: pyramid2d against direct sums") {
    check_run("pyramid2d", "--tune off --method fmm --n 20000 --groups 16 --leaf-size 150");
    check_run(
        "pyramid2d",
        "--tune off --method fmm --n 20000 --kernel log2d --gradient --tree quadtree --groups 16"
    );
    check_run(
        "pyramid2d",
        "--tune off --method fmm --n 5000 --targets 3000 --precision single --tol 1e-4 --groups 4"
    );
    check_run("pyramid2d", "--tune off --method direct --n 8000");
}

TEST_CASE("opencl runs: laplace3d against direct sums") {
    check_run("laplace3d", "--tune off --method fmm --n 20000 --tol 1e-4 --groups 8");
    check_run("laplace3d", "--tune off --method direct --n 4000 --gradient");
}

TEST_CASE("opencl runs: gravity by a tree against direct sums") {
    check_run("gravity", "--method tree --n 20000 --groups 64");
    check_run("gravity", "--method tree --n 10000 --groups 8 --precision double --tol 2e-5");
    check_run("gravity", "--method tree --n 10000 --groups 8 --softening spline --epsilon 0.01");
}

TEST_CASE("opencl runs: an option that names no number of devices is refused") {
    const auto outputs = {std::pair{"--json", "a.json"}};
    check_rejects("pyramid2d", "--opencl 9", "opencl", outputs);
    check_rejects("pyramid2d", "--opencl 1 --cpus 0", "--cpus 0 and --opencl 1", outputs);
    check_rejects("pyramid2d", "--opencl 1 --gpus 1", "--gpus 1 and --opencl 1", outputs);
}

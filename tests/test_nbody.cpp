// SPDX-License-Identifier: BSD-3-Clause
#include "core/config.hpp"
#include "core/io/snapshot.hpp"
#include "tests/png_decode.hpp"
#include "tests/program.hpp"
#include "tests/temporary_folder.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <string>

using Json = nlohmann::json;

namespace {

ProgramResult nbody(const std::string& arguments) {
    return run_program("nbody", arguments + " --gpus 0");
}

long n_lines(const TemporaryFolder& folder, const std::string& name) {
    const std::string text = folder.bytes(name);
    return std::count(text.begin(), text.end(), '\n');
}

/// The options of one run, whose files are in the folder.
std::string files_in(const TemporaryFolder& folder) {
    return " --cpus 2 --snapshot-every 3 --log-every 2 --snapshot " + folder.file("run.hdf5") +
           " --log " + folder.file("run.csv");
}

const std::string model = "--n 150 --steps 90 --seed 5";

void check_rejected(const std::string& arguments, const std::string& message) {
    check_rejects(
        "nbody",
        arguments + " --gpus 0",
        message,
        {{"--snapshot", "a.hdf5"}, {"--log", "a.csv"}, {"--picture", "a.png"}, {"--json", "a.json"}}
    );
}

} // namespace

TEST_CASE("nbody: a run reports, records, logs, draws and saves") {
    const TemporaryFolder folder;
    const ProgramResult run = nbody(
        "--n 300 --steps 20 --cpus 1 --check 50 --max-drift 1e-3 --picture-pixels 64 --snapshot " +
        folder.file("a.hdf5") + " --picture " + folder.file("a%03d.png") +
        " --picture-every 10 --log " + folder.file("a.csv") + " --json " + folder.file("a.json") +
        " --trace " + folder.file("a.trace")
    );
    CAPTURE(run.err);
    REQUIRE(run.exit_code == 0);
    CHECK(run.out.starts_with("nbody: 300 bodies (plummer), double precision"));
    const Json record = Json::parse(folder.bytes("a.json"));
    CHECK(record.at("driver") == "nbody");
    CHECK(record.at("version") == starfmm::version);
    CHECK(record.at("n") == 300);
    CHECK(record.at("steps") == 20);
    CHECK(record.at("time") == 20.0 / 128);
    CHECK(record.at("workers") == Json{{"cpu", 1}, {"cuda", 0}, {"opencl", 0}});
    CHECK(record.at("work").at("pairs") == 20 * 300 * 299);
    CHECK(record.at("drift").at("energy").get<double>() < 1e-3);
    CHECK(record.at("error").at("checked") == 50);
    CHECK(record.at("error").at("l2_rel").get<double>() < 1e-13);
    CHECK(n_lines(folder, "a.csv") == 22); // header, start, steps
    const auto snapshot = starfmm::read_snapshot(folder.file("a.hdf5"));
    CHECK(snapshot.step == 20);
    CHECK(snapshot.particles.size() == 300);
    for (const char* const name : {"a000.png", "a010.png", "a020.png"}) {
        const starfmm::Image image = decode_png(folder.bytes(name));
        CHECK(image.width == 64);
        CHECK(*std::max_element(image.rgb.begin(), image.rgb.end()) == 253); // brightest
        CHECK(std::count(image.rgb.begin(), image.rgb.end(), 0) > 64 * 64);  // mostly sky
    }
    CHECK(folder.bytes("a000.png") != folder.bytes("a020.png"));
    CHECK(Json::parse(folder.bytes("a.trace")).contains("traceEvents"));
}

TEST_CASE("nbody: galaxies move as the precision allows") {
    const TemporaryFolder folder;
    for (const std::string precision : {"double", "single", "mixed"}) {
        const ProgramResult run = nbody(
            "--ic galaxies --n 400 --mass-ratio 0.5 --steps 10 --cpus 2 --check 100 --precision " +
            precision + " --snapshot " + folder.file(precision + ".hdf5")
        );
        CAPTURE(run.err);
        CHECK(run.exit_code == 0);
    }
    const auto exact = starfmm::read_particles(folder.file("double.hdf5"));
    const auto single = starfmm::read_particles(folder.file("single.hdf5"));
    double largest = 0;
    for (std::size_t i = 0; i < exact.size(); ++i) {
        largest = std::max(largest, std::abs(exact.bodies.x[0][i] - single.bodies.x[0][i]));
    }
    CHECK(largest > 0);
    CHECK(largest < 1e-5); // 10 steps of 1e-7 of accelerations below 100
}

TEST_CASE("nbody: exit code 1 where the energy drifts too far or accelerations are too wrong") {
    const ProgramResult drift = nbody("--n 50 --steps 5 --dt 0.1 --max-drift 1e-9");
    CHECK(drift.exit_code == 1);
    CHECK(drift.out.find("check failed: the energy drifts by") != std::string::npos);
    const ProgramResult error = nbody("--n 50 --steps 1 --precision single --check 9 --tol 1e-12");
    CHECK(error.exit_code == 1);
    CHECK(error.out.find("exceeds the tolerance 1.000e-12") != std::string::npos);
}

TEST_CASE("nbody: bad options and files end with exit code 2 and leave nothing") {
    const TemporaryFolder folder;
    check_rejected("--dt -1", "--dt -1: must be > 0");
    check_rejected("--n 1 --ic galaxies", "too few bodies");
    check_rejected("--restart /nowhere.hdf5", "/nowhere.hdf5: cannot be read: No such file");
    const std::string text = folder.file("text.hdf5", "x,y,z");
    check_rejected("--restart " + text, text + ": is not an HDF5 file");
    check_rejected("--input " + text, text + ": is not an HDF5 file");
    REQUIRE(nbody("--n 20 --steps 1 --snapshot " + folder.file("a.hdf5")).exit_code == 0);
    const std::string cut = folder.file("cut.hdf5", folder.bytes("a.hdf5").substr(0, 3000));
    check_rejected("--restart " + cut, cut + ": is damaged: truncated file");
    check_rejected(
        "--steps 0 --restart " + folder.file("a.hdf5"),
        "--steps 0: " + folder.file("a.hdf5") + " is at step 1 already"
    );
    const std::string foreign = folder.file("other.csv", "a,b,c\n");
    const ProgramResult run = nbody("--restart " + folder.file("a.hdf5") + " --log " + foreign);
    CHECK(run.exit_code == 2);
    CHECK(run.err.find(foreign + ": is not a log of nbody") != std::string::npos);
    CHECK(folder.bytes("other.csv") == "a,b,c\n");
}

TEST_CASE("nbody: a run that goes on ends as one that never stopped") {
    const TemporaryFolder whole;
    REQUIRE(nbody(model + files_in(whole)).exit_code == 0);
    const TemporaryFolder parts;
    REQUIRE(nbody("--n 150 --steps 40 --seed 5" + files_in(parts)).exit_code == 0);
    const std::string restart = " --restart " + parts.file("run.hdf5");
    REQUIRE(nbody("--steps 71" + restart + files_in(parts)).exit_code == 0);
    REQUIRE(nbody("--steps 90" + restart + files_in(parts)).exit_code == 0);
    CHECK(parts.bytes("run.hdf5") == whole.bytes("run.hdf5"));
    CHECK(parts.bytes("run.csv") == whole.bytes("run.csv"));
    // at its end nothing is left to do, nor to change
    REQUIRE(nbody(restart + files_in(parts)).exit_code == 0);
    CHECK(parts.bytes("run.hdf5") == whole.bytes("run.hdf5"));
    CHECK(parts.bytes("run.csv") == whole.bytes("run.csv"));
}

TEST_CASE("nbody: killed again and again, a run ends as one that was left alone") {
    const TemporaryFolder whole;
    REQUIRE(nbody(model + files_in(whole)).exit_code == 0);
    const TemporaryFolder killed;
    int kills = 0;
    for (bool is_done = false; !is_done;) {
        const bool has_snapshot = std::filesystem::exists(killed.file("run.hdf5"));
        const std::string start = has_snapshot ? "--restart " + killed.file("run.hdf5") : model;
        // 0 to 14 lines further, each two steps from the last
        const long last = n_lines(killed, "run.csv") + (7 * kills) % 21;
        RunningProgram program("nbody", start + files_in(killed) + " --gpus 0");
        is_done = !program.kill_when([&] { return n_lines(killed, "run.csv") > last; });
        kills += is_done ? 0 : 1;
        REQUIRE(kills < 1000);
    }
    CHECK(kills >= 3);
    CHECK(killed.bytes("run.hdf5") == whole.bytes("run.hdf5"));
    CHECK(killed.bytes("run.csv") == whole.bytes("run.csv"));
}

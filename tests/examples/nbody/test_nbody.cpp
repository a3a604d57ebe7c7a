// SPDX-License-Identifier: BSD-3-Clause
#include "core/config.hpp"
#include "core/io/snapshot.hpp"
#include "core/particles/initial_conditions.hpp"
#include "tests/support/png_decode.hpp"
#include "tests/support/program.hpp"
#include "tests/support/temporary_folder.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <string>
#include <thread>
#include <utility>

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
        " --trace " + folder.file("trace.json")
    );
    CAPTURE(run.err);
    REQUIRE(run.exit_code == 0);
    CHECK(run.out.starts_with("nbody: 300 bodies (plummer), double precision"));
    const Json record = Json::parse(folder.bytes("a.json"));
    CHECK(record.at("driver") == "nbody");
    CHECK(record.at("version") == starfmm::version);
    CHECK(record.at("n") == 300);
    CHECK(record.at("steps") == 20);
    CHECK(record.at("steps_asked") == 20);
    CHECK(record.at("stopped_by").is_null());
    CHECK(record.at("seed") == 1);
    CHECK(record.at("input").is_null());
    CHECK(record.at("restart").is_null());
    CHECK(record.at("time") == 20.0 / 128);
    CHECK(record.at("workers") == Json{{"cpu", 1}, {"cuda", 0}, {"opencl", 0}});
    CHECK(record.at("work").at("pairs") == 20 * 300 * 299);
    for (const std::string of_others : {"distribution", "masses", "leaves", "ndirect"}) {
        CHECK(record.at(of_others).is_null());
    }
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
    CHECK(Json::parse(folder.bytes("trace.json")).contains("traceEvents"));
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
    const auto exact = starfmm::read_particles(folder.file("double.hdf5")).particles;
    const auto single = starfmm::read_particles(folder.file("single.hdf5")).particles;
    double largest = 0;
    for (std::size_t i = 0; i < exact.size(); ++i) {
        largest = std::max(largest, std::abs(exact.bodies.x[0][i] - single.bodies.x[0][i]));
    }
    CHECK(largest > 0);
    CHECK(largest < 1e-5); // 10 steps of 1e-7 of accelerations below 100
}

TEST_CASE("nbody: the fast multipole method moves bodies as direct sums do") {
    const TemporaryFolder folder;
    const auto record_of = [&folder](const std::string& options) {
        const std::string json = folder.file("a.json");
        const ProgramResult run = nbody(
            "--ic galaxies --n 3000 --epsilon 0 --dt 1e-3 --steps 8 --cpus 2 --check 300 --json " +
            json + " " + options
        );
        CAPTURE(run.err);
        REQUIRE(run.exit_code == 0);
        return Json::parse(folder.bytes("a.json"));
    };
    const Json direct = record_of("");
    CHECK(direct.at("method") == "direct");
    for (const char* const unused :
         {"theta", "heavy_theta", "own_error", "why_direct", "reachable_tolerance", "team"}) {
        CAPTURE(unused);
        CHECK(direct.at(unused).is_null());
    }
    CHECK(direct.at("tolerance") == 1e-13); // that of its check
    CHECK(direct.at("work").at("pairs") == 8.0 * 3000 * 2999);
    for (const auto& asked :
         {std::pair("double", "1e-8"), std::pair("mixed", "1e-6"), std::pair("single", "1e-5")}) {
        const char* precision = asked.first;
        const char* text = asked.second;
        CAPTURE(precision);
        const double tolerance = std::stod(text);
        const Json fmm =
            record_of(std::string("--method fmm --precision ") + precision + " --tol " + text);
        CHECK(fmm.at("method") == "fmm");
        CHECK(fmm.at("method_asked") == "fmm");
        CHECK(fmm.at("tolerance") == tolerance);
        CHECK(fmm.at("order") >= 4);
        CHECK(fmm.at("theta") > 0);
        CHECK(fmm.at("heavy_theta").is_null()); // theta is for all boxes
        CHECK(fmm.at("pair_terms") == "by_distance");
        CHECK(fmm.at("leaf_size") >= 1);
        CHECK(fmm.at("roots") >= 4);
        CHECK(fmm.at("work").at("pairs").is_null());
        CHECK(fmm.at("error").at("median_rel") > 1e-15); // not all pairs
        CHECK(fmm.at("error").at("l2_rel") < 30 * tolerance);
        for (const char* const energy : {"start", "kinetic", "potential"}) {
            const double exact = direct.at("energy").at(energy);
            CHECK(
                std::abs(fmm.at("energy").at(energy).get<double>() - exact) <=
                tolerance * std::abs(direct.at("energy").at("potential").get<double>())
            );
        }
    }
}

TEST_CASE("nbody: a run of the fast multipole method reports, logs and goes on as if in one go") {
    const std::string fmm = "--n 6000 --seed 5 --method fmm --epsilon 0 --dt 1e-3 --tol 1e-5";
    const TemporaryFolder whole;
    const ProgramResult run = nbody(fmm + " --steps 9 --max-drift 1e-2" + files_in(whole));
    REQUIRE(run.exit_code == 0);
    CHECK(run.out.find("by an adaptive tree of ") != std::string::npos);
    CHECK(run.out.find("tolerance 1e-05") != std::string::npos);
    CHECK(run.out.find(" bodies/s") != std::string::npos);
    const TemporaryFolder parts;
    REQUIRE(nbody(fmm + " --steps 4" + files_in(parts)).exit_code == 0);
    const std::string restart = "--steps 9 --restart " + parts.file("run.hdf5");
    const ProgramResult other = nbody(restart + " --tol 1e-3" + files_in(parts));
    CHECK(other.exit_code == 2);
    CHECK(
        other.err == "nbody: error: --restart and --tol: " + parts.file("run.hdf5") +
                         " is of the fast multipole method, whose tolerance it keeps\n"
    );
    REQUIRE(nbody(restart + files_in(parts)).exit_code == 0);
    CHECK(parts.bytes("run.hdf5") == whole.bytes("run.hdf5"));
    CHECK(parts.bytes("run.csv") == whole.bytes("run.csv"));
}

TEST_CASE("nbody: a run by a tree keeps its energy, and goes on as if in one go") {
    const std::string tree =
        "--n 6000 --seed 5 --method tree --precision single --epsilon 0.05 --tol 5e-3";
    const TemporaryFolder whole;
    const std::string check = " --check 500 --max-drift 1e-3 --json " + whole.file("a.json");
    const ProgramResult run = nbody(tree + " --steps 9" + check + files_in(whole));
    CAPTURE(run.out);
    REQUIRE(run.exit_code == 0);
    CHECK(run.out.find("by an adaptive tree of ") != std::string::npos);
    const Json record = Json::parse(whole.bytes("a.json"));
    CHECK(record.at("own_error").is_null());
    CHECK(record.at("method") == "tree");
    CHECK(record.at("method_asked") == "tree");
    CHECK(record.at("order") == 4);
    CHECK(record.at("error").at("median_rel") > 1e-5); // not all pairs
    const TemporaryFolder parts;
    REQUIRE(nbody(tree + " --steps 4" + files_in(parts)).exit_code == 0);
    const std::string restart = "--steps 9 --restart " + parts.file("run.hdf5");
    REQUIRE(nbody(restart + files_in(parts)).exit_code == 0);
    CHECK(parts.bytes("run.hdf5") == whole.bytes("run.hdf5"));
    CHECK(parts.bytes("run.csv") == whole.bytes("run.csv"));
}

TEST_CASE("nbody: a tree's errors are relative to what attracted bodies a step before") {
    const std::string tree = "--n 6000 --seed 5 --method tree --epsilon 0.05 --own-error 1e-5";
    const TemporaryFolder whole;
    const std::string check = " --check 500 --tol 3e-4 --max-drift 1e-4 --json ";
    const ProgramResult run =
        nbody(tree + " --steps 4" + check + whole.file("a.json") + files_in(whole));
    CAPTURE(run.out);
    REQUIRE(run.exit_code == 0);
    CHECK(Json::parse(whole.bytes("a.json")).at("own_error") == 1e-5);
    // a restart sums once more by theta alone first: the same within the errors
    const std::string restart = "--steps 6 --max-drift 1e-4 --restart " + whole.file("run.hdf5");
    CHECK(nbody(restart + files_in(whole)).exit_code == 0);
}

TEST_CASE("nbody: auto is the method that is predicted to be the faster") {
    const TemporaryFolder folder;
    const auto method = [&folder](const std::string& options) {
        const std::string json =
            " --steps 0 --cpus 1 --method auto --json " + folder.file("a.json");
        REQUIRE(nbody(options + json).exit_code == 0);
        const Json record = Json::parse(folder.bytes("a.json"));
        CHECK(record.at("method_asked") == "auto");
        const Json& tuning = record.at("tuning");
        if (!tuning.at("fmm_s").is_null()) {
            const bool is_fmm = tuning.at("fmm_s") < tuning.at("direct_s");
            CHECK(record.at("method") == (is_fmm ? "fmm" : "direct"));
        }
        return record.at("method").get<std::string>();
    };
    CHECK(method("--n 50 --epsilon 0") == "direct");
    CHECK(method("--n 19000 --epsilon 0 --tol 1e-3") == "fmm");
    CHECK(method("--n 19000") == "direct"); // softened
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
    check_rejected("--n 1 --ic galaxies", "--n 1: too few bodies");
    check_rejected("--method fmm", "--method fmm and --epsilon 0.05: ");
    check_rejected("--method fast", "--method fast: must be fmm, direct, auto or tree");
    check_rejected("--own-error 1e-3", "--own-error: of a tree's sums: use --method tree");
    check_rejected("--method tree --own-error 2", "--own-error 2: must be in (0, 1)");
    check_rejected(
        "--method fmm --epsilon 0 --precision single --tol 1e-6",
        "--tol 1e-06: single precision reaches"
    );
    const std::string missing = folder.file("missing.hdf5");
    check_rejected("--restart " + missing, missing + ": cannot be read: No such file");
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

TEST_CASE("nbody: bodies of a periodic box are taken only as told, and their header is kept") {
    const TemporaryFolder folder;
    starfmm::Snapshot periodic;
    periodic.particles = starfmm::make_plummer(20, 1, 1);
    periodic.time = 0.1;
    periodic.header = {9, 4, 0.3, 0.7, 0.7};
    starfmm::write_snapshot(folder.file("periodic.hdf5"), periodic);
    const std::string input = "--steps 2 --dt 0.25 --input " + folder.file("periodic.hdf5");
    check_rejected(
        input, "/Header@BoxSize: is 4: sums over periodic images are not computed; --open takes it"
    );
    const std::string output = folder.file("open.hdf5");
    REQUIRE(nbody(input + " --open --snapshot " + output).exit_code == 0);
    const starfmm::Snapshot open = starfmm::read_snapshot(output);
    CHECK(open.header.box_size == 4);
    CHECK(open.header.redshift == 9);
    CHECK(open.header.hubble == 0.7);
    CHECK(open.time == 0.1 + 0.25 + 0.25);
    REQUIRE(nbody("--steps 3 --restart " + output + " --snapshot " + output).exit_code == 0);
    CHECK(starfmm::read_snapshot(output).header.box_size == 4);
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

TEST_CASE("nbody: SIGTERM and SIGINT end a run after a step, saved, to go on as if nothing was") {
    for (const int signal : {SIGTERM, SIGINT}) {
        const TemporaryFolder folder;
        const std::string files =
            " --cpus 1 --snapshot " + folder.file("run.hdf5") + " --log " + folder.file("run.csv");
        RunningProgram program("nbody", "--n 150 --seed 5 --steps 1000000 --gpus 0" + files);
        program.wait_until([&] { return n_lines(folder, "run.csv") > 7; });
        program.send(signal);
        const int status = program.wait();
        REQUIRE(WIFEXITED(status));
        CHECK(WEXITSTATUS(status) == 128 + signal);
        CHECK(folder.n_files() == 2);
        const auto step = starfmm::read_snapshot(folder.file("run.hdf5")).step;
        CHECK(step > 5);
        CHECK(step < 1'000'000);
        const std::string end = " --steps " + std::to_string(step + 20);
        REQUIRE(nbody("--restart " + folder.file("run.hdf5") + end + files).exit_code == 0);
        const TemporaryFolder whole;
        const std::string other =
            " --cpus 1 --snapshot " + whole.file("run.hdf5") + " --log " + whole.file("run.csv");
        REQUIRE(nbody("--n 150 --seed 5" + end + other).exit_code == 0);
        CHECK(folder.bytes("run.csv") == whole.bytes("run.csv"));
        const auto saved = starfmm::read_particles(folder.file("run.hdf5")).particles;
        const auto uncut = starfmm::read_particles(whole.file("run.hdf5")).particles;
        CHECK(saved.bodies.x == uncut.bodies.x);
    }
}

TEST_CASE("nbody: a second signal ends it at once") {
    const TemporaryFolder folder;
    RunningProgram program(
        "nbody",
        "--n 50000 --steps 1000 --gpus 0 --cpus 1 --log " + folder.file("run.csv") +
            " --snapshot " + folder.file("run.hdf5")
    );
    program.wait_until([&] { return n_lines(folder, "run.csv") >= 2; }); // in its first step
    program.send(SIGTERM);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    program.send(SIGTERM);
    const int status = program.wait();
    CHECK(WIFSIGNALED(status));
    CHECK(WTERMSIG(status) == SIGTERM);
    CHECK(folder.n_files() == 1); // no snapshot, not even half of one
}

TEST_CASE("nbody: a log that fills its disk is exit code 3, with the reason") {
    const TemporaryFolder folder;
    const std::string log = folder.file("run.csv");
    const ProgramResult full = run_program(
        "nbody",
        "--n 10 --steps 100000 --cpus 1 --gpus 0 --log " + log,
        "trap '' XFSZ; ulimit -f 256;" // in half kilobytes
    );
    CHECK(full.exit_code == 3);
    CHECK(full.err == "nbody: error: " + log + ": cannot be written: write: File too large\n");
    CHECK(folder.bytes("run.csv").size() == 256 * 512); // all that there was room for
    const ProgramResult device = nbody("--n 10 --steps 1 --log /dev/full");
    CHECK(device.exit_code == 3);
    CHECK(
        device.err.find("/dev/full: cannot be written: write: No space left on device") !=
        std::string::npos
    );
}

TEST_CASE("nbody: quiet runs print nothing, long ones in a log now and then") {
    const ProgramResult quiet = nbody("--n 100 --steps 3 --quiet --check 10 --heartbeat 1e-3");
    CHECK(quiet.exit_code == 0);
    CHECK(quiet.out.empty());
    CHECK(quiet.err.empty());
    const ProgramResult failed = nbody("--n 50 --steps 5 --dt 0.1 --max-drift 1e-9 --quiet");
    CHECK(failed.exit_code == 1);
    CHECK(failed.out.starts_with("check failed: "));
    CHECK(std::count(failed.out.begin(), failed.out.end(), '\n') == 1);
    const ProgramResult told = nbody("--n 2000 --steps 100 --heartbeat 0.05");
    CHECK(told.exit_code == 0);
    CHECK(told.err.find(" s: step ") != std::string::npos);
    CHECK(told.err.starts_with("nbody: 0 s: "));
    CHECK(nbody("--n 100 --steps 3").err.empty()); // a short one
}

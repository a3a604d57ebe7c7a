// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/trace/perfetto.hpp"
#include "tests/support/program.hpp"
#include "tests/support/traces.hpp"

#include <doctest/doctest.h>

namespace {

/// A file of the made-up trace.
std::string diamond_file(const TemporaryFolder& folder, const std::string& name) {
    const starfmm::Trace trace = diamond_trace();
    starfmm::write_perfetto(folder.file(name), trace, starfmm::analyse(trace));
    return folder.file(name);
}

ProgramResult tool(const std::string& arguments) {
    return run_program("starfmm-trace", arguments);
}

void check_rejected(const std::string& arguments, const std::string& message) {
    check_rejects("starfmm-trace", arguments, message, {});
}

} // namespace

TEST_CASE("starfmm-trace: prints the report of a trace") {
    const TemporaryFolder folder;
    const ProgramResult run = tool(diamond_file(folder, "a.json"));
    CHECK(run.exit_code == 0);
    CHECK(run.err.empty());
    CHECK(run.out.starts_with("4 tasks on 2 workers in 5.00 s, scheduler made_up\n"));
    CHECK(
        run.out.find("bound: 5.00 s (critical path 5.00 s, all workers always busy 4.00 s); the "
                     "run took 1.00 x that") != std::string::npos
    );
    CHECK(run.out.find("what to try next") != std::string::npos);
}

TEST_CASE("starfmm-trace: writes the formats that are asked for") {
    const TemporaryFolder folder;
    const std::string trace = diamond_file(folder, "a.json");
    const ProgramResult run =
        tool(trace + " --html " + folder.file("a.html") + " --text " + folder.file("a.txt"));
    CHECK(run.exit_code == 0);
    CHECK(run.out.empty());
    CHECK(folder.n_files() == 3);
    CHECK(folder.bytes("a.html").starts_with("<!DOCTYPE html>"));
    CHECK(folder.bytes("a.txt") == tool(trace).out);
}

TEST_CASE("starfmm-trace: compares two traces") {
    const TemporaryFolder folder;
    const std::string before = diamond_file(folder, "a.json");
    const ProgramResult run = tool("compare " + before + " " + diamond_file(folder, "b.json"));
    CHECK(run.exit_code == 0);
    CHECK(run.out.find("run                      5.00 s  5.00 s  x 1.00") != std::string::npos);
    CHECK(run.out.find("slower") == std::string::npos);
}

TEST_CASE("starfmm-trace: what cannot be read or understood is said in one line") {
    const TemporaryFolder folder;
    const std::string good = diamond_file(folder, "a.json");
    check_rejected("", "a trace is expected, a file that --trace FILE.json wrote");
    check_rejected("compare " + good, "compare: two traces are expected");
    check_rejected(good + " b.json", "'b.json': unexpected argument");
    check_rejected(good + " --foo", "--foo: unknown option; --help lists all");
    check_rejected("compare " + good + " " + good + " --text x", "--text: not with compare");
    check_rejected(
        good + " --html a --text a", "--text a: is the same file as --html a: choose another name"
    );
    for (const std::string output : {"--html", "--text"}) {
        check_rejected(
            good + " " + output + " " + good,
            output + " " + good + ": is the same file as the trace " + good
        );
    }
    check_rejected(folder.file("none.json"), "none.json: cannot be read: No such file");
    const std::string bytes = folder.bytes("a.json");
    const std::string cut = folder.file("cut.json", bytes.substr(0, bytes.size() / 2));
    check_rejected(cut, "cut.json: is cut off after ");
    check_rejected("compare " + good + " " + cut, "cut.json: is cut off after ");
    check_rejected(folder.file("other.json", "{}"), "other.json: is no trace of starfmm's");
    check_rejected(folder.file("b.npy", "\x93NUMPY"), "b.npy: is damaged, or no trace");
    check_rejected(good + " --html " + folder.file("no") + "/a", "--html " + folder.file("no"));
}

TEST_CASE("starfmm-trace: a run that is interrupted leaves the trace of what had ended") {
    for (const std::string driver : {"pyramid2d", "gravity"}) {
        const TemporaryFolder folder;
        const std::string trace = folder.file("run.json");
        const std::string few = driver == "gravity" ? "" : " --tune off";
        RunningProgram run(
            driver, "--n 2000 --gpus 0 --repeat 1000000 --heartbeat 0 --trace " + trace + few
        );
        std::this_thread::sleep_for(std::chrono::seconds(2));
        run.send(SIGTERM); // which no shell ignores in the background
        const int status = run.wait();
        CHECK(WIFSIGNALED(status));
        CHECK(WTERMSIG(status) == SIGTERM);
        CHECK(folder.n_files() == 1);
        CHECK(starfmm::read_trace(trace).tasks.size() > 0);
    }
}

TEST_CASE("starfmm-trace: reads what a driver wrote, and says the same as the driver's report") {
    const TemporaryFolder folder;
    const std::string trace = folder.file("run.json");
    const ProgramResult run =
        run_program("pyramid2d", "--n 3000 --gpus 0 --tune off --quiet --trace " + trace);
    REQUIRE(run.exit_code == 0);
    const ProgramResult report = tool(trace);
    CHECK(report.exit_code == 0);
    CHECK(report.out.find("m2l ") != std::string::npos);
    const starfmm::TraceAnalysis analysis = starfmm::analyse(starfmm::read_trace(trace));
    for (const starfmm::WorkerUse& use : analysis.workers) {
        CHECK(use.busy_s + use.total_idle() == doctest::Approx(analysis.makespan_s));
    }
}

// SPDX-License-Identifier: BSD-3-Clause
#include "core/config.hpp"
#include "schedulers/topology.hpp"
#include "tests/program.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <set>
#include <string>

using Json = nlohmann::json;

namespace {

ProgramResult pyramid2d(const std::string& arguments) {
    return run_program("pyramid2d", arguments);
}

void check_rejected(const std::string& arguments, const std::string& message) {
    check_rejects(
        "pyramid2d",
        arguments,
        message,
        {{"--output", "a.npy"}, {"--json", "a.json"}, {"--trace", "a.trace"}, {"--mesh", "a.svg"}}
    );
}

std::string npy(const std::string& type, const std::string& shape, std::size_t n_bytes) {
    std::string header =
        "{'descr': '" + type + "', 'fortran_order': False, 'shape': " + shape + ", }";
    header.resize(117, ' ');
    std::string bytes("\x93NUMPY\x01\x00", 8);
    return bytes + std::string("\x76\x00", 2) + header + "\n" + std::string(n_bytes, '\0');
}

std::set<std::string> keys(const Json& object) {
    std::set<std::string> names;
    for (const auto& item : object.items()) {
        names.insert(item.key());
    }
    return names;
}

Json record_of(const std::string& arguments, int exit_code = 0) {
    const TemporaryFolder folder;
    const ProgramResult run = pyramid2d(arguments + " --gpus 0 --json " + folder.file("a.json"));
    CAPTURE(run.err);
    REQUIRE(run.exit_code == exit_code);
    return Json::parse(folder.bytes("a.json"));
}

} // namespace

TEST_CASE("pyramid2d: the record has exactly the keys of the design") {
    const Json record =
        record_of("--n 3000 --check 100 --repeat 3 --warmup 1 --cpus 1 --ndirect 20");
    CHECK(keys(record) == std::set<std::string>{"driver",    "version",       "n",
                                                "m",         "kernel",        "method",
                                                "tuning",    "method_asked",  "precision",
                                                "tolerance", "order",         "theta",
                                                "levels",    "ndirect",       "groups",
                                                "workers",   "scheduler",     "tasks",
                                                "time_s",    "phase_s",       "work",
                                                "error",     "peak_rss_bytes"});
    CHECK(record.at("driver") == "pyramid2d");
    CHECK(record.at("version") == starfmm::version);
    CHECK(record.at("n") == 3000);
    CHECK(record.at("m") == 3000);
    CHECK(record.at("kernel") == "harmonic");
    CHECK(record.at("method") == "fmm");
    CHECK(record.at("precision") == "double");
    CHECK(record.at("workers") == Json{{"cpu", 1}, {"cuda", 0}, {"opencl", 0}});
    CHECK(keys(record.at("time_s")) == std::set<std::string>{"total", "topology", "evaluate"});
    for (const Json& times : record.at("time_s")) {
        CHECK(times.size() == 3);
    }
    for (int i = 0; i < 3; ++i) {
        const Json& times = record.at("time_s");
        const double parts =
            times.at("topology")[i].get<double>() + times.at("evaluate")[i].get<double>();
        CHECK(times.at("total")[i].get<double>() == doctest::Approx(parts));
    }
    CHECK(record.at("phase_s").contains("sort"));
    CHECK(record.at("phase_s").contains("p2p"));
    CHECK(record.at("work").contains("p2p_pairs"));
    CHECK(record.at("work").contains("m2l_shifts"));
    CHECK(keys(record.at("error")) == std::set<std::string>{"checked", "max_rel", "l2_rel"});
    CHECK(record.at("error").at("checked") == 100);
    CHECK(record.at("peak_rss_bytes").get<double>() > 1e6);
}

TEST_CASE("pyramid2d: the record says what was asked for") {
    const Json record =
        record_of("--n 500 --targets 70 --kernel log --method direct --precision single --tol 1e-4 "
                  "--distribution circle --scheduler eager --strengths complex");
    CHECK(record.at("m") == 70);
    CHECK(record.at("kernel") == "log");
    CHECK(record.at("method") == "direct");
    CHECK(record.at("precision") == "single");
    CHECK(record.at("tolerance") == 1e-4);
    CHECK(record.at("scheduler") == "eager");
    CHECK(record.at("error").is_null());
}

TEST_CASE("pyramid2d: by default the predicted times decide on the method") {
    const Json few = record_of("--n 100 --cpus 1 --tune off");
    CHECK(few.at("method_asked") == "auto");
    CHECK(few.at("method") == "direct");
    CHECK(few.at("tuning").at("costs") == "builtin");
    CHECK(few.at("tuning").at("direct_s") <= few.at("tuning").at("fmm_s"));
    const Json many = record_of("--n 15000 --cpus 1 --tune off");
    CHECK(many.at("method") == "fmm");
    CHECK(many.at("levels") > 0);
    CHECK(many.at("theta") >= 0.5);
    CHECK(many.at("tuning").at("fmm_s") < many.at("tuning").at("direct_s"));
    const Json given = record_of("--n 100 --cpus 1 --levels 1");
    CHECK(given.at("method") == "fmm");
    CHECK(given.at("tuning").at("costs") == "none");
}

TEST_CASE("pyramid2d: a check that fails is exit code 1, and says so") {
    const TemporaryFolder folder;
    // one term cannot give nine digits
    const ProgramResult run = pyramid2d(
        "--n 3000 --ndirect 20 --gpus 0 --order 1 --tol 1e-9 --check 50 --output " +
        folder.file("a.npy")
    );
    CHECK(run.exit_code == 1);
    CHECK(run.out.find("check failed: ") != std::string::npos);
    CHECK(run.err.empty());
    CHECK(folder.n_files() == 1); // the result is there all the same
}

TEST_CASE("pyramid2d: results come back in the user's order, by file") {
    const TemporaryFolder folder;
    const std::string input = folder.file("a.csv", "x,y,q\n0,0,1\n3,4,2\n");
    const ProgramResult run =
        pyramid2d("--kernel log --gpus 0 --input " + input + " --output " + folder.file("b.csv"));
    REQUIRE(run.exit_code == 0);
    const std::string text = folder.bytes("b.csv");
    CHECK(text.find("3.21887582486820") != std::string::npos); // 2 log 5
    CHECK(text.find("1.60943791243410") != std::string::npos);
    CHECK(text.find("3.2188") < text.find("1.6094"));
}

TEST_CASE("pyramid2d: values that are not finite are rejected") {
    const TemporaryFolder folder;
    check_rejected("--input " + folder.file("a.csv", "x,y,q\n0,0,1\n1,nan,1\n"), "a.csv");
    check_rejected("--input " + folder.file("b.csv", "x,y,q\n0,0,1\n1,1,inf\n"), "b.csv");
    check_rejected("--input " + folder.file("c.csv", "x,y,q\n-inf,0,1\n"), "c.csv");
    const std::string points = folder.file("d.csv", "x,y,q\n0,0,1\n");
    check_rejected(
        "--input " + points + " --target-input " + folder.file("e.csv", "x,y\n0,nan\n"), "e.csv"
    );
}

TEST_CASE("pyramid2d: files that are empty, truncated or of another kind are rejected") {
    const TemporaryFolder folder;
    const auto reject = [&](const std::string& name, const std::string& bytes) {
        check_rejected("--input " + folder.file(name, bytes), folder.file(name) + ":");
    };
    reject("a.npy", "");
    reject("a.csv", "");
    reject("header.csv", "x,y,q\n");
    reject("zero.npy", npy("<f8", "(0, 3)", 0));
    reject("short.npy", npy("<f8", "(4, 3)", 95));
    reject("magic.npy", "not an array");
    reject("type.npy", npy("<i8", "(4, 3)", 96));
    reject("shape.npy", npy("<f8", "(4, 7)", 224));
    reject("flat.npy", npy("<f8", "(12,)", 96));
    check_rejected("--input " + folder.file("none.npy"), folder.file("none.npy"));
}

TEST_CASE("pyramid2d: a bad line is named by its number") {
    const TemporaryFolder folder;
    const auto bad = folder.file("a.csv", "x,y,q\n0,0,1\n1,zero,1\n2,2,2\n");
    check_rejected("--input " + bad, bad + ":3: ");
    const auto few = folder.file("b.csv", "x,y,q\n0,0,1\n1,1\n");
    check_rejected("--input " + few, few + ":3: ");
}

TEST_CASE("pyramid2d: options out of range are named") {
    check_rejected("--n 0", "--n 0");
    check_rejected("--n=-5", "--n -5");
    check_rejected("--tol=-1e-6", "tol");
    check_rejected("--tol 0", "tol");
    check_rejected("--theta 0", "--theta 0: must be > 0, or auto");
    check_rejected("--theta=-1", "theta");
    check_rejected("--theta 1", "theta");
    check_rejected("--theta 1.5", "theta");
    check_rejected("--theta nan", "theta");
    check_rejected("--distribution square", "distribution 'square'");
    check_rejected("--scheduler fastest --n 10", "scheduler");
    check_rejected("--kernel gravity", "--kernel gravity");
    check_rejected("--groups 5", "groups");
    check_rejected("--levels 9 --n 100 --gpus 0", "levels = 9");
    check_rejected("--cpus 1000 --n 10 --gpus 0", "cpus = 1000");
    check_rejected("--no-such-option", "--no-such-option");
    if (starfmm::available_gpus() == 0) {
        check_rejected("--gpus 1 --n 10", "gpus = 1: this machine has 0 usable GPUs");
    }
}

TEST_CASE("pyramid2d: outputs that cannot be written are named before any work") {
    const TemporaryFolder folder;
    for (const std::string option : {"--output", "--json", "--trace", "--mesh"}) {
        const std::string path = folder.file("no") + "/a.npy";
        const ProgramResult run = pyramid2d("--n 10 " + option + " " + path);
        CHECK(run.exit_code == 2);
        CHECK(run.err.find(option + " " + path + ": cannot be written") != std::string::npos);
    }
    const ProgramResult full = pyramid2d("--n 100 --gpus 0 --json /dev/full");
    CHECK(full.exit_code == 2);
    CHECK(full.err.find("/dev/full") != std::string::npos);
    CHECK(folder.n_files() == 0);
}

TEST_CASE("pyramid2d: every output is written") {
    const TemporaryFolder folder;
    const ProgramResult run = pyramid2d(
        "--n 2000 --ndirect 20 --gpus 0 --output " + folder.file("a.npy") + " --json " +
        folder.file("a.json") + " --trace " + folder.file("a.trace") + " --mesh " +
        folder.file("a.svg")
    );
    CHECK(run.exit_code == 0);
    CHECK(run.err.empty());
    CHECK(folder.n_files() == 4);
    CHECK(folder.bytes("a.npy").size() == 128 + 2000 * 16);
    CHECK(Json::parse(folder.bytes("a.trace")).at("traceEvents").size() > 10);
    CHECK(folder.bytes("a.svg").starts_with("<svg"));
    CHECK(run.out.find("\033") == std::string::npos); // no progress line into files
}

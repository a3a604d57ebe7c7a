// SPDX-License-Identifier: BSD-3-Clause
#include "core/config.hpp"
#include "schedulers/runtime/machine.hpp"
#include "tests/support/program.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>
#include <sched.h>

#include <cstdlib>
#include <filesystem>
#include <set>
#include <string>

namespace fs = std::filesystem;

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
        {{"--output", "a.npy"},
         {"--json", "a.json"},
         {"--trace", "trace.json"},
         {"--mesh", "a.svg"}}
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

TEST_CASE("pyramid2d: a name that is no UTF-8 has its place in the record") {
    const TemporaryFolder folder;
    const std::string output = folder.file("a\xff.npy");
    const Json record =
        record_of("--n 100 --tune off --output '" + output + "' --distribution normal");
    CHECK(record.at("n") == 100);
    CHECK(std::filesystem::file_size(output) > 1600);
    const std::string input = folder.file("b\xff.csv", "x,y,q\n0,0,1\n1,0,2\n");
    const std::string name = record_of("--input '" + input + "' --tune off").at("input");
    CHECK(name == folder.file("b\xEF\xBF\xBD.csv")); // the sign for what cannot be written
}

TEST_CASE("pyramid2d: the record has exactly the keys of the design") {
    const Json record =
        record_of("--n 3000 --check 100 --repeat 3 --warmup 1 --cpus 1 --leaf-size 20");
    const std::set<std::string> wanted{
        "driver",
        "version",
        "n",
        "m",
        "kernel",
        "gradient",
        "right_hand_sides",
        "method",
        "tuning",
        "precision",
        "tolerance",
        "method_asked",
        "theta_asked",
        "order",
        "theta",
        "pair_terms",
        "levels",
        "ndirect",
        "roots",
        "leaf_size",
        "leaves",
        "tree",
        "groups",
        "chunks",
        "workers",
        "scheduler",
        "team",
        "tasks",
        "time_s",
        "phase_s",
        "work",
        "error",
        "gradient_error",
        "distribution",
        "sigma",
        "seed",
        "input",
        "target_input",
        "strengths",
        "sign",
        "peak_rss_bytes",
        "reachable_tolerance"};
    CHECK(keys(record) == wanted);
    CHECK(record.at("driver") == "pyramid2d");
    CHECK(record.at("version") == starfmm::version);
    CHECK(record.at("n") == 3000);
    CHECK(record.at("m") == 3000);
    CHECK(record.at("kernel") == "harmonic2d");
    CHECK(record.at("method") == "fmm");
    CHECK(record.at("precision") == "double");
    CHECK(record.at("workers") == Json{{"cpu", 1}, {"cuda", 0}, {"opencl", 0}});
    CHECK(record.at("team").is_null());
    CHECK(record.at("reachable_tolerance") <= 1e-6);
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
    CHECK(
        keys(record.at("error")) ==
        std::set<std::string>{"checked", "median_rel", "p99_rel", "max_rel", "l2_rel"}
    );
    CHECK(record.at("error").at("checked") == 100);
    CHECK(record.at("peak_rss_bytes").get<double>() > 1e6);
}

TEST_CASE("pyramid2d: the record says what was asked for") {
    const Json record = record_of(
        "--n 20000 --targets 70 --kernel log2d --method direct --precision single --tol 1e-4 "
        "--distribution circle --scheduler eager --strengths complex"
    );
    CHECK(record.at("m") == 70);
    CHECK(record.at("kernel") == "log2d");
    CHECK(record.at("method") == "direct");
    CHECK(record.at("precision") == "single");
    CHECK(record.at("tolerance") == 1e-4);
    CHECK(record.at("scheduler") == "eager");
    CHECK(record.at("error").is_null());
    CHECK(record.at("distribution") == "circle");
    CHECK(record.at("sigma").is_null()); // of no effect on a circle
    CHECK(record.at("seed") == 1);
    CHECK(record.at("strengths") == "complex");
    CHECK(record.at("sign") == "random");
    CHECK(record.at("theta_asked").is_null());
    CHECK(record.at("chunks") == 1);
    CHECK(record.at("tuning").at("fmm_s").is_null()); // nothing was to be predicted
    CHECK(record.at("tuning").at("direct_s").is_null());
}

TEST_CASE("pyramid2d: a kernel's former name serves with a note") {
    const ProgramResult run = pyramid2d("--n 10 --kernel log --gpus 0 --tune off");
    CHECK(run.exit_code == 0);
    CHECK(run.err == "note: --kernel log is called log2d now\n");
    CHECK(run.out.find("pyramid2d: log2d: ") != std::string::npos);
    CHECK(pyramid2d("--n 10 --kernel log --gpus 0 --quiet").err.empty());
}

TEST_CASE("pyramid2d: the record names files, and what was asked of points and boxes") {
    const Json made =
        record_of("--n 5000 --distribution layer --sigma 0.2 --seed 7 --theta 0.6 --levels 3 "
                  "--chunks 4");
    CHECK(made.at("sigma") == 0.2);
    CHECK(made.at("seed") == 7);
    CHECK(made.at("theta_asked") == 0.6);
    CHECK(made.at("chunks") == 4);
    CHECK(made.at("input").is_null());
    const TemporaryFolder folder;
    const std::string sources = folder.file("a.csv", "x,y,q\n0,0,1\n3,4,2\n");
    const std::string targets = folder.file("b.csv", "x,y\n1,1\n");
    const Json read = record_of("--input " + sources + " --target-input " + targets);
    CHECK(read.at("input") == sources);
    CHECK(read.at("target_input") == targets);
    for (const char* const key : {"distribution", "sigma", "strengths", "sign"}) {
        CHECK(read.at(key).is_null());
    }
}

TEST_CASE("pyramid2d: the record names the workers and the policy that really ran") {
    const std::string small = "--n 3000 --tune off --gpus 0 --json ";
    const TemporaryFolder folder;
    const auto record = [&](const std::string& options, const std::string& environment) {
        const ProgramResult run =
            run_program("pyramid2d", small + folder.file("a.json") + options, environment);
        CAPTURE(run.err);
        REQUIRE(run.exit_code == 0);
        return Json::parse(folder.bytes("a.json"));
    };
    CHECK(record("", "STARPU_NCPU=1").at("workers").at("cpu") == 1);
    CHECK(record("", "STARPU_SCHED=eager").at("scheduler") == "eager");
    CHECK(record(" --scheduler dmda", "STARPU_SCHED=eager").at("scheduler") == "dmda");
    CHECK(record(" --cpus 1", "STARPU_NCPU=2 STARPU_RESERVE_NCPU=1").at("workers").at("cpu") == 1);
    const int cores = starfmm::available_cores();
    if (cores > 1) {
        const Json reserved = record("", "STARPU_RESERVE_NCPU=1");
        CHECK(reserved.at("workers").at("cpu") <= cores - 1);
    }
}

TEST_CASE("pyramid2d: bound to one core it starts one worker, which shares it with none") {
    cpu_set_t allowed;
    REQUIRE(sched_getaffinity(0, sizeof allowed, &allowed) == 0);
    int cpu = 0;
    while (!CPU_ISSET(cpu, &allowed)) {
        ++cpu;
    }
    const TemporaryFolder folder;
    const ProgramResult run = run_program(
        "pyramid2d",
        "--n 3000 --tune off --gpus 0 --json " + folder.file("a.json"),
        "env -u STARPU_WORKERS_NOBIND STARPU_SILENT=0 taskset -c " + std::to_string(cpu)
    );
    REQUIRE(run.exit_code == 0);
    CHECK(Json::parse(folder.bytes("a.json")).at("workers").at("cpu") == 1);
    CHECK(run.err.find("already bound") == std::string::npos);
    CHECK(run.err.find("degrade performance") == std::string::npos);
}

TEST_CASE("pyramid2d: a user without a home that can be written runs all the same") {
    const TemporaryFolder folder;
    const ProgramResult run = run_program(
        "pyramid2d",
        "--n 30000 --gpus 0 --cpus 1 --check 10",
        "env -u XDG_CACHE_HOME -u STARPU_HOME -u STARFMM_CACHE_DIR HOME=/proc TMPDIR=" +
            folder.file("")
    );
    CAPTURE(run.err);
    CHECK(run.exit_code == 0);
    CHECK(run.err.find("note: /proc/.starpu/sampling: cannot be written; ") != std::string::npos);
    CHECK(run.err.find(folder.file("")) != std::string::npos); // where they are instead
    CHECK(folder.n_files() == 1);
}

TEST_CASE("pyramid2d: a run that lacks memory ends, with exit code 3, however little there is") {
#ifdef __SANITIZE_ADDRESS__
    MESSAGE("skipped: the sanitizer takes all addresses itself");
#else
    const auto run = [](const std::string& n, int mebibytes) {
        return run_program(
            "pyramid2d",
            "--tune off --method fmm --gpus 0 --cpus 1 --heartbeat 0 --n " + n,
            "ulimit -v " + std::to_string(1024 * mebibytes) + "; timeout 100"
        );
    };
    int base = 300; // what the libraries alone take
    while (base < 10'000 && run("100", base).exit_code != 0) {
        base += 20;
    }
    int n_refused = 0;
    int n_failed = 0;
    for (int more = 0; more <= 240; more += 20) {
        CAPTURE(base + more);
        const ProgramResult result = run("1e6", base + more);
        CAPTURE(result.err);
        CHECK((result.exit_code == 0 || result.exit_code == 3));
        n_refused += result.err.find("the plan's arrays take ") != std::string::npos ? 1 : 0;
        n_failed += result.err.find("error: out of memory") != std::string::npos ? 1 : 0;
    }
    CHECK(n_refused > 0); // before any work
    CHECK(n_failed > 0);  // on the way
#endif
}

TEST_CASE("pyramid2d: quiet runs print nothing but failed checks") {
    const ProgramResult run =
        pyramid2d("--n 2000 --gpus 0 --quiet --check 10 --heartbeat 1e-3 --repeat 20");
    CHECK(run.exit_code == 0);
    CHECK(run.out.empty());
    CHECK(run.err.empty());
    const ProgramResult failed =
        pyramid2d("--n 3000 --leaf-size 20 --gpus 0 --order 1 --tol 1e-9 --check 50 --quiet");
    CHECK(failed.exit_code == 1);
    CHECK(failed.out.starts_with("check failed: "));
}

TEST_CASE("pyramid2d: in a log, long runs say what they do") {
    const ProgramResult run = pyramid2d("--n 1e5 --tune off --gpus 0 --repeat 5 --heartbeat 0.01");
    CHECK(run.exit_code == 0);
    CHECK(run.err.starts_with("pyramid2d: 0 s: "));
    CHECK(run.err.find(" s: run 1 of 5\n") != std::string::npos);
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

TEST_CASE("pyramid2d: several right-hand sides are read, checked, recorded and written") {
    const TemporaryFolder folder;
    const ProgramResult made = pyramid2d(
        "--n 3000 --rhs 5 --gpus 0 --levels 3 --tol 1e-8 --check 100 --output " +
        folder.file("a.npy") + " --json " + folder.file("a.json")
    );
    CHECK(made.exit_code == 0);
    CHECK(made.out.find("5 right-hand sides") != std::string::npos);
    CHECK(
        folder.bytes("a.npy").find("'<c16', 'fortran_order': False, 'shape': (3000, 5)") !=
        std::string::npos
    );
    const Json record = Json::parse(folder.bytes("a.json"));
    CHECK(record.at("right_hand_sides") == 5);
    CHECK(record.at("error").at("max_rel") <= 1e-8);
    // two points one apart: each right-hand side scales the one before
    const std::string input = folder.file("b.csv", "x,y,q1,q2\n0,0,1,10\n1,0,2,20\n");
    const ProgramResult read =
        pyramid2d("--input " + input + " --rhs 2 --gpus 0 --output " + folder.file("b_out.csv"));
    CHECK(read.exit_code == 0);
    CHECK(folder.bytes("b_out.csv").starts_with("phi1_re,phi1_im,phi2_re,phi2_im\n2,"));
    CHECK(folder.bytes("b_out.csv").find(",20,") != std::string::npos);
    // a check that one of them fails
    const ProgramResult coarse =
        pyramid2d("--n 3000 --rhs 3 --gpus 0 --levels 3 --order 3 --tol 1e-6 --check 100");
    CHECK(coarse.exit_code == 1);
    check_rejected("--n 10 --rhs 0", "--rhs 0: must be >= 1");
    check_rejected("--n 10 --rhs 65", "--rhs 65: must be <= 64");
    check_rejected("--input " + input + " --rhs 3", "x,y,q1,q2,q3");
}

TEST_CASE("pyramid2d: gradients are checked, recorded and written") {
    const TemporaryFolder folder;
    const ProgramResult run = pyramid2d(
        "--n 3000 --kernel log2d --gradient --gpus 0 --levels 3 --tol 1e-8 --check 100 --output " +
        folder.file("a.npy") + " --json " + folder.file("a.json")
    );
    CHECK(run.exit_code == 0);
    CHECK(run.out.find("error of the gradient against exact sums") != std::string::npos);
    CHECK(folder.bytes("a.npy").find("'shape': (3000, 3)") != std::string::npos);
    CHECK(folder.bytes("a.npy").size() == 128 + 3000 * 3 * 8);
    const Json record = Json::parse(folder.bytes("a.json"));
    CHECK(record.at("gradient") == true);
    CHECK(record.at("gradient_error").at("l2_rel") <= 1e-8);
    CHECK(record.at("gradient_error").at("l2_rel") > 0);
    const ProgramResult csv =
        pyramid2d("--n 5 --kernel log2d --gradient --gpus 0 --output " + folder.file("a.csv"));
    CHECK(csv.exit_code == 0);
    CHECK(folder.bytes("a.csv").starts_with("phi,phi_x,phi_y\n"));
    // gradients alone can fail the check
    const ProgramResult coarse = pyramid2d(
        "--n 3000 --kernel log2d --gradient --gpus 0 --levels 3 --order 3 --tol 1e-5 --check 100"
    );
    CHECK(coarse.exit_code == 1);
}

TEST_CASE("pyramid2d: a check that fails is exit code 1, and says so") {
    const TemporaryFolder folder;
    // one term cannot give nine digits
    const ProgramResult run = pyramid2d(
        "--n 3000 --leaf-size 20 --gpus 0 --order 1 --tol 1e-9 --check 50 --output " +
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
        pyramid2d("--kernel log2d --gpus 0 --input " + input + " --output " + folder.file("b.csv"));
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
    const std::string no_kernel = ": no kernel has this name: ";
    const std::string there_are = "there are log2d and harmonic2d";
    check_rejected("--kernel gravity", "--kernel gravity" + no_kernel + there_are);
    check_rejected("--kernel log2", no_kernel + "did you mean log2d?; " + there_are);
    check_rejected("--groups 5", "groups");
    check_rejected("--levels 9 --n 100 --gpus 0", "--levels 9");
    check_rejected("--cpus 1000 --n 10 --gpus 0", "--cpus 1000");
    check_rejected("--no-such-option", "--no-such-option");
    check_rejected("--n 10 --gradient", "--gradient: --kernel harmonic2d has none");
    check_rejected(
        "--n 10 --kernel log2d --gradient --strengths complex", "--gradient: needs real strengths"
    );
    if (starfmm::available_gpus() == 0) {
        check_rejected("--gpus 1 --n 10", "--gpus 1: this machine has 0 usable GPUs");
        check_rejected("--cpus 0 --n 10", "--cpus 0: no worker is left, since no usable GPU");
    }
}

TEST_CASE("pyramid2d: outputs that cannot be written are named before any work") {
    const TemporaryFolder folder;
    for (const std::string option : {"--output", "--json", "--trace", "--mesh"}) {
        const std::string path = folder.file("no") + (option == "--output" ? "/a.npy" : "/a.json");
        const ProgramResult run = pyramid2d("--n 10 " + option + " " + path);
        CHECK(run.exit_code == 2);
        CHECK(run.err.find(option + " " + path + ": cannot be written") != std::string::npos);
    }
    const ProgramResult full = pyramid2d("--n 100 --gpus 0 --json /dev/full");
    CHECK(full.exit_code == 3);
    CHECK(full.err.find("/dev/full: cannot be written: write: No space left") != std::string::npos);
    const std::string to_full =
        "'" + path_of_program("pyramid2d") + "' --n 100 --gpus 0 >/dev/full";
    const int status = std::system((to_full + " 2>" + folder.file("err")).c_str());
    REQUIRE(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 3);
    CHECK(folder.bytes("err").find("standard output: cannot be written") != std::string::npos);
    std::filesystem::remove(folder.file("err"));
    CHECK(folder.n_files() == 0);
}

TEST_CASE("pyramid2d: every output is written") {
    const TemporaryFolder folder;
    const ProgramResult run = pyramid2d(
        "--n 2000 --leaf-size 20 --gpus 0 --output " + folder.file("a.npy") + " --json " +
        folder.file("a.json") + " --trace " + folder.file("trace.json") + " --mesh " +
        folder.file("a.svg")
    );
    CHECK(run.exit_code == 0);
    CHECK(run.err.empty());
    CHECK(folder.n_files() == 4);
    CHECK(folder.bytes("a.npy").size() == 128 + 2000 * 16);
    CHECK(Json::parse(folder.bytes("trace.json")).at("traceEvents").size() > 10);
    CHECK(folder.bytes("a.svg").starts_with("<svg"));
    CHECK(run.out.find('\033') == std::string::npos); // no progress line into files
}

TEST_CASE(
    "pyramid2d: starts where a full disk left StarPU's files empty, wherever it looks for them"
) {
    const TemporaryFolder folder;
    const auto run = [&](const std::string& variable) {
        const std::string elsewhere = "XDG_CACHE_HOME='" + folder.file("none") + "' ";
        const std::string here = variable + "='" + folder.file(variable) + "'";
        return run_program("pyramid2d", "--n 100 --cpus 1 --quiet", elsewhere + here);
    };
    for (const char* const variable : {"XDG_CACHE_HOME", "STARPU_PERF_MODEL_DIR"}) {
        CHECK(run(variable).exit_code == 0); // which measures
        std::size_t n_files = 0;
        for (const auto& file : fs::recursive_directory_iterator(folder.file(variable))) {
            if (file.is_regular_file()) {
                fs::resize_file(file.path(), 0);
                ++n_files;
            }
        }
        CAPTURE(variable);
        CHECK(n_files > 3);
        const ProgramResult again = run(variable);
        CHECK(again.exit_code == 0);
        CHECK(again.err.empty());
    }
}

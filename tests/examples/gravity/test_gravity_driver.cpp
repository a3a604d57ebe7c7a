// SPDX-License-Identifier: BSD-3-Clause
#include "core/io/npy.hpp"
#include "tests/support/program.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <string>
#include <tuple>
#include <utility>

using Json = nlohmann::json;

namespace {

ProgramResult gravity(const std::string& arguments) {
    return run_program("gravity", "--gpus 0 " + arguments);
}

void check_rejected(const std::string& arguments, const std::string& message) {
    check_rejects("gravity", "--gpus 0 " + arguments, message, {{"--json", "a.json"}});
}

/// A run that has to go well, and its record.
struct RecordedRun {
    ProgramResult run;
    Json record;
};

RecordedRun recorded(const std::string& arguments) {
    const TemporaryFolder folder;
    const ProgramResult run = gravity(arguments + " --json " + folder.file("a.json"));
    CAPTURE(arguments);
    CAPTURE(run.out);
    CAPTURE(run.err);
    REQUIRE(run.exit_code == 0);
    return {run, Json::parse(folder.bytes("a.json"))};
}

bool tells(const RecordedRun& run, const std::string& text) {
    return run.run.out.find(text) != std::string::npos;
}

const std::string two_bodies = "x,y,z,m\n0,0,0,1\n3,4,0,50\n";

} // namespace

TEST_CASE("gravity_driver: the check passes in every precision and for every distribution") {
    const std::string direct = "--n 2001 --check 100 --potential yes --masses random";
    for (const std::string precision :
         {" --precision double", " --precision single", " --precision mixed"}) {
        for (const std::string name : {"plummer", "uniform", "lattice"}) {
            const RecordedRun run = recorded(direct + precision + " --distribution " + name);
            CHECK(tells(run, "exact sums at 100 targets"));
        }
    }
    const std::string tree = "--method tree --n 20001 --check 500 --tol 1e-3 --tol99 2e-2";
    for (const std::string precision : {" --precision double", " --precision single"}) {
        for (const std::string name : {"plummer", "uniform", "normal"}) {
            const RecordedRun run = recorded(tree + precision + " --distribution " + name);
            CHECK(tells(run, "exact sums at 500 targets"));
        }
    }
}

TEST_CASE("gravity_driver: a check that fails is exit code 1, and says so") {
    const ProgramResult tree =
        gravity("--method tree --n 5000 --check 50 --order 1 --tol 1e-4 --tol99 1e-3 --quiet");
    CHECK(tree.exit_code == 1);
    CHECK(tree.out.starts_with("check failed: median error "));
    CHECK(tree.out.find("\ncheck failed: 99th percentile error ") != std::string::npos);
}

TEST_CASE("gravity_driver: an order of one's own is judged by what it should reach") {
    for (const std::string order : {"1", "4", "8"}) {
        static_cast<void>(recorded(
            "--method tree --n 20000 --check 500 --theta 0.547 --leaf-size 30 --order " + order
        ));
    }
}

TEST_CASE("gravity_driver: the record says what was asked for and what came of it") {
    const TemporaryFolder folder;
    const std::string common =
        "--n 3000 --epsilon 0.25 --g 2 --repeat 3 --warmup 1 --cpus 1 --check 10 --trace " +
        folder.file("trace.json");
    const RecordedRun run =
        recorded(common + " --precision mixed --target-block 1000 --source-block 2000");
    CHECK_FALSE(tells(run, "error of the potential"));
    CHECK(Json::parse(folder.bytes("trace.json")).at("traceEvents").size() > 6);
    const Json& direct = run.record;
    const Json tree = recorded(
                          common + " --method tree --precision double --order 3 --tol 0.1 --theta "
                                   "0.6 --leaf-size 17 --groups 8"
    )
                          .record;
    CHECK(Json::parse(folder.bytes("trace.json")).contains("traceEvents"));
    for (const Json& each : {direct, tree}) {
        CHECK(each.at("driver") == "gravity");
        CHECK(each.at("n") == 3000);
        CHECK(each.at("epsilon") == 0.25);
        CHECK(each.at("softening") == "plummer");
        CHECK(each.at("g") == 2);
        CHECK(each.at("time_s").at("total").size() == 3);
        CHECK(each.at("error").at("checked") == 10);
        CHECK(each.at("error").at("median_rel") > 0);
        CHECK(each.at("error").at("p99_rel") >= each.at("error").at("median_rel"));
        CHECK(each.at("distribution") == "plummer");
        CHECK(each.at("sigma") == 0.1);
        CHECK(each.at("seed") == 1);
        CHECK(each.at("masses") == "equal");
        CHECK(each.at("input").is_null());
    }
    CHECK(direct.at("method") == "direct");
    CHECK(direct.at("why_direct").is_null()); // it was asked for
    CHECK(direct.at("own_error").is_null());
    CHECK(direct.at("team").is_null()); // workers are of one kind
    CHECK(direct.at("precision") == "mixed");
    CHECK(direct.at("potential") == false);
    CHECK(direct.at("tasks") == 6); // three blocks of targets, two of sources
    CHECK(direct.at("work").at("p2p_pairs") == 9e6);
    CHECK(direct.at("phase_s").contains("direct"));
    CHECK(direct.at("potential_error").is_null()); // there are none
    CHECK(direct.at("summation") == "any");
    CHECK(direct.at("time_s").at("topology").is_null()); // in the time to evaluate
    CHECK(tree.at("method") == "tree");
    CHECK(tree.at("why_direct").is_null());
    CHECK(tree.at("heavy_theta").is_null()); // the theta given is for all boxes
    CHECK(tree.at("own_error").is_null());
    CHECK(tree.at("precision") == "double");
    CHECK(tree.at("potential") == true);
    CHECK(tree.at("order") == 3);
    CHECK(tree.at("theta") == 0.6);
    CHECK(tree.at("leaf_size") == 17);
    CHECK(tree.at("work").at("m2l_shifts") > 0);
    CHECK(tree.at("potential_error").at("max_rel") > 0);
}

TEST_CASE("gravity_driver: sums softened by a spline are checked and recorded as such") {
    const RecordedRun run =
        recorded("--method tree --n 5000 --epsilon 0.05 --softening spline --tol 3e-3 --check 500");
    CHECK(tells(run, "single precision"));
    CHECK(run.record.at("softening") == "spline");
}

TEST_CASE("gravity_driver: bodies of a file may have softening lengths of their own") {
    const TemporaryFolder folder;
    std::string bodies = "x,y,z,m,epsilon\n";
    for (int i = 0; i < 3000; ++i) {
        const auto place = [i](int by) { return std::to_string(i * by % 3001 / 3001.0); };
        const std::string epsilon = std::to_string(std::pow(10.0, -1 - i % 5));
        bodies += place(7) + "," + place(53) + "," + place(1117) + ",1," + epsilon + "\n";
    }
    const std::string input = " --input " + folder.file("in.csv", bodies);
    for (const std::string method : {"direct", "tree", "automatic"}) {
        const RecordedRun run =
            recorded("--method " + method + " --check 300 --potential yes" + input);
        CHECK(tells(run, "double precision"));
        CHECK(run.record.at("softening") == "spline");
        CHECK(run.record.at("epsilon").is_null());
    }
    check_rejected("--epsilon 0.1" + input, "--epsilon: the bodies of --input have");
    check_rejected("--precision single" + input, "--precision single: the bodies of --input");
    check_rejected(
        "--method tree --softening plummer" + input, "--softening plummer: the bodies of --input"
    );
    const std::string bad = folder.file("bad.csv", "x,y,z,m,epsilon\n1,2,3,4,0\n4,5,6,7,-2\n");
    check_rejected("--input " + bad, bad + ": epsilon[1] = -2: must not be negative");
}

TEST_CASE("gravity_driver: results come back in the user's order, by file") {
    const TemporaryFolder folder;
    const std::string input = folder.file("in.csv", two_bodies);
    for (const std::string method : {"direct", "tree"}) {
        const ProgramResult run = gravity(
            "--method " + method + " --precision double --epsilon 0 --potential yes --input " +
            input + " --output " + folder.file("out.npy")
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
}

TEST_CASE("gravity_driver: results at targets come in their order, by file") {
    const TemporaryFolder folder;
    const std::string files = "--input " + folder.file("in.csv", two_bodies) + " --target-input " +
                              folder.file("where.csv", "x,y,z\n0,0,0\n6,8,0\n3,4,1\n") +
                              " --output " + folder.file("out.npy");
    for (const std::string method : {"direct", "tree", "automatic"}) {
        const RecordedRun run = recorded(
            "--method " + method + " --precision double --epsilon 0 --potential yes --check 3 " +
            files
        );
        CHECK(tells(run, "2 sources, 3 targets"));
        CHECK(tells(run, "exact sums at 3 targets"));
        CHECK(run.record.at("n") == 2);
        CHECK(run.record.at("m") == 3);
        CHECK(run.record.at("error").at("checked") == 3);
        CHECK(run.record.at("target_input") == folder.file("where.csv"));
        const auto columns = starfmm::read_npy(folder.file("out.npy"), {{"ax", "ay", "az", "phi"}});
        REQUIRE(columns[0].size() == 3);
        CHECK(columns[0][0] == doctest::Approx(50 * 3.0 / 125)); // the body there does not act
        CHECK(columns[3][0] == doctest::Approx(-10));
        CHECK(columns[0][1] == doctest::Approx(-6.0 / 1000 - 50 * 3.0 / 125));
        CHECK(columns[3][1] == doctest::Approx(-0.1 - 10));
        CHECK(columns[2][2] == doctest::Approx(-1 / std::pow(26, 1.5) - 50));
    }
}

TEST_CASE("gravity_driver: sums at random targets are checked, directly and by a tree") {
    for (const auto& [given, method] :
         {std::pair("--method tree --n 9000 --targets 4001 --softening spline --tol 3e-3", "tree"),
          {"--method tree --n 4001 --targets 9000 --precision double --tol 1e-4", "tree"},
          {"--method tree --n 9000 --targets 40", "direct"},
          {"--method automatic --n 9000 --targets 4001", "tree"},
          {"--method automatic --n 9000 --targets 40", "direct"},
          {"--method direct --n 900 --targets 2001 --precision single", "direct"},
          {"--method direct --n 900 --targets 2001 --precision mixed", "direct"}}) {
        const std::string arguments = given;
        CAPTURE(arguments);
        const RecordedRun run = recorded(arguments + " --check 300");
        CHECK(run.record.at("method") == method);
        CHECK(tells(run, "exact sums at 300 targets") != tells(run, "sums at 40 targets"));
    }
    const RecordedRun few = recorded("--method auto --n 9000 --targets 40");
    CHECK(few.record.at("why_direct") == "fewer than 2048 squared pairs");
    CHECK(few.record.at("work").at("p2p_pairs") == 36e4);
}

TEST_CASE("gravity_driver: potentials are there by default of a tree, and where asked for") {
    const TemporaryFolder folder;
    const std::string all =
        "--input " + folder.file("in.csv", two_bodies) + " --output " + folder.file("out.csv");
    for (const auto& [given, head] :
         {std::pair("", "ax,ay,az\n"),
          {"--method direct --potential yes ", "ax,ay,az,phi\n"},
          {"--method tree ", "ax,ay,az,phi\n"},
          {"--method tree --potential no ", "ax,ay,az\n"},
          {"--method automatic ", "ax,ay,az,phi\n"},
          {"--method automatic --potential no ", "ax,ay,az\n"}}) {
        const std::string arguments = given;
        CAPTURE(arguments);
        REQUIRE(gravity(arguments + all).exit_code == 0);
        CHECK(folder.bytes("out.csv").starts_with(head));
    }
}

TEST_CASE("gravity_driver: a finer precision takes over where the one that is named misses --tol") {
    for (const auto& [given, precision] :
         {std::pair("--n 500 --precision single --tol 1e-12", "double"),
          {"--method tree --n 3000 --precision mixed --tol 1e-7", "double"},
          {"--method direct --n 900 --targets 2001 --precision single", "mixed"}}) {
        const std::string arguments = given;
        CAPTURE(arguments);
        const RecordedRun run = recorded(arguments + " --check 50");
        CHECK(run.record.at("precision") == precision);
        CHECK(run.run.err.starts_with(std::string("note: ") + precision + " precision: "));
    }
}

TEST_CASE("gravity_driver: errors of potentials are told where there are some") {
    const TemporaryFolder folder;
    const std::string input = folder.file("in.csv", two_bodies);
    const RecordedRun run = recorded("--potential yes --check 2 --cpus 1 --input " + input);
    CHECK(tells(run, "error of the potential against exact sums at 2 targets"));
    CHECK(run.record.at("potential_error").at("max_rel").is_number());
    CHECK(run.record.at("input") == input);
    CHECK(run.record.at("distribution").is_null());
    CHECK(run.record.at("masses").is_null());
}

TEST_CASE("gravity_driver: nothing is printed where all is quiet") {
    for (const std::string method : {"direct", "tree --ncrit 20", "automatic"}) {
        const ProgramResult quiet =
            gravity("--n 900 --cpus 1 --check 50 --quiet --heartbeat 1e-3 --method " + method);
        CHECK(quiet.exit_code == 0);
        CHECK(quiet.out.empty());
        CHECK(quiet.err.empty());
    }
}

TEST_CASE("gravity_driver: where no tree serves, direct sums do, and the report says why") {
    for (const auto& [arguments, why] :
         {std::pair("tree --tol 1e-5 --n 2 --check 2", "2 bodies are too few for a tree"),
          {"tree --tol 1e-5 --n 2000 --theta 0.7 --check 200",
           "no tree has errors of 1e-05 and, of 99 of 100 bodies, 1, not by order 8 and theta 0.7"},
          {"automatic --n 2047 --check 200", "fewer than 2048 squared pairs"},
          {"auto --n 3000 --tol 1e-12 --check 200", "no tree has errors of 1e-12"}}) {
        const RecordedRun run = recorded(std::string("--precision double --method ") + arguments);
        CHECK(tells(run, std::string(", by every pair: ") + why));
        CHECK(run.record.at("method") == "direct");
        CHECK(run.record.at("why_direct").get<std::string>().starts_with(why));
    }
}

TEST_CASE("gravity_driver: the automatic method takes a tree for many bodies, and keeps --tol") {
    for (const auto& [given, method, precision] :
         {std::tuple("--n 2048", "tree", "single"),
          {"--n 3000 --tol 3e-5", "tree", "mixed"},
          {"--n 2000 --tol 3e-5", "direct", "mixed"},
          {"--n 2000 --softening spline", "direct", "mixed"},
          {"--n 3000 --precision mixed", "tree", "mixed"}}) {
        const std::string arguments = given;
        CAPTURE(arguments);
        const Json record = recorded("--method automatic --check 300 " + arguments).record;
        CHECK(record.at("method") == method);
        CHECK(record.at("precision") == precision);
    }
}

TEST_CASE("gravity_driver: an option's former name serves with a note") {
    for (const std::string given : {"--ncrit 17", "--ncrit=17"}) {
        const RecordedRun run = recorded("--method tree --n 3000 " + given);
        CHECK(run.run.err == "note: --ncrit is called --leaf-size now\n");
        CHECK(run.record.at("leaf_size") == 17);
    }
}

TEST_CASE("gravity_driver: options out of range are named") {
    check_rejected(
        "--target-input a.csv --targets 9", "--target-input and --targets: only one can be given"
    );
    check_rejected("--target-input none.csv", "none.csv");
    check_rejected(
        "--method tree --targets 9 --own-error 1e-3",
        "--own-error and --targets: only one can be given"
    );
    check_rejected("--n 0", "--n 0");
    check_rejected("--epsilon=-1", "--epsilon -1: must be >= 0");
    check_rejected("--precision half", "--precision half: must be double, single or mixed");
    check_rejected("--potential maybe", "--potential maybe: must be no or yes");
    check_rejected("--n 10 --input a.csv", "--input and --n: only one can be given");
    check_rejected("--input none.csv", "none.csv");
    check_rejected("--sigma 0", "--sigma 0: must be");
    check_rejected("--tol 2", "--tol 2: must be");
    check_rejected("--method fmm", "--method fmm: must be direct, tree, automatic or auto");
    for (const std::string method : {"tree", "automatic"}) {
        const auto check = [&method](const std::string& arguments, const std::string& message) {
            check_rejected("--method " + method + " " + arguments, message);
        };
        check("--order 9", "--order 9: must be <= 8");
        check("--theta 1", "--theta 1: must be in (0, 1)");
        check("--tol 2", "--tol 2: must be in (0, 1)");
        check("--tol 0", "--tol 0: must be > 0");
        check("--tol99 2", "--tol99 2: must be in (0, 1]");
        check("--leaf-size 0", "--leaf-size 0: must be >= 1");
        check("--lists all", "--lists all: must be auto, gpus or cores");
        check("--softening none", "--softening none: must be plummer or spline");
        check("--groups 65", "--groups 65: must be <= 64");
        check("--epsilon=-1", "--epsilon -1: must be");
    }
}

TEST_CASE("gravity_driver: options of the method that is not asked for are named") {
    for (const std::string option : {"--order 3", "--leaf-size 9", "--softening plummer"}) {
        const std::string name = option.substr(0, option.find(' '));
        check_rejected(option, name + ": needs --method tree or automatic");
    }
    for (const std::string option : {"--summation fixed", "--team all", "--target-block 9"}) {
        const std::string name = option.substr(0, option.find(' '));
        check_rejected("--method tree " + option, name + ": needs --method direct or automatic");
    }
}

// SPDX-License-Identifier: BSD-3-Clause
#include "tests/support/program.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <cstring>
#include <sstream>
#include <string>
#include <vector>

using Json = nlohmann::json;

namespace {

ProgramResult laplace3d(const std::string& arguments) {
    return run_program("laplace3d", arguments + " --gpus 0 --tune off");
}

void check_rejected(const std::string& arguments, const std::string& message) {
    check_rejects(
        "laplace3d",
        arguments + " --gpus 0",
        message,
        {{"--output", "a.npy"},
         {"--json", "a.json"},
         {"--trace", "trace.json"},
         {"--mesh", "a.svg"}}
    );
}

Json record_of(const std::string& arguments, int exit_code = 0) {
    const TemporaryFolder folder;
    const ProgramResult run = laplace3d(arguments + " --json " + folder.file("a.json"));
    CAPTURE(arguments);
    CAPTURE(run.err);
    CAPTURE(run.out);
    REQUIRE(run.exit_code == exit_code);
    return Json::parse(folder.bytes("a.json"));
}

/// Values of a float64 .npy file behind its header.
std::vector<double> values_of(const std::string& npy) {
    std::vector<double> values((npy.size() - 128) / sizeof(double));
    std::memcpy(values.data(), npy.data() + 128, values.size() * sizeof(double));
    return values;
}

/// Numbers of a .csv file below its header, row by row.
std::vector<double> rows_of(const std::string& csv) {
    std::vector<double> values;
    std::string text = csv.substr(csv.find('\n') + 1);
    for (char& c : text) {
        c = c == ',' ? ' ' : c;
    }
    std::istringstream words(text);
    for (double value = 0; words >> value;) {
        values.push_back(value);
    }
    return values;
}

void check_close(const std::vector<double>& values, const std::vector<double>& expected) {
    REQUIRE(values.size() == expected.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
        CAPTURE(i);
        CHECK(std::abs(values[i] - expected[i]) <= 1e-14 * std::abs(expected[i])); // roundings
    }
}

/// Two charges 5 apart, and one between and beside them.
const std::string charges = "x,y,z,q\n0,0,0,1\n3,0,4,2\n";

} // namespace

TEST_CASE("laplace3d: files in, potentials and gradients out, in the user's order") {
    const TemporaryFolder folder;
    const std::string input = " --input " + folder.file("a.csv", charges);
    REQUIRE(laplace3d(input + " --output " + folder.file("phi.csv")).exit_code == 0);
    CHECK(folder.bytes("phi.csv").starts_with("phi\n"));
    check_close(rows_of(folder.bytes("phi.csv")), {0.4, 0.2});
    REQUIRE(laplace3d(input + " --gradient --output " + folder.file("g.csv")).exit_code == 0);
    CHECK(folder.bytes("g.csv").starts_with("phi,phi_x,phi_y,phi_z\n"));
    // q d / 125: towards the other charge
    const std::vector<double> gradients{0.4, 0.048, 0, 0.064, 0.2, -0.024, 0, -0.032};
    check_close(rows_of(folder.bytes("g.csv")), gradients);
    REQUIRE(laplace3d(input + " --gradient --output " + folder.file("g.npy")).exit_code == 0);
    const std::string npy = folder.bytes("g.npy");
    CHECK(npy.find("'<f8', 'fortran_order': False, 'shape': (2, 4)") != std::string::npos);
    check_close(values_of(npy), gradients);
    const std::string where = folder.file("b.csv", "x,y,z\n0,0,2\n3,0,4\n0,0,-1\n");
    const std::string targets = input + " --target-input " + where;
    REQUIRE(laplace3d(targets + " --output " + folder.file("t.npy")).exit_code == 0);
    CHECK(folder.bytes("t.npy").find("'shape': (3,)") != std::string::npos);
    check_close(
        values_of(folder.bytes("t.npy")), {0.5 + 2 / std::sqrt(13), 0.2, 1 + 2 / std::sqrt(34)}
    );
    REQUIRE(laplace3d(targets + " --gradient --output " + folder.file("t.vtp")).exit_code == 0);
    CHECK(folder.bytes("t.vtp").find("<Piece NumberOfPoints=\"3\" ") != std::string::npos);
    CHECK(folder.bytes("t.vtp").find("Name=\"gradient\"") != std::string::npos);
}

TEST_CASE("laplace3d: several right-hand sides stand side by side") {
    const TemporaryFolder folder;
    const std::string input = folder.file("a.csv", "x,y,z,q1,q2\n0,0,0,1,10\n3,0,4,2,30\n");
    const std::string run = "--input " + input + " --rhs 2 --output ";
    REQUIRE(laplace3d(run + folder.file("phi.csv")).exit_code == 0);
    CHECK(folder.bytes("phi.csv").starts_with("phi1,phi2\n"));
    check_close(rows_of(folder.bytes("phi.csv")), {0.4, 6, 0.2, 2});
    REQUIRE(laplace3d(run + folder.file("g.npy") + " --gradient").exit_code == 0);
    CHECK(folder.bytes("g.npy").find("'shape': (2, 8)") != std::string::npos);
    check_close(
        values_of(folder.bytes("g.npy")),
        {0.4, 0.048, 0, 0.064, 6, 0.72, 0, 0.96, 0.2, -0.024, 0, -0.032, 2, -0.24, 0, -0.32}
    );
    CHECK(record_of("--n 3000 --rhs 3 --method fmm --check 100").at("right_hand_sides") == 3);
}

TEST_CASE("laplace3d: complex strengths are summed part by part") {
    const TemporaryFolder folder;
    const std::string input =
        "--input " + folder.file("a.csv", "x,y,z,q_re,q_im\n0,0,0,1,5\n3,0,4,2,10\n");
    REQUIRE(laplace3d(input + " --output " + folder.file("phi.csv")).exit_code == 0);
    CHECK(folder.bytes("phi.csv").starts_with("phi_re,phi_im\n"));
    check_close(rows_of(folder.bytes("phi.csv")), {0.4, 2, 0.2, 1});
    check_rejected(input + " --gradient", "real strengths");
}

TEST_CASE("laplace3d: errors are within the tolerance, whatever the points") {
    for (const std::string name : {"uniform", "normal", "layer", "sphere", "plummer", "lattice"}) {
        const std::string points = " --n 4000 --distribution " + name;
        const Json record = record_of("--method fmm --gradient --tol 1e-5 --check 200" + points);
        CHECK(record.at("tree") == "octree");
        CHECK(record.at("method") == "fmm");
        CHECK(record.at("work").at("m2l_shifts") > 0);
        CHECK(record.at("error").at("l2_rel") <= 1e-5);
        CHECK(record.at("gradient_error").at("l2_rel") <= 30e-5);
    }
}

TEST_CASE("laplace3d: expansions and direct sums agree at targets of their own") {
    const TemporaryFolder folder;
    const std::string points = "--n 3000 --targets 500 --gradient --sign positive --tol 1e-9";
    const auto values = [&](const std::string& how, const std::string& file) {
        REQUIRE(laplace3d(points + how + " --output " + folder.file(file)).exit_code == 0);
        return values_of(folder.bytes(file));
    };
    const std::vector<double> direct = values(" --method direct", "direct.npy");
    const std::vector<double> fmm = values(" --method fmm --leaf-size 30", "fmm.npy");
    REQUIRE(direct.size() == 2000);
    REQUIRE(fmm.size() == 2000);
    double error = 0;
    double size = 0;
    for (std::size_t i = 0; i < direct.size(); i += 4) {
        error += (fmm[i] - direct[i]) * (fmm[i] - direct[i]);
        size += direct[i] * direct[i];
    }
    CHECK(error > 0);
    CHECK(std::sqrt(error / size) <= 1e-9);
}

TEST_CASE("laplace3d: the record says what was asked for and what ran") {
    const Json record =
        record_of("--n 500 --targets 70 --method direct --precision single --tol 1e-4 --gradient "
                  "--distribution sphere --check 20");
    CHECK(record.at("driver") == "laplace3d");
    CHECK(record.at("kernel") == "laplace3d");
    CHECK(record.at("gradient") == true);
    CHECK(record.at("n") == 500);
    CHECK(record.at("m") == 70);
    CHECK(record.at("method") == "direct");
    CHECK(record.at("precision") == "single");
    CHECK(record.at("distribution") == "sphere");
    CHECK(record.at("error").at("checked") == 20);
    CHECK(record.at("error").at("l2_rel") > 1e-9); // single indeed
    CHECK(record.at("gradient_error").at("l2_rel") <= 1e-4);
    const Json tree = record_of("--n 5000 --method fmm --leaf-size 40");
    CHECK(tree.at("tree") == "octree");
    CHECK(tree.at("leaves") > 125);
    CHECK(tree.at("gradient_error").is_null());
    CHECK(tree.at("phase_s").contains("m2l"));
}

TEST_CASE("laplace3d: the record says what was chosen, and why") {
    const Json tree = record_of("--n 20000");
    CHECK(tree.at("method") == "fmm");
    CHECK(tree.at("tuning").at("costs") == "builtin");
    CHECK(tree.at("tuning").at("fmm_s") < tree.at("tuning").at("direct_s"));
    CHECK(tree.at("roots") >= 4);
    CHECK(tree.at("roots") <= 7);
    CHECK(tree.at("leaf_size") > tree.at("ndirect"));
    const Json seven = record_of("--n 20000 --roots 7 --method fmm");
    CHECK(seven.at("roots") == 7);
    const double edge = std::cbrt(seven.at("leaves").get<double>());
    CHECK(edge == doctest::Approx(7).epsilon(0.02)); // at the tree's edges two cubes may be a leaf
    CHECK(seven.at("tuning").at("direct_s").is_null());
    const Json few = record_of("--n 200");
    CHECK(few.at("method") == "direct");
    CHECK(few.at("roots").is_null());
    CHECK(few.at("leaf_size").is_null());
    const Json given = record_of("--n 20000 --leaf-size 80");
    CHECK(given.at("tuning").at("costs") == "none");
    CHECK(given.at("roots") == 4);
    CHECK(given.at("leaf_size") == 80);
    CHECK(given.at("pair_terms") == "by_distance");
}

TEST_CASE("laplace3d: a check that fails is exit code 1, and says so") {
    // two degrees cannot give nine digits
    const ProgramResult run =
        laplace3d("--n 3000 --leaf-size 20 --method fmm --order 2 --tol 1e-9 --check 50 --quiet");
    CHECK(run.exit_code == 1);
    CHECK(run.out.starts_with("check failed: "));
    CHECK(run.out.find(" exceeds the tolerance 1.000e-09") != std::string::npos);
}

TEST_CASE("laplace3d: every output is written") {
    const TemporaryFolder folder;
    const ProgramResult run = laplace3d(
        "--n 4000 --leaf-size 20 --output " + folder.file("a.vtp") + " --json " +
        folder.file("a.json") + " --trace " + folder.file("trace.json") + " --mesh " +
        folder.file("a.svg")
    );
    CHECK(run.exit_code == 0);
    CHECK(run.err.empty());
    CHECK(run.out.starts_with("laplace3d: laplace3d: 4000 sources, 4000 targets, mixed precision"));
    CHECK(folder.n_files() == 4);
    CHECK(folder.bytes("a.vtp").size() > 4000 * sizeof(double[5]));
    CHECK(Json::parse(folder.bytes("trace.json")).at("traceEvents").size() > 10);
    const std::string mesh = folder.bytes("a.svg");
    CHECK(mesh.find(" leaves: a slice at z = 0.") != std::string::npos);
    CHECK(mesh.find("class=\"self\"") != std::string::npos);
    CHECK(mesh.find("class=\"near\"") != std::string::npos);
}

TEST_CASE("laplace3d: options of the plane, and those out of range, are named") {
    check_rejected("--kernel log", "--kernel: unknown option; --help lists all");
    check_rejected("--tree quadtree", "--tree quadtree: must be pyramid or octree");
    check_rejected("--distribution circle", "distribution 'circle': must be uniform");
    check_rejected("--levels 3", "--levels 3: of a pyramid; in space an octree serves");
    check_rejected("--tree pyramid", "--tree pyramid: of the plane; in space an octree serves");
    check_rejected("--roots 8", "--roots 8: must be <= 7");
    check_rejected("--roots 3", "--roots 3: must be >= 4");
    check_rejected("--plane-waves maybe", "plane-waves");
    check_rejected("--plane-waves on", "--plane-waves: are of GPUs, none of which sums");
    check_rejected("--order 41", "--order 41: must be <= 40");
    check_rejected("--groups 65", "--groups 65: must be <= 64");
    check_rejected("--n 100 --precision single --tol 1e-9", "single precision reaches");
    check_rejected("--precision mixed --tol 1e-7", "--tol 1e-07: pairs in single precision");
    check_rejected("--tol 0", "tol");
    check_rejected("--n 0", "--n 0");
}

TEST_CASE("laplace3d: files that do not fit are named") {
    const TemporaryFolder folder;
    const std::string plane = folder.file("a.csv", "x,y,q\n0,0,1\n");
    check_rejected("--input " + plane, plane + ":1: header 'x,y,q': a header line 'x,y,z,q' or");
    const std::string good = "--input " + folder.file("b.csv", charges);
    const std::string where = folder.file("c.csv", "x,y\n0,0\n");
    check_rejected(good + " --target-input " + where, where + ":1: ");
    const std::string bad = folder.file("d.csv", "x,y,z,q\n0,0,nan,1\n");
    check_rejected("--input " + bad, bad + ":2: ");
    check_rejected("--input " + folder.file("none.npy"), folder.file("none.npy"));
    check_rejected("--input " + folder.file("e.vtp"), "e.vtp: unknown extension '.vtp'");
    const ProgramResult text = laplace3d("--n 10 --output " + folder.file("f.txt"));
    CHECK(text.exit_code == 2);
    CHECK(text.err.find(".npy, .csv or .vtp is expected") != std::string::npos);
}

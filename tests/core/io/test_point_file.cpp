// SPDX-License-Identifier: BSD-3-Clause
#include "core/error.hpp"
#include "core/io/csv.hpp"
#include "core/io/point_file.hpp"
#include "tests/support/temporary_folder.hpp"

#include <doctest/doctest.h>

#include <cstring>
#include <limits>

using starfmm::AnyPoints;
using starfmm::check_point_file_name;
using starfmm::InputError;
using starfmm::PointFile;
using starfmm::Points;
using starfmm::Potentials;
using starfmm::read_sources;
using starfmm::read_targets;

namespace {

void write_potentials(const std::string& path, const Potentials& potentials) {
    starfmm::write_potentials(path, {&potentials, 1});
}

const std::vector<double> first{1, 4};
const std::vector<double> second{2, 5};

std::string bytes_of(const std::vector<double>& values) {
    return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(double)};
}

/// Makes a .npy file of version 1 with this shape and these float64 values.
std::string npy(const std::string& shape, const std::vector<double>& values) {
    const std::string dictionary =
        "{'descr': '<f8', 'fortran_order': False, 'shape': " + shape + "}";
    std::string bytes("\x93NUMPY\x01\x00", 8);
    bytes += static_cast<char>(dictionary.size());
    bytes += '\0';
    return bytes + dictionary + bytes_of(values);
}

} // namespace

TEST_CASE("point_file: sources come from either format, its extension in either case") {
    const TemporaryFolder folder;
    const std::string paths[]{
        folder.file("a.csv", "x,y,q\n1,2,3\n4,5,6\n"),
        folder.file("a.CSV", "x,y,q\n1,2,3\n4,5,6\n"),
        folder.file("a.npy", npy("(2, 3)", {1, 2, 3, 4, 5, 6}))};
    for (const std::string& path : paths) {
        const PointFile file = read_sources(path);
        CHECK(file.points.x[0] == first);
        CHECK(file.points.x[1] == second);
        CHECK(file.strengths[0].re == std::vector<double>{3, 6});
        CHECK_FALSE(file.strengths[0].is_complex());
    }
}

TEST_CASE("point_file: four columns are complex strengths") {
    const TemporaryFolder folder;
    const std::string csv = folder.file("a.csv", "x,y,q_re,q_im\n1,2,3,-3\n4,5,6,-6\n");
    const std::string npy_file = folder.file("a.npy", npy("(2, 4)", {1, 2, 3, -3, 4, 5, 6, -6}));
    for (const std::string& path : {csv, npy_file}) {
        const PointFile file = read_sources(path);
        CHECK(file.points.x[1] == second);
        CHECK(file.strengths[0].re == std::vector<double>{3, 6});
        CHECK(file.strengths[0].im == std::vector<double>{-3, -6});
    }
}

TEST_CASE("point_file: strengths of several right-hand sides stand side by side") {
    const TemporaryFolder folder;
    const std::vector<double> row{1, 2, 3, -3, 4, -4};
    const std::string header = "x,y,q1_re,q1_im,q2_re,q2_im\n1,2,3,-3,4,-4\n";
    for (const std::string& path :
         {folder.file("a.csv", header), folder.file("a.npy", npy("(1, 6)", row))}) {
        const PointFile file = read_sources(path, 2);
        REQUIRE(file.strengths.size() == 2);
        CHECK(file.strengths[0].re == std::vector<double>{3});
        CHECK(file.strengths[0].im == std::vector<double>{-3});
        CHECK(file.strengths[1].re == std::vector<double>{4});
        CHECK(file.strengths[1].im == std::vector<double>{-4});
        const PointFile real = read_sources(folder.file("b.npy", npy("(1, 6)", row)), 4);
        REQUIRE(real.strengths.size() == 4);
        CHECK(real.strengths[3].re == std::vector<double>{-4});
        CHECK_FALSE(real.strengths[3].is_complex());
    }
    const std::string three = folder.file("c.csv", "x,y,q1,q2,q3\n1,2,3,4,5\n");
    CHECK(read_sources(three, 3).strengths[2].re == std::vector<double>{5});
    CHECK_THROWS_WITH_AS(
        read_sources(three, 2),
        (three + ":1: header 'x,y,q1,q2,q3': a header line 'x,y,q1,q2' or "
                 "'x,y,q1_re,q1_im,q2_re,q2_im' is expected")
            .c_str(),
        InputError
    );
}

TEST_CASE("point_file: points of space have a third coordinate") {
    const TemporaryFolder folder;
    const std::string csv = folder.file("a.csv", "x,y,z,q\n1,2,3,7\n4,5,6,8\n");
    const std::string rows = folder.file("a.npy", npy("(2, 4)", {1, 2, 3, 7, 4, 5, 6, 8}));
    for (const std::string& path : {csv, rows}) {
        const PointFile file = read_sources(path, 1, 3);
        CHECK(file.points.x == std::vector<std::vector<double>>{{1, 4}, {2, 5}, {3, 6}});
        CHECK(file.strengths[0].re == std::vector<double>{7, 8});
        CHECK_FALSE(file.strengths[0].is_complex());
    }
    const std::string two = folder.file("b.csv", "x,y,z,q1,q2\n1,2,3,4,5\n");
    CHECK(read_sources(two, 2, 3).strengths[1].re == std::vector<double>{5});
    const std::string where = folder.file("c.csv", "x,y,z\n1,2,3\n");
    CHECK(read_targets(where, 3).x == std::vector<std::vector<double>>{{1}, {2}, {3}});
    CHECK_THROWS_WITH_AS(
        read_targets(csv, 3),
        (csv + ":1: header 'x,y,z,q': a header line 'x,y,z' is expected").c_str(),
        InputError
    );
    // four columns of the plane are complex strengths
    CHECK(read_sources(rows).strengths[0].is_complex());
}

TEST_CASE("point_file: gradients in space have three components") {
    const TemporaryFolder folder;
    const Potentials potentials{{1, 5}, {}, {{{2, 6}, {3, 7}, {4, 8}}}};
    write_potentials(folder.file("a.csv"), potentials);
    CHECK(folder.bytes("a.csv") == "phi,phi_x,phi_y,phi_z\n1,2,3,4\n5,6,7,8\n");
    write_potentials(folder.file("a.npy"), potentials);
    const std::string bytes = folder.bytes("a.npy");
    CHECK(bytes.find("'<f8', 'fortran_order': False, 'shape': (2, 4)") != std::string::npos);
    CHECK(bytes.substr(128) == bytes_of({1, 2, 3, 4, 5, 6, 7, 8}));
}

TEST_CASE("point_file: results in space go to VTK's format too, with their points") {
    using starfmm::check_result_file_name;
    const TemporaryFolder folder;
    const Points<3> targets{{{{1, 2}, {3, 4}, {5, 6}}}};
    const Potentials real{{1, 5}, {}, {{{2, 6}, {3, 7}, {4, 8}}}};
    const std::vector<Potentials> both{real, real};
    starfmm::write_results(folder.file("a.vtp"), targets, both);
    const std::string fields = folder.bytes("a.vtp");
    for (const std::string name : {"phi1", "gradient1", "phi2", "gradient2", "Points"}) {
        CHECK(fields.find("Name=\"" + name + "\"") != std::string::npos);
    }
    const std::vector<Potentials> complex{{{1, 2}, {3, 4}}};
    starfmm::write_results(folder.file("A.VTP"), targets, complex);
    CHECK(folder.bytes("A.VTP").find("Name=\"phi_im\"") != std::string::npos);
    starfmm::write_results(folder.file("a.csv"), targets, {&real, 1});
    CHECK(folder.bytes("a.csv").starts_with("phi,phi_x,phi_y,phi_z\n"));
    CHECK_NOTHROW(check_result_file_name("a.vtp", 3));
    CHECK_THROWS_WITH_AS(
        check_result_file_name("a.vtp", 2),
        "a.vtp: unknown extension '.vtp': .npy or .csv is expected",
        InputError
    );
    CHECK_THROWS_WITH_AS(
        check_result_file_name("a.txt", 3),
        "a.txt: unknown extension '.txt': .npy, .csv or .vtp is expected",
        InputError
    );
}

TEST_CASE("point_file: targets have two columns and no strengths") {
    const TemporaryFolder folder;
    const AnyPoints csv = read_targets(folder.file("a.csv", "x,y\n1,2\n4,5\n"));
    CHECK(csv.x[0] == first);
    CHECK(csv.x[1] == second);
    const AnyPoints npy_file = read_targets(folder.file("a.npy", npy("(2, 2)", {1, 2, 4, 5})));
    CHECK(npy_file.x == csv.x);
    const std::string wide = folder.file("b.npy", npy("(2, 3)", {1, 2, 3, 4, 5, 6}));
    CHECK_THROWS_WITH_AS(
        read_targets(wide), (wide + ": has shape (2, 3): (N, 2) is expected").c_str(), InputError
    );
    const std::string source = folder.file("b.csv", "x,y,q\n1,2,3\n");
    CHECK_THROWS_WITH_AS(
        read_targets(source),
        (source + ":1: header 'x,y,q': a header line 'x,y' is expected").c_str(),
        InputError
    );
}

TEST_CASE("point_file: potentials go to either format") {
    const TemporaryFolder folder;
    const Potentials potentials{{1, 2}, {3, 4}};
    write_potentials(folder.file("a.csv"), potentials);
    CHECK(folder.bytes("a.csv") == "phi_re,phi_im\n1,3\n2,4\n");
    write_potentials(folder.file("a.npy"), potentials);
    CHECK(folder.bytes("a.npy").size() == 128 + 4 * sizeof(double));
    CHECK(folder.n_files() == 2);
}

TEST_CASE("point_file: potentials of several right-hand sides stand side by side") {
    const TemporaryFolder folder;
    const std::vector<Potentials> complex{{{1, 2}, {3, 4}}, {{5, 6}, {7, 8}}};
    starfmm::write_potentials(folder.file("a.csv"), complex);
    CHECK(folder.bytes("a.csv") == "phi1_re,phi1_im,phi2_re,phi2_im\n1,3,5,7\n2,4,6,8\n");
    starfmm::write_potentials(folder.file("a.npy"), complex);
    const std::string bytes = folder.bytes("a.npy");
    CHECK(bytes.find("'<c16', 'fortran_order': False, 'shape': (2, 2)") != std::string::npos);
    CHECK(bytes.substr(128) == bytes_of({1, 3, 5, 7, 2, 4, 6, 8}));
    const std::vector<Potentials> gradients{{{1}, {}, {{{2}, {3}}}}, {{4}, {}, {{{5}, {6}}}}};
    starfmm::write_potentials(folder.file("b.csv"), gradients);
    CHECK(folder.bytes("b.csv") == "phi1,phi1_x,phi1_y,phi2,phi2_x,phi2_y\n1,2,3,4,5,6\n");
    starfmm::write_potentials(folder.file("b.npy"), gradients);
    CHECK(
        folder.bytes("b.npy").find("'<f8', 'fortran_order': False, 'shape': (1, 6)") !=
        std::string::npos
    );
}

TEST_CASE("point_file: other extensions are rejected with the list of formats") {
    const TemporaryFolder folder;
    const auto message = [](const std::string& path, const std::string& extension) {
        return path + ": unknown extension '" + extension + "': .npy or .csv is expected";
    };
    for (const std::string extension : {".txt", ".h5", "", ".npyx"}) {
        const std::string path = folder.file("a" + extension);
        const std::string expected = message(path, extension);
        CHECK_THROWS_WITH_AS(check_point_file_name(path), expected.c_str(), InputError);
        CHECK_THROWS_WITH_AS(read_sources(path), expected.c_str(), InputError);
        CHECK_THROWS_WITH_AS(read_targets(path), expected.c_str(), InputError);
        CHECK_THROWS_WITH_AS(
            write_potentials(path, Potentials{{1}, {}}), expected.c_str(), InputError
        );
    }
    CHECK_NOTHROW(check_point_file_name("missing.npy"));
    CHECK(folder.n_files() == 0);
}

TEST_CASE("point_file: bad values of either format are named with their file") {
    const TemporaryFolder folder;
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const auto check = [](const std::string& path, const std::string& why, const auto& read) {
        CHECK_THROWS_WITH_AS((void)read(path), (path + ": " + why).c_str(), InputError);
    };
    const auto sources = [](const std::string& path) { return read_sources(path); };
    const auto targets = [](const std::string& path) { return read_targets(path, 3); };
    const auto bodies = [](const std::string& path) { return starfmm::read_bodies(path); };
    const std::string finite = " = nan: must be finite";
    check(folder.file("a.npy", npy("(2, 3)", {1, 2, 3, 4, nan, 6})), "y[1]" + finite, sources);
    check(folder.file("b.npy", npy("(1, 4)", {1, 2, 3, nan})), "q_im[0]" + finite, sources);
    check(folder.file("c.npy", npy("(1, 3)", {1, 2, nan})), "z[0]" + finite, targets);
    const std::string large = "m[0] = 1e+200: must be finite and at most 1e+150 in magnitude";
    check(folder.file("d.npy", npy("(1, 4)", {1, 2, 3, 1e200})), large, bodies);
    check(folder.file("d.csv", "x,y,z,m\n1,2,3,1e200\n"), large, bodies);
    const std::string negative = "epsilon[0] = -5: must not be negative";
    check(folder.file("e.npy", npy("(1, 5)", {1, 2, 3, 4, -5})), negative, bodies);
    check(folder.file("e.csv", "x,y,z,m,epsilon\n1,2,3,4,-5\n"), negative, bodies);
}

TEST_CASE("point_file: bodies come from either format, accelerations go to it") {
    const TemporaryFolder folder;
    const std::string paths[]{
        folder.file("a.csv", "x,y,z,m\n1,2,3,4\n4,5,6,7\n"),
        folder.file("a.npy", npy("(2, 4)", {1, 2, 3, 4, 4, 5, 6, 7}))};
    for (const std::string& path : paths) {
        const starfmm::Bodies bodies = starfmm::read_bodies(path);
        CHECK(bodies.x[0] == first);
        CHECK(bodies.x[1] == second);
        CHECK(bodies.x[2] == std::vector<double>{3, 6});
        CHECK(bodies.mass == std::vector<double>{4, 7});
        CHECK(bodies.epsilon.empty());
    }
    const std::string with_lengths =
        folder.file("b.csv", "x,y,z,m,epsilon\n1,2,3,4,0.5\n4,5,6,7,0\n");
    CHECK(starfmm::read_bodies(with_lengths).epsilon == std::vector<double>{0.5, 0});
    CHECK(starfmm::read_bodies(with_lengths).mass == std::vector<double>{4, 7});
    starfmm::Potentials results{{}, {}, {{{1, 4}, {2, 5}, {3, 6}}}};
    starfmm::write_accelerations(folder.file("out.csv"), results);
    CHECK(folder.bytes("out.csv") == "ax,ay,az\n1,2,3\n4,5,6\n");
    results.re = {-4, -7};
    starfmm::write_accelerations(folder.file("out.csv"), results);
    CHECK(folder.bytes("out.csv") == "ax,ay,az,phi\n1,2,3,-4\n4,5,6,-7\n");
    starfmm::write_accelerations(folder.file("out.npy"), results);
    const std::string bytes = folder.bytes("out.npy");
    CHECK(bytes.find("'descr': '<f8', 'fortran_order': False, 'shape': (2, 4)") == 11);
    CHECK(bytes.ends_with(npy("", {1, 2, 3, -4, 4, 5, 6, -7}).substr(npy("", {}).size())));
}

// SPDX-License-Identifier: BSD-3-Clause
#include "core/error.hpp"
#include "core/io/npy.hpp"
#include "tests/support/temporary_folder.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

using starfmm::Columns;
using starfmm::InputError;
using starfmm::NamedColumn;
using starfmm::OutputError;
using starfmm::read_npy;
using starfmm::Schemas;
using starfmm::write_npy;

namespace {

const Schemas sources{{"x", "y", "q"}, {"x", "y", "q_re", "q_im"}};

/// The start of a .npy file as the format's definition has it.
std::string npy_start(const std::string& dictionary, int version = 1) {
    std::string text = "\x93NUMPY";
    text += static_cast<char>(version);
    text += '\0';
    for (int byte = 0; byte < (version == 1 ? 2 : 4); ++byte) {
        text += static_cast<char>((dictionary.size() >> (8 * byte)) & 0xFFU);
    }
    return text + dictionary;
}

std::string dictionary(const std::string& dtype, const std::string& shape, bool fortran = false) {
    return "{'descr': '" + dtype + "', 'fortran_order': " + (fortran ? "True" : "False") +
           ", 'shape': " + shape + ", }\n";
}

template <class T>
std::string raw(const std::vector<T>& values) {
    return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

void check_message(
    const TemporaryFolder& folder, const std::string& bytes, const std::string& what
) {
    const std::string path = folder.file("bad.npy", bytes);
    CHECK_THROWS_WITH_AS(read_npy(path, sources), (path + ": " + what).c_str(), InputError);
}

const Columns two_rows{{1, 4}, {2, 5}, {3, 6}};

} // namespace

TEST_CASE("npy: C order, Fortran order, float64 and float32 read alike") {
    const TemporaryFolder folder;
    const std::string shape = "(2, 3)";
    const std::string c64 = npy_start(dictionary("<f8", shape)) + raw<double>({1, 2, 3, 4, 5, 6});
    CHECK(read_npy(folder.file("a", c64), sources) == two_rows);
    const std::string c32 = npy_start(dictionary("<f4", shape)) + raw<float>({1, 2, 3, 4, 5, 6});
    CHECK(read_npy(folder.file("a", c32), sources) == two_rows);
    const std::string f64 =
        npy_start(dictionary("<f8", shape, true)) + raw<double>({1, 4, 2, 5, 3, 6});
    CHECK(read_npy(folder.file("a", f64), sources) == two_rows);
    const std::string f32 =
        npy_start(dictionary("<f4", shape, true)) + raw<float>({1, 4, 2, 5, 3, 6});
    CHECK(read_npy(folder.file("a", f32), sources) == two_rows);
}

TEST_CASE("npy: versions 1, 2 and 3 are read, others are rejected") {
    const TemporaryFolder folder;
    const std::string data = raw<double>({1, 2, 3, 4, 5, 6});
    for (const int version : {1, 2, 3}) {
        const std::string bytes = npy_start(dictionary("<f8", "(2, 3)"), version) + data;
        CHECK(read_npy(folder.file("a", bytes), sources) == two_rows);
    }
    check_message(folder, npy_start("{}", 4), ".npy version 4: 1, 2 or 3 is expected");
}

TEST_CASE("npy: keys may come in any order and quotes, and lengths as Python 2 wrote them") {
    const TemporaryFolder folder;
    const std::string header = R"({"shape":(2L, 3L),"fortran_order":False,"descr":"<f8"})";
    const std::string bytes = npy_start(header) + raw<double>({1, 2, 3, 4, 5, 6});
    CHECK(read_npy(folder.file("a", bytes), sources) == two_rows);
}

TEST_CASE("npy: more rows than a chunk are read in order") {
    const TemporaryFolder folder;
    const std::size_t rows = 150'001;
    std::vector<double> values(4 * rows);
    for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = static_cast<double>(i);
    }
    const std::string shape = "(150001, 4)";
    const Columns by_row =
        read_npy(folder.file("a", npy_start(dictionary("<f8", shape)) + raw(values)), sources);
    const Columns by_column = read_npy(
        folder.file("b", npy_start(dictionary("<f8", shape, true)) + raw(values)), sources
    );
    bool all_equal = by_row.size() == 4 && by_column.size() == 4;
    for (std::size_t i = 0; i < values.size() && all_equal; ++i) {
        all_equal = by_row[i % 4][i / 4] == values[i] && by_column[i / rows][i % rows] == values[i];
    }
    CHECK(all_equal);
}

TEST_CASE("npy: values that are not finite are read, to be found by the check of points") {
    const TemporaryFolder folder;
    const double infinity = std::numeric_limits<double>::infinity();
    const std::string bytes =
        npy_start(dictionary("<f8", "(1, 3)")) + raw<double>({NAN, infinity, 1});
    const Columns columns = read_npy(folder.file("a", bytes), sources);
    CHECK(std::isnan(columns[0][0]));
    CHECK(columns[1][0] == infinity);
}

TEST_CASE("npy: missing files and folders are rejected") {
    const TemporaryFolder folder;
    const std::string missing = folder.file("missing.npy");
    CHECK_THROWS_WITH_AS(
        read_npy(missing, sources),
        (missing + ": cannot be read: No such file or directory").c_str(),
        InputError
    );
    const std::string itself = folder.file("");
    CHECK_THROWS_WITH_AS(
        read_npy(itself, sources), (itself + ": cannot be read: is a folder").c_str(), InputError
    );
}

TEST_CASE("npy: empty files, short files and files of another kind are rejected") {
    const TemporaryFolder folder;
    check_message(folder, "", "is empty: a .npy array is expected");
    check_message(folder, "\x93NUMPY", "is not a .npy file: at least 8 bytes are expected");
    check_message(
        folder, "x,y,q\n1,2,3\n", "is not a .npy file: it is expected to start with \\x93NUMPY"
    );
    const std::string start = npy_start(dictionary("<f8", "(2, 3)"));
    check_message(folder, start.substr(0, 9), "is truncated: 2 more bytes are expected, 1 found");
    check_message(
        folder,
        start.substr(0, 20),
        "is truncated: a header of " + std::to_string(start.size() - 10) +
            " bytes is expected, 10 found"
    );
}

TEST_CASE("npy: damaged headers are rejected") {
    const TemporaryFolder folder;
    const std::string damaged = "has a damaged header: ";
    check_message(folder, npy_start("{'shape': (2, 3)}"), damaged + "key 'descr' is expected");
    check_message(folder, npy_start("{'descr' '<f8'}"), damaged + "key 'descr' is expected");
    check_message(
        folder,
        npy_start("{'descr': '<f8', 'fortran_order': 0, 'shape': (2, 3)}"),
        damaged + "fortran_order True or False is expected"
    );
    for (const char* shape : {"[2, 3]", "(2, 3", ""}) {
        check_message(
            folder,
            npy_start(dictionary("<f8", shape)),
            damaged + "a shape in parentheses is expected"
        );
    }
}

TEST_CASE("npy: other types are rejected") {
    const TemporaryFolder folder;
    for (const std::string dtype : {"<i8", ">f8", "<c16", "|O"}) {
        check_message(
            folder,
            npy_start(dictionary(dtype, "(2, 3)")),
            "has dtype '" + dtype + "': '<f8' (float64) or '<f4' (float32) is expected"
        );
    }
}

TEST_CASE("npy: other shapes are rejected") {
    const TemporaryFolder folder;
    for (const std::string shape : {"(2, 5)", "(2, 2)", "(6,)", "()", "(2, 3, 1)"}) {
        check_message(
            folder,
            npy_start(dictionary("<f8", shape)) + raw<double>({1, 2, 3, 4, 5, 6}),
            "has shape " + shape + ": (N, 3) or (N, 4) is expected"
        );
    }
    check_message(
        folder,
        npy_start(dictionary("<f8", "(-2, 3)")),
        "has shape (-2, 3): lengths are expected to be whole numbers of 64 bits"
    );
    check_message(
        folder, npy_start(dictionary("<f8", "(0, 3)")), "holds no points: at least one is expected"
    );
}

TEST_CASE("npy: truncated data and trailing bytes are rejected with both sizes") {
    const TemporaryFolder folder;
    const std::string start = npy_start(dictionary("<f8", "(2, 3)"));
    check_message(
        folder,
        start + raw<double>({1, 2, 3, 4, 5}),
        "is truncated: 48 bytes of data are expected, 40 found"
    );
    check_message(
        folder,
        start + raw<double>({1, 2, 3, 4, 5, 6}) + "!",
        "has trailing bytes: 48 bytes of data are expected, 49 found"
    );
}

TEST_CASE("npy: huge shapes in tiny files are rejected before memory is taken") {
    const TemporaryFolder folder;
    check_message(
        folder,
        npy_start(dictionary("<f8", "(100000000000000000, 3)")) + raw<double>({1, 2, 3}),
        "is truncated: 2400000000000000000 bytes of data are expected, 24 found"
    );
    check_message(
        folder,
        npy_start(dictionary("<f8", "(768614336404564651, 3)")) +
            raw<double>({1, 2}), // times 24: 8 beyond 2^64
        "is truncated: more than 2^64 bytes of data are expected, 16 found"
    );
    check_message(
        folder,
        npy_start(dictionary("<f8", "(100000000000000000000, 3)")),
        "has shape (100000000000000000000, 3): lengths are expected to be whole numbers of 64 bits"
    );
}

TEST_CASE("npy: output has an aligned header and the values in order") {
    const TemporaryFolder folder;
    const std::vector<double> up{1, 2};
    const std::vector<double> down{-1, -2};
    const std::vector<NamedColumn> parts{{"re", &up}, {"im", &down}};
    write_npy(folder.file("complex.npy"), parts, starfmm::NpyValues::complex);
    const std::string complex = folder.bytes("complex.npy");
    const std::string data = raw<double>({1, -1, 2, -2});
    REQUIRE(complex.size() == 128 + data.size());
    CHECK(complex.substr(0, 8) == std::string("\x93NUMPY\x01\x00", 8));
    CHECK(complex.substr(8, 2) == std::string("\x76\x00", 2)); // 118 = 128 - 10
    CHECK(complex.substr(10, 55) == "{'descr': '<c16', 'fortran_order': False, 'shape': (2,)");
    CHECK(complex[127] == '\n');
    CHECK(complex.substr(128) == data);
    const std::vector<double> three{1, 2, 3};
    write_npy(folder.file("real.npy"), std::vector<NamedColumn>{{"phi", &three}});
    const std::string real = folder.bytes("real.npy");
    CHECK(real.find("'<f8'") == 11 + std::strlen("'descr': "));
    CHECK(real.find("(3,)") != std::string::npos);
    CHECK(real.substr(128) == raw<double>({1, 2, 3}));
}

TEST_CASE("npy: output into a missing folder is rejected") {
    const TemporaryFolder folder;
    const std::vector<double> one{1};
    const std::vector<NamedColumn> columns{{"phi", &one}};
    CHECK_THROWS_AS(write_npy(folder.file("no") + "/a.npy", columns), OutputError);
}

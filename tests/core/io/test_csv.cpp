// SPDX-License-Identifier: BSD-3-Clause
#include "core/error.hpp"
#include "core/io/csv.hpp"
#include "tests/support/environment.hpp"
#include "tests/support/temporary_folder.hpp"

#include <doctest/doctest.h>

#include <clocale>
#include <cmath>
#include <cstdlib>

using starfmm::Columns;
using starfmm::InputError;
using starfmm::NamedColumn;
using starfmm::OutputError;
using starfmm::read_csv;
using starfmm::Schemas;
using starfmm::write_csv;

namespace {

const Schemas sources{{"x", "y", "q"}, {"x", "y", "q_re", "q_im"}};
const std::string expected_header = "a header line 'x,y,q' or 'x,y,q_re,q_im' is expected";

void check_message(
    const TemporaryFolder& folder, const std::string& text, const std::string& what
) {
    const std::string path = folder.file("bad.csv", text);
    CHECK_THROWS_WITH_AS(read_csv(path, sources), (path + what).c_str(), InputError);
}

const Columns two_rows{{1, 4}, {2, 5}, {3, 6}};

} // namespace

TEST_CASE("csv: real and complex strengths are read in the file's order") {
    const TemporaryFolder folder;
    CHECK(read_csv(folder.file("a", "x,y,q\n1,2,3\n4,5,6\n"), sources) == two_rows);
    const Columns complex{{1, 5}, {2, 6}, {3, 7}, {4, 8}};
    CHECK(read_csv(folder.file("a", "x,y,q_re,q_im\n1,2,3,4\n5,6,7,8"), sources) == complex);
}

TEST_CASE("csv: spaces, blank lines, CRLF, a byte-order mark, quotes and # are accepted") {
    const TemporaryFolder folder;
    CHECK(read_csv(folder.file("a", "x, y, q\n\n 1 ,\t2, 3\n4,5,6\n\n"), sources) == two_rows);
    CHECK(read_csv(folder.file("a", "x,y,q\r\n1,2,3\r\n4,5,6\r\n"), sources) == two_rows);
    CHECK(read_csv(folder.file("a", "\xEF\xBB\xBFx,y,q\n1,2,3\n4,5,6\n"), sources) == two_rows);
    CHECK(read_csv(folder.file("a", "\"x\",\"y\",\"q\"\n1,2,3\n4,5,6\n"), sources) == two_rows);
    CHECK(read_csv(folder.file("a", "# x,y,q\n1,2,3\n4,5,6\n"), sources) == two_rows);
}

TEST_CASE("csv: every way to write a number is read") {
    const TemporaryFolder folder;
    const std::string text = "x,y,q\n+1.5,-2e3,.5\n1E-3,-0,5.\n1e-400,-1e-320,0.1\n";
    const Columns columns = read_csv(folder.file("a", text), sources);
    CHECK(columns[0] == std::vector<double>{1.5, 1e-3, 0});
    CHECK(columns[1] == std::vector<double>{-2000, 0, -1e-320});
    CHECK(columns[2] == std::vector<double>{0.5, 5, 0.1});
}

TEST_CASE("csv: numbers do not depend on the program's locale") {
    const TemporaryFolder folder;
    const Environment path("LOCPATH", folder.file(""));
    const std::string locale = folder.file("de_DE.UTF-8");
    const std::string make = "localedef -i de_DE -f UTF-8 '" + locale + "' >/dev/null 2>&1";
    if (std::system(make.c_str()) != 0 || // NOLINT(cert-env33-c): as a user does
        std::setlocale(LC_ALL, "de_DE.UTF-8") == nullptr) {
        MESSAGE("skipped: no locale whose decimal point is a comma can be made");
        return;
    }
    REQUIRE(std::string(std::localeconv()->decimal_point) == ",");
    const std::string text = "x,y,q\n1.5e-400,-1.5e-320,0.1\n2.5,-1.5e-400,3.5e-5\n";
    const Columns columns = read_csv(folder.file("a", text), sources);
    write_csv(folder.file("b"), std::vector<NamedColumn>{{"x", &columns[2]}});
    REQUIRE(std::setlocale(LC_ALL, "C") != nullptr);
    CHECK(columns[0] == std::vector<double>{0, 2.5});
    CHECK(columns[1] == std::vector<double>{-1.5e-320, 0});
    CHECK(columns[2] == std::vector<double>{0.1, 3.5e-5});
    CHECK(read_csv(folder.file("b"), {{"x"}}) == Columns{columns[2]});
}

TEST_CASE("csv: missing and empty files, and folders, are rejected") {
    const TemporaryFolder folder;
    const std::string missing = folder.file("missing.csv");
    CHECK_THROWS_WITH_AS(
        read_csv(missing, sources),
        (missing + ": cannot be read: No such file or directory").c_str(),
        InputError
    );
    const std::string itself = folder.file("");
    CHECK_THROWS_WITH_AS(
        read_csv(itself, sources), (itself + ": cannot be read: is a folder").c_str(), InputError
    );
    check_message(folder, "", ": is empty: " + expected_header);
    check_message(folder, "\n \n", ": is empty: " + expected_header);
    check_message(
        folder, "x,y,q\n\n", ": holds no points: at least one is expected below the header line"
    );
}

TEST_CASE("csv: other header lines are rejected, numbers among them") {
    const TemporaryFolder folder;
    for (const std::string header : {"1,2,3", "q,x,y", "x,y", "x,y,q,", "x;y;q"}) {
        check_message(
            folder, header + "\n1,2,3\n", ":1: header '" + header + "': " + expected_header
        );
    }
    check_message(
        folder,
        "\n" + std::string(100, 'z') + "\n",
        ":2: header '" + std::string(60, 'z') + "': " + expected_header
    );
}

TEST_CASE("csv: fields that are not finite numbers are rejected with line and column") {
    const TemporaryFolder folder;
    for (const std::string field :
         {"abc", "", "1.5x", "nan", "inf", "-inf", "1e999", "+-1", "+", "1 2", "0x10"}) {
        check_message(
            folder,
            "x,y,q\n1,2,3\n\n4," + field + ",6\n",
            ":4: column 2 '" + field + "': a finite number is expected"
        );
    }
}

TEST_CASE("csv: lines with too few or too many columns are rejected") {
    const TemporaryFolder folder;
    const std::string what = " columns: 3 are expected, as in the header line";
    check_message(folder, "x,y,q\n1,2\n", ":2: 2" + what);
    check_message(folder, "x,y,q\n1,2,3\n1\n", ":3: 1" + what);
    check_message(folder, "x,y,q\n1,2,3,4\n", ":2: 4" + what);
    check_message(folder, "x,y,q\n1,2,3,\n", ":2: 4" + what);
}

TEST_CASE("csv: output has a header line and reads back as the same numbers") {
    const TemporaryFolder folder;
    const Columns written{{0.1, -1.0 / 3}, {1e-300, 1e150}};
    const std::vector<NamedColumn> columns{{"phi_re", &written[0]}, {"phi_im", &written[1]}};
    write_csv(folder.file("complex.csv"), columns);
    CHECK(folder.bytes("complex.csv").starts_with("phi_re,phi_im\n0.10000000000000001,1"));
    CHECK(read_csv(folder.file("complex.csv"), {{"phi_re", "phi_im"}}) == written);
}

TEST_CASE("csv: the longest number is written whole") {
    const TemporaryFolder folder;
    const std::vector<double> longest{-1.7976931348623157e+308};
    write_csv(folder.file("a"), std::vector<NamedColumn>{{"x", &longest}, {"y", &longest}});
    CHECK(folder.bytes("a") == "x,y\n-1.7976931348623157e+308,-1.7976931348623157e+308\n");
}

TEST_CASE("csv: output into a missing folder is rejected") {
    const TemporaryFolder folder;
    const std::vector<double> one{1};
    const std::vector<NamedColumn> columns{{"x", &one}};
    CHECK_THROWS_AS(write_csv(folder.file("no") + "/a.csv", columns), OutputError);
}

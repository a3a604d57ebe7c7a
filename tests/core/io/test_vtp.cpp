// SPDX-License-Identifier: BSD-3-Clause
#include "core/error.hpp"
#include "core/io/vtp.hpp"
#include "tests/support/temporary_folder.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <numeric>

using starfmm::OutputError;
using starfmm::PointField;
using starfmm::Points;
using starfmm::write_vtp;

namespace {

/// Returns a Python whose `import vtk` works, if any: VTK_PYTHON, else python3.
std::string vtk_python() {
    const char* const given = std::getenv("VTK_PYTHON");
    const std::string python = given != nullptr ? given : "python3";
    const std::string command = "'" + python + "' -c 'import vtk' >/dev/null 2>&1";
    return std::system(command.c_str()) == 0 ? python : ""; // NOLINT(cert-env33-c): as users do
}

/// This script prints what VTK's own reader finds: numbers of points and of the first cell's, then
/// tuples of points, "phi" and "gradient", as doubles.
const char* const reading = R"(import array, sys, vtk
reader = vtk.vtkXMLPolyDataReader()
reader.SetFileName(sys.argv[1])
reader.Update()
data = reader.GetOutput()
values = [data.GetNumberOfPoints(), data.GetCell(0).GetNumberOfPoints()]
fields = data.GetPointData()
for field in data.GetPoints().GetData(), fields.GetArray('phi'), fields.GetArray('gradient'):
    for i in range(field.GetNumberOfTuples()):
        values += field.GetTuple(i)
array.array('d', values).tofile(open(sys.argv[2], 'wb'))
)";

template <class T>
std::vector<T> values_of(const std::string& bytes) {
    std::vector<T> values(bytes.size() / sizeof(T));
    std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
    return values;
}

std::vector<double> counting(std::size_t n, double first) {
    std::vector<double> values(n);
    std::iota(values.begin(), values.end(), first);
    return values;
}

/// Points and values that all differ.
struct Sample {
    Points<3> points;
    std::vector<double> phi;
    std::array<std::vector<double>, 3> gradient;

    explicit Sample(std::size_t n) : phi(counting(n, 0.25)) {
        for (int d = 0; d < 3; ++d) {
            points.x[d] = counting(n, 1e6 * (d + 1));
            gradient[d] = counting(n, -1e-3 - 1e7 * d);
        }
    }

    void write(const std::string& path) const {
        const PointField fields[]{
            {"phi", {phi}}, {"gradient", {gradient[0], gradient[1], gradient[2]}}};
        write_vtp(path, points, fields);
    }

    /// Returns the coordinates, then phi, then gradients, each point by point.
    [[nodiscard]] std::vector<double> expected() const {
        std::vector<double> values;
        const auto append = [&values](const std::array<std::vector<double>, 3>& rows) {
            for (std::size_t i = 0; i < rows[0].size(); ++i) {
                values.insert(values.end(), {rows[0][i], rows[1][i], rows[2][i]});
            }
        };
        append(points.x);
        values.insert(values.end(), phi.begin(), phi.end());
        append(gradient);
        return values;
    }
};

} // namespace

TEST_CASE("vtp: elements name places in the appended data, which has what they say") {
    const TemporaryFolder folder;
    const Sample sample(2);
    sample.write(folder.file("a.vtp"));
    const std::string text = folder.bytes("a.vtp");
    CHECK(text.starts_with("<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\" version=\"1.0\" "));
    CHECK(text.find("header_type=\"UInt64\"") != std::string::npos);
    CHECK(text.find("<Piece NumberOfPoints=\"2\" NumberOfVerts=\"1\" ") != std::string::npos);
    CHECK(text.ends_with("\n</AppendedData>\n</VTKFile>\n"));
    const std::size_t data = text.find("<AppendedData encoding=\"raw\">\n_") + 31;
    const auto array_of = [&](const std::string& name) {
        const std::size_t element = text.find("Name=\"" + name + "\"");
        REQUIRE(element != std::string::npos);
        const std::size_t offset = text.find("offset=\"", element) + 8;
        const std::size_t place = data + std::stoull(text.substr(offset));
        std::uint64_t n_bytes = 0;
        std::memcpy(&n_bytes, text.data() + place, sizeof n_bytes);
        return text.substr(place + sizeof n_bytes, n_bytes);
    };
    using Doubles = std::vector<double>;
    using Integers = std::vector<std::int64_t>;
    CHECK(values_of<double>(array_of("phi")) == sample.phi);
    CHECK(values_of<double>(array_of("gradient")).size() == 6);
    CHECK(
        values_of<double>(array_of("Points")) == Doubles{1e6, 2e6, 3e6, 1e6 + 1, 2e6 + 1, 3e6 + 1}
    );
    CHECK(values_of<std::int64_t>(array_of("connectivity")) == Integers{0, 1});
    CHECK(values_of<std::int64_t>(array_of("offsets")) == Integers{2});
}

TEST_CASE("vtp: VTK's reader gets every value back") {
    const std::string python = vtk_python();
    if (python.empty()) {
        MESSAGE("skipped: no python3 that has vtk; VTK_PYTHON can name one");
        return;
    }
    const TemporaryFolder folder;
    const std::string script = folder.file("read.py", reading);
    for (const std::size_t n : {1, 3, 40'000}) { // the last in several blocks
        CAPTURE(n);
        const Sample sample(n);
        sample.write(folder.file("a.vtp"));
        const std::string command =
            "'" + python + "' " + script + " " + folder.file("a.vtp") + " " + folder.file("values");
        REQUIRE(std::system(command.c_str()) == 0); // NOLINT(cert-env33-c)
        std::vector<double> expected = sample.expected();
        expected.insert(expected.begin(), 2, static_cast<double>(n));
        CHECK(values_of<double>(folder.bytes("values")) == expected);
    }
}

TEST_CASE("vtp: output into a missing folder is rejected") {
    const TemporaryFolder folder;
    CHECK_THROWS_AS(Sample(3).write(folder.file("no") + "/a.vtp"), OutputError);
    CHECK(folder.n_files() == 0);
}

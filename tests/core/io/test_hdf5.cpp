// SPDX-License-Identifier: BSD-3-Clause
#include "core/error.hpp"
#include "core/io/hdf5.hpp"
#include "tests/support/temporary_folder.hpp"

#include <doctest/doctest.h>
#include <hdf5.h>

#include <array>
#include <filesystem>
#include <numeric>

using starfmm::Hdf5Reader;
using starfmm::Hdf5Writer;
using starfmm::InputError;
using starfmm::OutputError;

namespace {

std::vector<double> counting(std::size_t n) {
    std::vector<double> values(n);
    std::iota(values.begin(), values.end(), 0.5);
    return values;
}

void write_sample(const std::string& path, std::size_t rows = 5) {
    Hdf5Writer file(path);
    file.group("/G");
    file.attribute("/G", "number", 1.5);
    file.attribute("/G", "count", std::uint64_t{1} << 63U);
    file.attribute("/G", "flag", 7);
    file.attribute("/G", "name", "some text");
    file.attribute("/G", "three", std::array<double, 3>{1, 2, 3});
    file.attribute("/G", "four", std::array<std::uint32_t, 4>{4, 5, 6, 4'000'000'000});
    file.dataset("/G/rows", 3, counting(3 * rows));
    file.dataset("/G/line", 1, counting(rows));
    file.dataset("/G/ids", std::vector<std::uint64_t>(rows, ~std::uint64_t{0}));
    file.commit();
}

/// Expects that reading throws, with a message of the path and `message`.
template <class Read>
void check_fails(const std::string& path, const std::string& message, Read read) {
    CHECK_THROWS_WITH_AS(read(), (path + ": " + message).c_str(), InputError);
}

} // namespace

TEST_CASE("hdf5: values come back as they were written") {
    const TemporaryFolder folder;
    const std::string path = folder.file("a.hdf5");
    for (const std::size_t rows : {1, 5, 40'000}) { // the last in several chunks
        CAPTURE(rows);
        write_sample(path, rows);
        const Hdf5Reader file(path);
        CHECK(file.number("/G", "number") == 1.5);
        CHECK(file.integer("/G", "count") == std::uint64_t{1} << 63U);
        CHECK(file.integer("/G", "flag") == 7);
        CHECK(file.text("/G", "name") == "some text");
        CHECK(file.numbers("/G", "three", 3) == std::vector<double>{1, 2, 3});
        CHECK(file.numbers("/G", "four", 4) == std::vector<double>{4, 5, 6, 4e9});
        CHECK(file.values("/G/rows", rows, 3) == counting(3 * rows));
        CHECK(file.values("/G/line", rows, 1) == counting(rows));
        CHECK(file.integers("/G/ids", rows) == std::vector(rows, ~std::uint64_t{0}));
        CHECK(file.has("/G/rows"));
        CHECK_FALSE(file.has("/H/rows"));
        CHECK(file.has_attribute("/G", "three"));
        CHECK_FALSE(file.has_attribute("/G", "five"));
        CHECK_FALSE(file.has_attribute("/H", "three"));
    }
}

TEST_CASE("hdf5: equal content gives equal bytes") {
    const TemporaryFolder folder;
    write_sample(folder.file("a.hdf5"));
    write_sample(folder.file("b.hdf5"));
    CHECK(folder.bytes("a.hdf5") == folder.bytes("b.hdf5"));
}

TEST_CASE("hdf5: a file that is not committed leaves nothing") {
    const TemporaryFolder folder;
    {
        Hdf5Writer file(folder.file("a.hdf5"));
        file.group("/G");
    }
    CHECK(folder.n_files() == 0);
}

TEST_CASE("hdf5: what is missing or of another shape is named") {
    const TemporaryFolder folder;
    const std::string path = folder.file("a.hdf5");
    write_sample(path);
    const Hdf5Reader file(path);
    check_fails(path, "/G@five: is missing", [&] { return file.number("/G", "five"); });
    check_fails(path, "/H@number: is missing", [&] { return file.number("/H", "number"); });
    check_fails(path, "/G@three: has 3 values: 1 expected", [&] {
        return file.number("/G", "three");
    });
    check_fails(path, "/G/cells: is missing", [&] { return file.values("/G/cells", 5, 3); });
    check_fails(path, "/G/rows: has shape (5, 3): (6, 3) expected", [&] {
        return file.values("/G/rows", 6, 3);
    });
    check_fails(path, "/G/rows: has shape (5, 3): (5) expected", [&] {
        return file.values("/G/rows", 5, 1);
    });
    check_fails(path, "/G/line: has shape (5): (9) expected", [&] {
        return file.integers("/G/line", 9);
    });
}

TEST_CASE("hdf5: types that do not fit are refused, naming the object") {
    const TemporaryFolder folder;
    const std::string path = folder.file("a.hdf5");
    write_sample(path);
    const Hdf5Reader file(path);
    CHECK_THROWS_AS(static_cast<void>(file.number("/G", "name")), InputError);
    CHECK_THROWS_AS(static_cast<void>(file.text("/G", "number")), InputError);
    CHECK_THROWS_AS(static_cast<void>(file.values("/G", 5, 3)), InputError);
    const std::string whole = "holds other values than whole numbers: an integer type is expected";
    check_fails(path, "/G@number: " + whole, [&] { return file.integer("/G", "number"); });
    check_fails(path, "/G/line: " + whole, [&] { return file.integers("/G/line", 5); });
    check_fails(path, "/G@name: " + whole, [&] { return file.integer("/G", "name"); });
}

TEST_CASE("hdf5: whole numbers of every type come as they are, negative ones not at all") {
    const TemporaryFolder folder;
    const std::string path = folder.file("a.hdf5");
    const auto write = [&](hid_t type, const auto& values) {
        const hid_t file = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
        const hsize_t n = values.size();
        const hid_t space = H5Screate_simple(1, &n, nullptr);
        const hid_t set =
            H5Dcreate2(file, "/ids", type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        CHECK(H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) >= 0);
        H5Dclose(set);
        H5Sclose(space);
        H5Fclose(file);
    };
    const auto ids = [&] { return Hdf5Reader(path).integers("/ids", 3); };
    using Ids = std::vector<std::uint64_t>;
    write(H5T_NATIVE_INT32, std::vector<std::int32_t>{1, 0, 2'147'483'647});
    CHECK(ids() == Ids{1, 0, 2'147'483'647});
    write(H5T_NATIVE_UINT8, std::vector<std::uint8_t>{1, 0, 255});
    CHECK(ids() == Ids{1, 0, 255});
    write(H5T_NATIVE_UINT64, Ids{1, 0, ~std::uint64_t{0}});
    CHECK(ids() == Ids{1, 0, ~std::uint64_t{0}});
    const std::string expected = ": whole numbers from 0 on are expected";
    write(H5T_NATIVE_INT64, std::vector<std::int64_t>{1, -2, -3});
    check_fails(path, "/ids: holds -2" + expected, ids);
    write(H5T_NATIVE_INT8, std::vector<std::int8_t>{1, 2, -1});
    check_fails(path, "/ids: holds -1" + expected, ids);
}

TEST_CASE("hdf5: a pipe or device is refused before it is opened") {
    check_fails(
        "/dev/zero",
        "cannot be read: a regular file is expected, not a device or pipe",
        [] { return Hdf5Reader("/dev/zero").has("/"); }
    );
}

TEST_CASE("hdf5: files that are none are told apart") {
    const TemporaryFolder folder;
    const auto open = [](const std::string& path) { return [path] { Hdf5Reader{path}; }; };
    const std::string missing = folder.file("none.hdf5");
    check_fails(missing, "cannot be read: No such file or directory", open(missing));
    const std::string foreign = folder.file("a.hdf5", "some text");
    check_fails(foreign, "is not an HDF5 file", open(foreign));
    const std::string empty = folder.file("b.hdf5", "");
    check_fails(empty, "is not an HDF5 file", open(empty));
    std::filesystem::create_directory(folder.file("folder"));
    const std::string directory = folder.file("folder");
    check_fails(directory, "cannot be read: is a folder", open(directory));
}

TEST_CASE("hdf5: a file cut short anywhere is refused") {
    const TemporaryFolder folder;
    write_sample(folder.file("whole.hdf5"));
    const std::string whole = folder.bytes("whole.hdf5");
    for (std::size_t size = 0; size < whole.size(); size += 97) {
        CAPTURE(size);
        const std::string path = folder.file("cut.hdf5", whole.substr(0, size));
        CHECK_THROWS_AS(Hdf5Reader{path}, InputError);
    }
    const std::string path = folder.file("cut.hdf5", whole.substr(0, whole.size() - 1));
    CHECK_THROWS_AS(Hdf5Reader{path}, InputError);
}

TEST_CASE("hdf5: a changed byte of a dataset is found by its checksum") {
    const TemporaryFolder folder;
    write_sample(folder.file("whole.hdf5"));
    std::string bytes = folder.bytes("whole.hdf5");
    const std::vector<double> values = counting(15);
    const std::string as_bytes(reinterpret_cast<const char*>(values.data()), 8 * values.size());
    const std::size_t position = bytes.find(as_bytes);
    REQUIRE(position != std::string::npos);
    bytes[position + 17] ^= 4;
    const std::string path = folder.file("changed.hdf5", bytes);
    const Hdf5Reader file(path);
    const std::string message =
        path + ": /G/rows: cannot be read: "; // the rest is HDF5's own words
    try {
        static_cast<void>(file.values("/G/rows", 5, 3));
        FAIL("damaged values were read");
    } catch (const InputError& error) {
        CHECK(std::string(error.what()).starts_with(message));
        CHECK(error.what() != message + "unknown error of the HDF5 library");
    }
}

TEST_CASE("hdf5: failures to write are told") {
    const TemporaryFolder folder;
    const std::string missing = folder.file("missing/a.hdf5");
    CHECK_THROWS_WITH_AS(
        write_sample(missing),
        (missing + ": cannot be written: folder " + folder.file("missing") + " does not exist")
            .c_str(),
        OutputError
    );
    CHECK_THROWS_WITH_AS(
        write_sample("/dev/full"),
        "/dev/full: cannot be written: write: No space left on device",
        starfmm::WriteError
    );
    Hdf5Writer file(missing);
    CHECK_THROWS_AS(file.attribute("/missing", "name", 1.0), OutputError);
    file.group("/G");
    CHECK_THROWS_AS(file.group("/G"), OutputError);
    CHECK_THROWS_AS(file.dataset("/missing/a", 1, counting(3)), OutputError);
}

// SPDX-License-Identifier: BSD-3-Clause
#include "core/error.hpp"
#include "core/io/csv.hpp"
#include "core/io/hdf5.hpp"
#include "core/io/input_file.hpp"
#include "core/io/npy.hpp"
#include "schedulers/costs/tuning_cache.hpp"
#include "schedulers/trace/perfetto.hpp"
#include "tests/support/temporary_folder.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <filesystem>
#include <functional>
#include <map>

namespace {

using Reader = std::function<void(const std::string&)>;

/// Every reader of files that users name.
const std::map<std::string, Reader>& readers() {
    static const std::map<std::string, Reader> all{
        {"csv", [](const std::string& path) { starfmm::read_csv(path, {{"x"}}); }},
        {"npy", [](const std::string& path) { starfmm::read_npy(path, {{"x"}}); }},
        {"hdf5", [](const std::string& path) { starfmm::Hdf5Reader{path}; }},
        {"trace", [](const std::string& path) { (void)starfmm::read_trace(path); }}};
    return all;
}

} // namespace

TEST_CASE("input_file: no reader waits for a pipe, or reads what has no end") {
    const TemporaryFolder folder;
    const std::string pipe = folder.file("pipe");
    REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
    const std::string endless = folder.file("endless");
    std::filesystem::create_symlink("/dev/zero", endless);
    for (const auto& reader : readers()) {
        CAPTURE(reader.first);
        const auto& read = reader.second;
        for (const std::string& path : {pipe, endless}) {
            CHECK_THROWS_WITH_AS(
                read(path),
                (path + ": cannot be read: a regular file is expected, not a device or pipe")
                    .c_str(),
                starfmm::InputError
            );
        }
        CHECK_THROWS_WITH_AS(
            read(folder.file("")),
            (folder.file("") + ": cannot be read: is a folder").c_str(),
            starfmm::InputError
        );
        CHECK_THROWS_WITH_AS(
            read(folder.file("none")),
            (folder.file("none") + ": cannot be read: No such file or directory").c_str(),
            starfmm::InputError
        );
    }
}

TEST_CASE("input_file: links to files are files") {
    const TemporaryFolder folder;
    std::filesystem::create_symlink(folder.file("a", "text"), folder.file("link"));
    CHECK(starfmm::is_regular_file(folder.file("link")));
    std::string word;
    starfmm::open_input(folder.file("link")) >> word;
    CHECK(word == "text");
    CHECK_FALSE(starfmm::is_regular_file("/dev/zero"));
    CHECK_FALSE(starfmm::is_regular_file(folder.file("none")));
}

// SPDX-License-Identifier: BSD-3-Clause
#include "core/error.hpp"
#include "core/io/private_folder.hpp"
#include "tests/support/environment.hpp"
#include "tests/support/temporary_folder.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <filesystem>

using starfmm::is_usable_folder;
using starfmm::private_folder;

TEST_CASE("private_folder: one folder of the user's own, found again") {
    const TemporaryFolder folder;
    const Environment top("TMPDIR", folder.file(""));
    const std::string path = private_folder();
    CHECK(std::filesystem::status(path).permissions() == std::filesystem::perms::owner_all);
    CHECK(private_folder() == path);
    CHECK(folder.n_files() == 1);
}

TEST_CASE("private_folder: a folder that others may write to, or a link, is not taken") {
    const TemporaryFolder folder;
    const Environment top("TMPDIR", folder.file(""));
    const std::string path = private_folder();
    std::filesystem::permissions(path, std::filesystem::perms::all);
    const std::string other = private_folder();
    CHECK(other != path);
    CHECK(std::filesystem::status(other).permissions() == std::filesystem::perms::owner_all);
    std::filesystem::remove(path);
    std::filesystem::create_directory_symlink(other, path);
    CHECK(private_folder() != path);
}

TEST_CASE("private_folder: where nothing can be made it says so") {
    const Environment top("TMPDIR", "/proc");
    CHECK_THROWS_AS((void)private_folder(), starfmm::WriteError);
}

TEST_CASE("private_folder: usable folders are made, files and others' folders are not usable") {
    const TemporaryFolder folder;
    CHECK(is_usable_folder(folder.file("a/b/c")));
    CHECK(std::filesystem::is_directory(folder.file("a/b/c")));
    CHECK_FALSE(is_usable_folder(folder.file("file", "text")));
    CHECK_FALSE(is_usable_folder(folder.file("file") + "/below"));
    CHECK_FALSE(is_usable_folder("/proc/none"));
}

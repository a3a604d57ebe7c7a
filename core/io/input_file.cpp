// SPDX-License-Identifier: BSD-3-Clause
#include "core/io/input_file.hpp"

#include "core/error.hpp"

#include <cerrno>
#include <filesystem>
#include <system_error>

namespace starfmm {

namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const std::string& path, const std::string& why) {
    throw InputError(path + ": cannot be read: " + why);
}

} // namespace

bool is_regular_file(const std::string& path) {
    std::error_code ignored;
    return fs::is_regular_file(path, ignored);
}

std::ifstream open_input(const std::string& path) {
    std::error_code failed;
    const fs::file_status status = fs::status(path, failed);
    if (failed) {
        fail(path, failed.message());
    }
    if (fs::is_directory(status)) {
        fail(path, "is a folder");
    }
    if (!fs::is_regular_file(status)) { // asked before it is opened: opening a pipe waits, too
        fail(path, "a regular file is expected, not a device or pipe");
    }
    std::ifstream stream(path, std::ios::binary);
    if (!stream) {
        fail(path, std::generic_category().message(errno));
    }
    return stream;
}

} // namespace starfmm

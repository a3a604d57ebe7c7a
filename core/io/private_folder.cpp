// SPDX-License-Identifier: BSD-3-Clause
#include "core/io/private_folder.hpp"

#include "core/error.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <system_error>

namespace starfmm {

namespace {

namespace fs = std::filesystem;

constexpr mode_t owner_only = 0700;

/// Others might have made it first: whoever owns it could change what we read.
bool is_own(const std::string& path) {
    struct stat status {};

    return ::lstat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode) &&
           status.st_uid == ::geteuid() && (status.st_mode & 0777U) == owner_only;
}

} // namespace

bool is_usable_folder(const std::string& path) {
    std::error_code failed;
    fs::create_directories(path, failed);
    return fs::is_directory(path, failed) && ::access(path.c_str(), W_OK | X_OK) == 0;
}

std::string private_folder() {
    std::error_code failed;
    fs::path top = fs::temp_directory_path(failed);
    if (failed) { // TMPDIR names no folder
        top = "/tmp";
    }
    std::string path = top / ("starfmm-" + std::to_string(::geteuid()));
    if (::mkdir(path.c_str(), owner_only) == 0 || is_own(path)) {
        return path;
    }
    path += ".XXXXXX";
    if (::mkdtemp(path.data()) == nullptr) {
        throw WriteError(
            top.string() + ": no folder can be made: " + std::generic_category().message(errno)
        );
    }
    return path;
}

} // namespace starfmm

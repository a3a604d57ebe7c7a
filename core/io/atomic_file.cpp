// SPDX-License-Identifier: BSD-3-Clause
#include "core/io/atomic_file.hpp"

#include "core/error.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <filesystem>
#include <iterator>
#include <system_error>
#include <utility>

namespace starfmm {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t buffer_size = 1U << 20U; // far above a system call's cost per byte

[[noreturn]] void throw_output_error(const std::string& path, const std::string& reason) {
    throw OutputError(path + ": cannot be written: " + reason);
}

/// Permissions and kinds that rename() would silently ignore.
void check_target(const std::string& path) {
    std::error_code ignored;
    if (path.empty()) {
        throw OutputError("output file: the name is empty");
    }
    if (fs::is_directory(path, ignored)) {
        throw_output_error(path, "is a folder");
    }
    if (fs::exists(path, ignored) && ::access(path.c_str(), W_OK) != 0) {
        throw_output_error(path, std::generic_category().message(errno));
    }
    const fs::path folder = fs::path(path).parent_path();
    if (!folder.empty() && !fs::is_directory(folder, ignored)) {
        throw_output_error(path, "folder " + folder.string() + " does not exist");
    }
}

/// Whether the system lacks something, whatever the name.
bool is_lack(int error) {
    constexpr int lacks[]{ENOSPC, EDQUOT, EFBIG, EIO, EMFILE, ENFILE, ENOMEM};
    return std::find(std::begin(lacks), std::end(lacks), error) != std::end(lacks);
}

/// Names of temporary files, which live as long as they are here. Far more than are ever open at
/// once; a file beyond them would outlive a signal.
std::array<std::atomic<const char*>, 64> temporaries;

void keep_in_mind(const char* name) {
    for (std::atomic<const char*>& place : temporaries) {
        const char* empty = nullptr;
        if (place.compare_exchange_strong(empty, name)) {
            return;
        }
    }
}

void forget(const char* name) {
    for (std::atomic<const char*>& place : temporaries) {
        const char* expected = name;
        place.compare_exchange_strong(expected, nullptr);
    }
}

std::string follow_links(const std::string& path) {
    std::error_code failed;
    const fs::path target = fs::weakly_canonical(path, failed);
    return failed ? path : target.string();
}

} // namespace

AtomicFile::AtomicFile(std::string path) : path_(std::move(path)) {
    check_target(path_);
    buffer_.reserve(buffer_size);
    if (!is_written_directly(path_)) {
        target_ = follow_links(path_);
        open_temporary();
        return;
    }
    descriptor_ = ::open(path_.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
    if (descriptor_ < 0) {
        throw_write_error(path_, "open", errno);
    }
}

AtomicFile::~AtomicFile() {
    if (descriptor_ >= 0) {
        ::close(descriptor_);
    }
    if (!temporary_.empty()) {
        ::unlink(temporary_.c_str());
        forget(temporary_.c_str());
    }
}

void AtomicFile::open_temporary() {
    // Not mkstemp: its files are private to the owner, whatever the umask allows.
    const std::string stem = target_ + ".tmp." + std::to_string(::getpid()) + ".";
    for (int attempt = 0; descriptor_ < 0; ++attempt) {
        const std::string name = stem + std::to_string(attempt);
        descriptor_ = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (descriptor_ >= 0) {
            temporary_ = name;
            keep_in_mind(temporary_.c_str());
        } else if (errno != EEXIST) {
            throw_write_error(path_, "open", errno);
        }
    }
}

void AtomicFile::write(std::string_view bytes) {
    if (buffer_.size() + bytes.size() > buffer_size) {
        flush();
    }
    if (bytes.size() >= buffer_size) {
        write_through(bytes);
    } else {
        buffer_.append(bytes);
    }
}

void AtomicFile::flush() {
    write_through(buffer_);
    buffer_.clear();
}

void AtomicFile::write_through(std::string_view bytes) {
    if (const int error = write_all(descriptor_, bytes); error != 0) {
        throw_write_error(path_, "write", error);
    }
}

void AtomicFile::commit() {
    flush();
    // Pipes and terminals have nothing to make durable and say so by EINVAL or EROFS.
    if (::fsync(descriptor_) != 0 && !temporary_.empty()) {
        throw_write_error(path_, "fsync", errno);
    }
    if (::close(std::exchange(descriptor_, -1)) != 0) {
        throw_write_error(path_, "close", errno);
    }
    if (!temporary_.empty()) {
        if (::rename(temporary_.c_str(), target_.c_str()) != 0) {
            throw_write_error(path_, "rename", errno);
        }
        forget(temporary_.c_str());
        temporary_.clear();
    }
}

bool is_written_directly(const std::string& path) {
    std::error_code ignored;
    const fs::file_status status = fs::status(path, ignored);
    const bool is_special =
        fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status);
    const fs::path folder = fs::path(path).parent_path();
    return is_special || (fs::exists(status) && (folder == "/dev" || folder == "/dev/fd"));
}

void check_writable(const std::string& path) {
    if (is_written_directly(path)) {
        check_target(path); // opening a pipe would wait for its reader
    } else {
        const AtomicFile probe(path);
    }
}

int write_all(int descriptor, std::string_view bytes) noexcept {
    while (!bytes.empty()) {
        const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
        if (written >= 0) {
            bytes.remove_prefix(static_cast<std::size_t>(written));
        } else if (errno != EINTR) {
            return errno;
        }
    }
    return 0;
}

void throw_write_error(const std::string& path, const char* action, int error) {
    const std::string message =
        path + ": cannot be written: " + action + ": " + std::generic_category().message(error);
    if (is_lack(error)) {
        throw WriteError(message);
    }
    throw OutputError(message);
}

void remove_temporary_files() noexcept {
    for (std::atomic<const char*>& place : temporaries) {
        if (const char* const name = place.exchange(nullptr)) {
            ::unlink(name);
        }
    }
}

} // namespace starfmm

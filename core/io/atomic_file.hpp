// SPDX-License-Identifier: BSD-3-Clause
// A file that appears complete or not at all.
#pragma once

#include <string>
#include <string_view>

namespace starfmm {

/// Writes to a temporary file beside `path`, which commit() renames to `path`; without commit() the
/// destructor removes it. A device or pipe (`/dev/stdout`) cannot be replaced: it is written to
/// directly. Every write is checked.
class AtomicFile {
public:
    /// \throws OutputError if the folder does not exist or `path` cannot be written; WriteError if
    /// the disk is full, here and below
    explicit AtomicFile(std::string path);

    AtomicFile(const AtomicFile&) = delete;
    AtomicFile& operator=(const AtomicFile&) = delete;
    ~AtomicFile();

    /// Appends; buffered.
    /// \throws WriteError
    void write(std::string_view bytes);

    /// Appends the bytes of a number.
    template <class T>
    void write_number(T value) {
        write({reinterpret_cast<const char*>(&value), sizeof value});
    }

    /// Makes the file durable, then visible under its name.
    /// \throws WriteError
    void commit();

private:
    void open_temporary();
    void flush();
    void write_through(std::string_view bytes);

    std::string path_;      ///< the path as the user wrote it, for messages
    std::string target_;    ///< the file to replace, symbolic links followed
    std::string temporary_; ///< empty once there is nothing to remove
    std::string buffer_;
    int descriptor_ = -1;
};

/// Whether `path` is no file that another could replace: a device, a pipe, or what the shell has
/// opened for us.
[[nodiscard]] bool is_written_directly(const std::string& path);

/// Finds out before a long computation whether `path` can be written; leaves nothing behind.
/// \throws OutputError or WriteError if not.
void check_writable(const std::string& path);

/// Writes all of `bytes`, however often the system takes only a part.
/// \returns 0, or the error's number
[[nodiscard]] int write_all(int descriptor, std::string_view bytes) noexcept;

/// \throws WriteError if the disk or the process lacks what `action` on `path` took, else
/// OutputError
[[noreturn]] void throw_write_error(const std::string& path, const char* action, int error);

/// Removes what AtomicFiles have not committed: for handlers of signals that end the process.
/// Async-signal-safe.
void remove_temporary_files() noexcept;

} // namespace starfmm

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
    /// \throws OutputError if the folder does not exist or `path` cannot be written.
    explicit AtomicFile(std::string path);

    AtomicFile(const AtomicFile&) = delete;
    AtomicFile& operator=(const AtomicFile&) = delete;
    ~AtomicFile();

    /// Appends; buffered.
    /// \throws OutputError
    void write(std::string_view bytes);

    /// Makes the file durable, then visible under its name.
    /// \throws OutputError
    void commit();

private:
    void open_temporary();
    void flush();
    void write_through(std::string_view bytes);
    [[noreturn]] void fail(const char* action, int code) const;

    std::string path_;      ///< as the user wrote it, for messages
    std::string target_;    ///< the file to replace, symbolic links followed
    std::string temporary_; ///< empty once there is nothing to remove
    std::string buffer_;
    int descriptor_ = -1;
};

/// Finds out before a long computation whether `path` can be written; leaves nothing behind.
/// \throws OutputError if not.
void check_writable(const std::string& path);

} // namespace starfmm

// SPDX-License-Identifier: BSD-3-Clause
// A file of the fuzzer's bytes, for readers that want a path.
#pragma once

#include <stdlib.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

/// A regular file of these bytes, as long as it lives: in memory, but under a path, which HDF5 asks
/// for.
class FuzzedFile {
public:
    FuzzedFile(const std::uint8_t* bytes, std::size_t n) {
        const int descriptor = mkstemp(path_.data());
        if (descriptor < 0 || write(descriptor, bytes, n) != static_cast<ssize_t>(n)) {
            std::abort(); // no room: nothing that the input could cause
        }
        close(descriptor);
    }

    FuzzedFile(const FuzzedFile&) = delete;
    FuzzedFile& operator=(const FuzzedFile&) = delete;

    ~FuzzedFile() { unlink(path_.c_str()); }

    [[nodiscard]] const std::string& path() const { return path_; }

private:
    std::string path_ = "/dev/shm/starfmm-fuzz-XXXXXX";
};

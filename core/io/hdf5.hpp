// SPDX-License-Identifier: BSD-3-Clause
// What writing and reading HDF5 have in common. The library's own header is included by sources
// only.
#pragma once

#include <cstdint>
#include <string>

namespace starfmm {

/// Owner of one of the library's identifiers.
class Hdf5Id {
public:
    using Close = int (*)(std::int64_t);

    Hdf5Id(std::int64_t id, Close close) : id_(id), close_(close) {}

    Hdf5Id(const Hdf5Id&) = delete;
    Hdf5Id& operator=(const Hdf5Id&) = delete;
    Hdf5Id(Hdf5Id&& other) noexcept;
    Hdf5Id& operator=(Hdf5Id&& other) = delete;
    ~Hdf5Id();

    /// Negative where the call that made it failed.
    [[nodiscard]] std::int64_t get() const { return id_; }

    /// \returns a negative value if the library could not
    int close();

    [[nodiscard]] bool is_valid() const { return id_ >= 0; }

private:
    std::int64_t id_;
    Close close_;
};

/// The library prints no failure meanwhile: it is reported once, by an exception.
class QuietHdf5 {
public:
    QuietHdf5();
    QuietHdf5(const QuietHdf5&) = delete;
    QuietHdf5& operator=(const QuietHdf5&) = delete;
    ~QuietHdf5();

private:
    int (*function_)(std::int64_t, void*) = nullptr;
    void* data_ = nullptr;
};

/// What the library says of the failure that its last call met, in its innermost function.
[[nodiscard]] std::string hdf5_reason();

} // namespace starfmm

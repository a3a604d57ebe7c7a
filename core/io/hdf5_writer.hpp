// SPDX-License-Identifier: BSD-3-Clause
// Writing groups, attributes and datasets of an HDF5 file.
#pragma once

#include "core/io/hdf5.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace starfmm {

/// A file made in memory and written by commit(): it appears complete or not at all, and holds no
/// time stamps, so that equal content gives equal bytes. Datasets carry checksums. Not thread-safe,
/// as HDF5 is not.
class Hdf5Writer {
public:
    /// \throws OutputError naming `path`
    explicit Hdf5Writer(std::string path);
    Hdf5Writer(const Hdf5Writer&) = delete;
    Hdf5Writer& operator=(const Hdf5Writer&) = delete;
    ~Hdf5Writer() = default;

    /// \param name absolute, its parent made before
    void group(const std::string& name);

    /// An attribute of a group: a number, several, or a text.
    void attribute(const std::string& group, const std::string& name, double value);
    void attribute(const std::string& group, const std::string& name, std::int32_t value);
    void attribute(const std::string& group, const std::string& name, std::uint64_t value);
    void attribute(const std::string& group, const std::string& name, const std::string& text);
    void
    attribute(const std::string& group, const std::string& name, std::span<const double> values);
    void attribute(
        const std::string& group, const std::string& name, std::span<const std::uint32_t> values
    );

    /// A dataset of shape (size / columns, columns), or (size) for one column.
    /// \param values row by row
    void dataset(const std::string& name, std::size_t columns, std::span<const double> values);
    void dataset(const std::string& name, std::span<const std::uint64_t> values);

    /// Writes the file and makes it durable. The last call on a writer.
    /// \throws OutputError
    void commit();

private:
    [[noreturn]] void fail(const std::string& object) const;
    /// Writes `n` numbers of HDF5's type `type` that stand at `data`; a scalar for n = 0.
    void write_attribute(
        const std::string& group,
        const std::string& name,
        std::int64_t type,
        std::size_t n,
        const void* data
    );
    void write_dataset(
        const std::string& name,
        std::int64_t type,
        std::span<const std::uint64_t> shape,
        const void* data
    );

    std::string path_;
    std::vector<char> image_; ///< bytes of the file; whoever holds the file holds a pointer to them
    Hdf5Id file_;
};

} // namespace starfmm

// SPDX-License-Identifier: BSD-3-Clause
// Reading attributes and datasets of an HDF5 file.
#pragma once

#include "core/io/hdf5.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace starfmm {

/// A file opened for reading. Every function throws InputError naming the file, the object and what
/// is wrong with it.
class Hdf5Reader {
public:
    explicit Hdf5Reader(std::string path);

    /// Whether the object or attribute exists.
    [[nodiscard]] bool has(const std::string& object) const;
    [[nodiscard]] bool has_attribute(const std::string& group, const std::string& name) const;

    [[nodiscard]] double number(const std::string& group, const std::string& name) const;
    /// A whole number from 0 on, stored as such.
    [[nodiscard]] std::uint64_t integer(const std::string& group, const std::string& name) const;
    [[nodiscard]] std::string text(const std::string& group, const std::string& name) const;

    /// An attribute of exactly `n` values.
    [[nodiscard]] std::vector<double>
    numbers(const std::string& group, const std::string& name, std::size_t n) const;

    /// A dataset of shape (rows, columns), or (rows) for one column; row by row.
    [[nodiscard]] std::vector<double>
    values(const std::string& name, std::size_t rows, std::size_t columns) const;
    /// A dataset of whole numbers from 0 on, stored as such: HDF5 would make 0 of -1 and 4 of 4.5.
    [[nodiscard]] std::vector<std::uint64_t>
    integers(const std::string& name, std::size_t rows) const;

    /// \throws InputError "FILE: OBJECT: PROBLEM"
    [[noreturn]] void fail(const std::string& object, const std::string& problem) const;

private:
    /// An attribute of exactly `n` values.
    [[nodiscard]] Hdf5Id
    open_attribute(const std::string& group, const std::string& name, std::size_t n) const;
    void read_attribute(
        const std::string& object, const Hdf5Id& attribute, std::int64_t type, void* into
    ) const;
    /// \throws InputError unless the dataset has this shape
    [[nodiscard]] Hdf5Id
    open_dataset(const std::string& name, std::span<const std::uint64_t> shape) const;
    void
    read_all(const std::string& name, const Hdf5Id& dataset, std::int64_t type, void* into) const;
    /// The library's type of 64 bits that holds every value of the stored one.
    /// \throws InputError unless these are whole numbers
    [[nodiscard]] std::int64_t wide_integer(const std::string& object, const Hdf5Id& stored) const;
    /// \throws InputError if values of this type are negative
    void check_not_negative(
        const std::string& object, std::int64_t type, std::span<const std::uint64_t> values
    ) const;

    std::string path_;
    Hdf5Id file_;
};

} // namespace starfmm

// SPDX-License-Identifier: BSD-3-Clause
// Attributes and datasets of HDF5 files, written and read. The library's own header is included by
// sources only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace starfmm {

/// Owner of one of the library's identifiers.
class Hdf5Id {
public:
    using Close = int (*)(std::int64_t);

    Hdf5Id(std::int64_t id, Close close) : id_(id), close_(close) {}

    Hdf5Id(const Hdf5Id&) = delete;
    Hdf5Id& operator=(const Hdf5Id&) = delete;

    Hdf5Id(Hdf5Id&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}

    Hdf5Id& operator=(Hdf5Id&& other) = delete;

    ~Hdf5Id() {
        if (is_valid()) {
            close();
        }
    }

    /// Negative where the call that made it failed.
    [[nodiscard]] std::int64_t get() const { return id_; }

    /// \returns a negative value if the library could not
    int close() { return close_(std::exchange(id_, -1)); }

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

/// An attribute's value: a number, a text, or several numbers.
using Hdf5Value = std::variant<
    double,
    std::int32_t,
    std::uint64_t,
    std::string,
    std::span<const double>,
    std::span<const std::uint32_t>>;

/// A file made in memory and written by commit(): it appears complete or not at all, and holds no
/// time stamps, so that equal content gives equal bytes. Datasets carry checksums. Not thread-safe,
/// as HDF5 is not.
class Hdf5Writer {
public:
    /// \throws OutputError naming `path`
    explicit Hdf5Writer(std::string path);

    /// \param name absolute, its parent made before
    void group(const std::string& name);

    void attribute(const std::string& group, const std::string& name, const Hdf5Value& value);

    /// A dataset of shape (size / columns, columns), or (size) for one column.
    /// \param values row by row
    void dataset(const std::string& name, std::size_t columns, std::span<const double> values);
    void dataset(const std::string& name, std::span<const std::uint64_t> values);

    /// Writes the file and makes it durable. The last call on a writer.
    /// \throws OutputError
    void commit();

private:
    [[noreturn]] void fail(const std::string& object) const;
    void write_dataset(
        const std::string& name,
        std::int64_t type,
        std::span<const std::uint64_t> shape,
        const void* data
    );

    QuietHdf5 quiet_;
    std::string path_;
    std::vector<char> image_; ///< bytes of the file; whoever holds the file holds a pointer to them
    Hdf5Id file_;
};

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
    /// \throws InputError unless the attribute has `n` values
    [[nodiscard]] Hdf5Id
    open_attribute(const std::string& group, const std::string& name, std::size_t n) const;
    /// \throws InputError unless the dataset has this shape
    [[nodiscard]] Hdf5Id
    open_dataset(const std::string& name, std::span<const std::uint64_t> shape) const;

    QuietHdf5 quiet_;
    std::string path_;
    Hdf5Id file_;
};

} // namespace starfmm

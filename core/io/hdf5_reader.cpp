// SPDX-License-Identifier: BSD-3-Clause
#include "core/error.hpp"
#include "core/io/hdf5.hpp"
#include "core/io/input_file.hpp"

#include <hdf5.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <functional>
#include <numeric>
#include <system_error>
#include <utility>

namespace starfmm {

namespace {

std::string shape_text(std::span<const std::uint64_t> shape) {
    std::string text = "(";
    for (const std::uint64_t n : shape) {
        text += (text.size() > 1 ? ", " : "") + std::to_string(n);
    }
    return text + ")";
}

std::vector<std::uint64_t> shape_of(const Hdf5Id& space) {
    std::array<hsize_t, H5S_MAX_RANK> sizes{};
    const int rank = H5Sget_simple_extent_dims(space.get(), sizes.data(), nullptr);
    return {sizes.begin(), sizes.begin() + std::max(rank, 0)};
}

/// Bytes that a dataset of this shape takes in memory, in numbers of 64 bits.
double bytes_of(std::span<const std::uint64_t> shape) {
    return std::accumulate(shape.begin(), shape.end(), 8.0, std::multiplies<>{});
}

std::int64_t open_existing(const std::string& path) {
    static_cast<void>(open_input(path)); // which says why it cannot be read
    if (H5Fis_hdf5(path.c_str()) <= 0) {
        throw InputError(path + ": is not an HDF5 file");
    }
    const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
    if (file < 0) {
        throw InputError(path + ": is damaged: " + hdf5_reason());
    }
    return file;
}

/// \param code what the library returned
void check_read(const Hdf5Reader& file, const std::string& object, herr_t code) {
    if (code < 0) {
        file.fail(object, "cannot be read: " + hdf5_reason());
    }
}

herr_t read_all(const Hdf5Id& dataset, hid_t type, void* into) {
    return H5Dread(dataset.get(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, into);
}

/// The library's type of 64 bits that holds every value of the stored one.
/// \throws InputError unless these are whole numbers
hid_t wide_integer(const Hdf5Reader& file, const std::string& object, const Hdf5Id& stored) {
    if (H5Tget_class(stored.get()) != H5T_INTEGER) {
        file.fail(object, "holds other values than whole numbers: an integer type is expected");
    }
    return H5Tget_sign(stored.get()) == H5T_SGN_NONE ? H5T_NATIVE_UINT64 : H5T_NATIVE_INT64;
}

/// \throws InputError if values of this type are negative
void check_not_negative(
    const Hdf5Reader& file,
    const std::string& object,
    hid_t type,
    std::span<const std::uint64_t> values
) {
    for (const std::uint64_t bits : values) {
        const auto value = static_cast<std::int64_t>(bits);
        if (value < 0 && H5Tget_sign(type) != H5T_SGN_NONE) {
            const std::string text = std::to_string(value);
            file.fail(object, "holds " + text + ": whole numbers from 0 on are expected");
        }
    }
}

} // namespace

Hdf5Reader::Hdf5Reader(std::string path)
    : path_(std::move(path)), file_(open_existing(path_), H5Fclose) {}

void Hdf5Reader::fail(const std::string& object, const std::string& problem) const {
    throw InputError(path_ + ": " + object + ": " + problem);
}

bool Hdf5Reader::has(const std::string& object) const {
    for (std::size_t end = object.find('/', 1); end != std::string::npos;
         end = object.find('/', end + 1)) { // the library wants every part to exist
        if (H5Lexists(file_.get(), object.substr(0, end).c_str(), H5P_DEFAULT) <= 0) {
            return false;
        }
    }
    return H5Lexists(file_.get(), object.c_str(), H5P_DEFAULT) > 0;
}

bool Hdf5Reader::has_attribute(const std::string& group, const std::string& name) const {
    return has(group) &&
           H5Aexists_by_name(file_.get(), group.c_str(), name.c_str(), H5P_DEFAULT) > 0;
}

Hdf5Id
Hdf5Reader::open_attribute(const std::string& group, const std::string& name, std::size_t n) const {
    const std::string object = group + "@" + name;
    if (!has_attribute(group, name)) {
        fail(object, "is missing");
    }
    Hdf5Id opened(
        H5Aopen_by_name(file_.get(), group.c_str(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT),
        H5Aclose
    );
    const Hdf5Id space(H5Aget_space(opened.get()), H5Sclose);
    const hssize_t size = H5Sget_simple_extent_npoints(space.get());
    if (size != static_cast<hssize_t>(n)) {
        fail(object, "has " + std::to_string(size) + " values: " + std::to_string(n) + " expected");
    }
    return opened;
}

double Hdf5Reader::number(const std::string& group, const std::string& name) const {
    return numbers(group, name, 1).front();
}

std::uint64_t Hdf5Reader::integer(const std::string& group, const std::string& name) const {
    const std::string object = group + "@" + name;
    const Hdf5Id attribute = open_attribute(group, name, 1);
    const hid_t type = wide_integer(*this, object, {H5Aget_type(attribute.get()), H5Tclose});
    std::uint64_t value = 0;
    check_read(*this, object, H5Aread(attribute.get(), type, &value));
    check_not_negative(*this, object, type, std::span(&value, 1));
    return value;
}

std::string Hdf5Reader::text(const std::string& group, const std::string& name) const {
    constexpr std::size_t longest = 256;
    const Hdf5Id type(H5Tcopy(H5T_C_S1), H5Tclose);
    H5Tset_size(type.get(), longest); // shorter texts are padded
    std::string value(longest, '\0');
    const Hdf5Id attribute = open_attribute(group, name, 1);
    check_read(*this, group + "@" + name, H5Aread(attribute.get(), type.get(), value.data()));
    return value.substr(0, value.find('\0'));
}

std::vector<double>
Hdf5Reader::numbers(const std::string& group, const std::string& name, std::size_t n) const {
    std::vector<double> values(n);
    const Hdf5Id attribute = open_attribute(group, name, n);
    const herr_t code = H5Aread(attribute.get(), H5T_NATIVE_DOUBLE, values.data());
    check_read(*this, group + "@" + name, code);
    return values;
}

Hdf5Id
Hdf5Reader::open_dataset(const std::string& name, std::span<const std::uint64_t> shape) const {
    Hdf5Id opened(H5Dopen2(file_.get(), name.c_str(), H5P_DEFAULT), H5Dclose);
    if (!opened.is_valid()) {
        const std::string why = hdf5_reason();
        fail(name, has(name) ? "cannot be opened: " + why : "is missing");
    }
    const Hdf5Id space(H5Dget_space(opened.get()), H5Sclose);
    const std::vector<std::uint64_t> found = shape_of(space);
    if (!std::equal(found.begin(), found.end(), shape.begin(), shape.end())) {
        fail(name, "has shape " + shape_text(found) + ": " + shape_text(shape) + " expected");
    }
    constexpr double most_compressed = 1100; // deflate's best is 1030
    std::error_code failed;
    const std::uintmax_t n_bytes = std::filesystem::file_size(path_, failed);
    if (!failed && bytes_of(shape) > most_compressed * static_cast<double>(n_bytes)) {
        fail(
            name,
            "has shape " + shape_text(found) + ": a file of " + std::to_string(n_bytes) +
                " bytes does not hold so many values"
        );
    }
    return opened;
}

std::vector<double>
Hdf5Reader::values(const std::string& name, std::size_t rows, std::size_t columns) const {
    const std::array<std::uint64_t, 2> shape{rows, columns};
    const Hdf5Id opened = open_dataset(name, std::span(shape).first(columns == 1 ? 1 : 2));
    std::vector<double> into(rows * columns);
    check_read(*this, name, read_all(opened, H5T_NATIVE_DOUBLE, into.data()));
    return into;
}

std::vector<std::uint64_t> Hdf5Reader::integers(const std::string& name, std::size_t rows) const {
    const std::array<std::uint64_t, 1> shape{rows};
    const Hdf5Id opened = open_dataset(name, shape);
    const hid_t type = wide_integer(*this, name, {H5Dget_type(opened.get()), H5Tclose});
    std::vector<std::uint64_t> into(rows);
    check_read(*this, name, read_all(opened, type, into.data()));
    check_not_negative(*this, name, type, into);
    return into;
}

} // namespace starfmm

// SPDX-License-Identifier: BSD-3-Clause
#include "core/error.hpp"
#include "core/io/atomic_file.hpp"
#include "core/io/hdf5.hpp"

#include <hdf5.h>

#include <algorithm>
#include <array>
#include <new>
#include <string_view>
#include <utility>
#include <vector>

namespace starfmm {

namespace {

constexpr std::size_t growth = 1U << 20U;    // of a file in memory
constexpr hsize_t rows_of_chunk = 1U << 14U; // 3 columns: 384 KiB, within the library's chunk cache

/// Properties of new groups, datasets or the file: no time stamps.
Hdf5Id creation(hid_t kind) {
    Hdf5Id properties(H5Pcreate(kind), H5Pclose);
    H5Pset_obj_track_times(properties.get(), false);
    return properties;
}

/// Lets the library grow the file in `image`. Nothing may be thrown through its C frames.
void* resize_image(void* /*old*/, std::size_t size, H5FD_file_image_op_t /*why*/, void* image) {
    try {
        auto& bytes = *static_cast<std::vector<char>*>(image);
        bytes.resize(size);
        return bytes.data();
    } catch (const std::bad_alloc&) {
        return nullptr;
    }
}

/// The library's copies of its settings share one image, which outlives them.
H5FD_file_image_callbacks_t image_callbacks(std::vector<char>& image) {
    H5FD_file_image_callbacks_t callbacks{};
    callbacks.image_realloc = resize_image;
    callbacks.image_free = [](void*, H5FD_file_image_op_t, void*) -> herr_t { return 0; };
    callbacks.udata_copy = [](void* shared) { return shared; };
    callbacks.udata_free = [](void*) -> herr_t { return 0; };
    callbacks.udata = &image;
    return callbacks;
}

std::int64_t create_in_memory(const std::string& path, std::vector<char>& image) {
    const Hdf5Id access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
    const Hdf5Id properties = creation(H5P_FILE_CREATE);
    H5FD_file_image_callbacks_t callbacks = image_callbacks(image);
    // 1.8's format: read by every tool in use, and the first whose metadata carry checksums. No
    // blocks of metadata: what remains of the last one would lie behind the file's end.
    if (H5Pset_fapl_core(access.get(), growth, false) < 0 ||
        H5Pset_file_image_callbacks(access.get(), &callbacks) < 0 ||
        H5Pset_libver_bounds(access.get(), H5F_LIBVER_V18, H5F_LIBVER_V18) < 0 ||
        H5Pset_meta_block_size(access.get(), 0) < 0 ||
        H5Pset_small_data_block_size(access.get(), 0) < 0) {
        return -1;
    }
    return H5Fcreate(path.c_str(), H5F_ACC_TRUNC, properties.get(), access.get());
}

/// An attribute as the library takes it; n = 0: a scalar.
struct Hdf5Attribute {
    Hdf5Id type;
    hsize_t n;
    const void* data;
};

Hdf5Id type_of(double /*value*/) {
    return {H5Tcopy(H5T_NATIVE_DOUBLE), H5Tclose};
}

Hdf5Id type_of(std::int32_t /*value*/) {
    return {H5Tcopy(H5T_NATIVE_INT32), H5Tclose};
}

Hdf5Id type_of(std::uint32_t /*value*/) {
    return {H5Tcopy(H5T_NATIVE_UINT32), H5Tclose};
}

Hdf5Id type_of(std::uint64_t /*value*/) {
    return {H5Tcopy(H5T_NATIVE_UINT64), H5Tclose};
}

template <class T>
Hdf5Attribute described(const T& number) {
    return {type_of(number), 0, &number};
}

template <class T>
Hdf5Attribute described(const std::span<const T>& numbers) {
    return {type_of(T()), numbers.size(), numbers.data()};
}

Hdf5Attribute described(const std::string& text) {
    Hdf5Id type(H5Tcopy(H5T_C_S1), H5Tclose);
    H5Tset_size(type.get(), std::max<std::size_t>(text.size(), 1));
    H5Tset_strpad(type.get(), H5T_STR_NULLPAD);
    return {std::move(type), 0, text.c_str()};
}

} // namespace

Hdf5Writer::Hdf5Writer(std::string path)
    : path_(std::move(path)), file_(create_in_memory(path_, image_), H5Fclose) {
    if (!file_.is_valid()) {
        fail("file in memory");
    }
}

void Hdf5Writer::fail(const std::string& object) const {
    throw OutputError(path_ + ": " + object + ": cannot be written: " + hdf5_reason());
}

void Hdf5Writer::group(const std::string& name) {
    const Hdf5Id properties = creation(H5P_GROUP_CREATE);
    const Hdf5Id made(
        H5Gcreate2(file_.get(), name.c_str(), H5P_DEFAULT, properties.get(), H5P_DEFAULT), H5Gclose
    );
    if (!made.is_valid()) {
        fail(name);
    }
}

void Hdf5Writer::attribute(
    const std::string& group, const std::string& name, const Hdf5Value& value
) {
    const Hdf5Attribute given = std::visit([](const auto& each) { return described(each); }, value);
    const Hdf5Id space(
        given.n == 0 ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &given.n, nullptr), H5Sclose
    );
    const char* const of = group.c_str();
    const hid_t type = given.type.get();
    const Hdf5Id made(
        H5Acreate_by_name(
            file_.get(), of, name.c_str(), type, space.get(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT
        ),
        H5Aclose
    );
    if (!made.is_valid() || H5Awrite(made.get(), type, given.data) < 0) {
        fail(group + "@" + name);
    }
}

void Hdf5Writer::write_dataset(
    const std::string& name,
    std::int64_t type,
    std::span<const std::uint64_t> shape,
    const void* data
) {
    std::vector<hsize_t> sizes(shape.begin(), shape.end());
    const auto rank = static_cast<int>(sizes.size());
    const Hdf5Id space(H5Screate_simple(rank, sizes.data(), nullptr), H5Sclose);
    sizes.front() = std::clamp<hsize_t>(sizes.front(), 1, rows_of_chunk);
    const Hdf5Id properties = creation(H5P_DATASET_CREATE);
    H5Pset_chunk(properties.get(), rank, sizes.data());
    H5Pset_fletcher32(properties.get());
    const Hdf5Id made(
        H5Dcreate2(
            file_.get(), name.c_str(), type, space.get(), H5P_DEFAULT, properties.get(), H5P_DEFAULT
        ),
        H5Dclose
    );
    if (!made.is_valid() || H5Dwrite(made.get(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) < 0) {
        fail(name);
    }
}

void Hdf5Writer::dataset(
    const std::string& name, std::size_t columns, std::span<const double> values
) {
    const std::array<std::uint64_t, 2> shape{values.size() / columns, columns};
    const std::size_t rank = columns == 1 ? 1 : 2;
    write_dataset(name, H5T_NATIVE_DOUBLE, std::span(shape).first(rank), values.data());
}

void Hdf5Writer::dataset(const std::string& name, std::span<const std::uint64_t> values) {
    const std::array<std::uint64_t, 1> shape{values.size()};
    write_dataset(name, H5T_NATIVE_UINT64, shape, values.data());
}

void Hdf5Writer::commit() {
    const bool is_flushed = H5Fflush(file_.get(), H5F_SCOPE_LOCAL) >= 0;
    const ssize_t size = H5Fget_file_image(file_.get(), nullptr, 0); // the size only
    if (!is_flushed || size < 0 || file_.close() < 0) {
        fail("file in memory");
    }
    AtomicFile file(path_);
    file.write(std::string_view(image_.data(), static_cast<std::size_t>(size)));
    file.commit();
}

} // namespace starfmm

// SPDX-License-Identifier: BSD-3-Clause
#include "starfmm/c/structs.hpp"

#include "core/config.hpp"
#include "core/error.hpp"

#include <initializer_list>
#include <type_traits>

namespace starfmm::c {

namespace {

// Without padding: what a later version adds lies behind all that an earlier one has.
static_assert(sizeof(starfmm_kernel) == 2 * sizeof(void*) + 2 * sizeof(double) + 4 * sizeof(int));
static_assert(sizeof(starfmm_options) == 2 * sizeof(void*) + 4 * sizeof(double) + 6 * sizeof(int));
static_assert(sizeof(starfmm_array) == 8 * sizeof(void*) + 2 * sizeof(int));
static_assert(sizeof(starfmm_const_array) == sizeof(starfmm_array));

constexpr std::size_t step = 8; // of the sizes of all versions of a struct

template <class Array>
Array array(const Array* given, const std::string& name) {
    const Array array = taken(given, name);
    if (array.data == nullptr) {
        throw InputError(name + ".data = NULL: must point to the first number");
    }
    if (array.n_rhs == 0) {
        throw InputError(name + ".n_rhs = 0: must be at least 1");
    }
    check_range(name + ".number", array.number, STARFMM_DOUBLE, STARFMM_FLOAT);
    if (array.gpu < 0) {
        throw InputError(
            name + ".gpu = " + std::to_string(array.gpu) +
            ": must be 0 in host memory, or one more than CUDA's number of the GPU"
        );
    }
    return array;
}

template <class View, class Array>
View view(
    const Array& array,
    std::initializer_list<std::size_t> extents,
    std::initializer_list<std::ptrdiff_t> strides
) {
    constexpr bool is_read = std::is_const_v<std::remove_pointer_t<decltype(array.data)>>;
    using Double = std::conditional_t<is_read, const double, double>;
    using Float = std::conditional_t<is_read, const float, float>;
    const View view = array.number == STARFMM_DOUBLE
                          ? View(static_cast<Double*>(array.data), extents, strides)
                          : View(static_cast<Float*>(array.data), extents, strides);
    return array.gpu > 0 ? view.on_gpu(array.gpu - 1) : view;
}

template <class View, class Array>
View view_of_tables(const Array* given, const std::string& name) {
    const Array tables = array(given, name);
    return view<View>(
        tables,
        {tables.n_rhs, tables.n_points, tables.n_components},
        {tables.rhs_stride, tables.point_stride, tables.component_stride}
    );
}

} // namespace

void check_size(const std::string& name, std::size_t size, std::size_t known) {
    constexpr std::size_t most = 4096; // what no version exceeds: numbers that nobody has set do
    if (size < step || size > most || size % step != 0) {
        throw InputError(
            name + ".size = " + std::to_string(size) + ": must be that of the struct, " +
            std::to_string(known) + " in this version"
        );
    }
}

void check_unknown(const std::string& name, std::span<const char> bytes, std::size_t known) {
    const auto unknown = bytes.subspan(std::min(bytes.size(), known));
    if (std::ranges::any_of(unknown, [](char byte) { return byte != 0; })) {
        throw InputError(
            name + ": version " + version + " knows the first " + std::to_string(known) +
            " of its " + std::to_string(bytes.size()) + " bytes; those after them must be 0"
        );
    }
}

ConstArrayView points(const starfmm_const_array* given, const std::string& name) {
    const starfmm_const_array points = array(given, name);
    if (points.n_rhs != 1) {
        throw InputError(
            name + ".n_rhs = " + std::to_string(points.n_rhs) + ": must be 1 of points"
        );
    }
    return view<ConstArrayView>(
        points,
        {points.n_points, points.n_components},
        {points.point_stride, points.component_stride}
    );
}

ConstArrayView tables(const starfmm_const_array* given, const std::string& name) {
    return view_of_tables<ConstArrayView>(given, name);
}

ArrayView tables(const starfmm_array* given, const std::string& name) {
    return view_of_tables<ArrayView>(given, name);
}

} // namespace starfmm::c

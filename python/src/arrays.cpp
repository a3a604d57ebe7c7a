// SPDX-License-Identifier: BSD-3-Clause
#include "arrays.hpp"

namespace starfmm::python {

namespace {

template <class View, class T, class Array>
View strided(T* data, const Array& array) {
    switch (array.ndim()) {
    case 1:
        return View(data, {array.shape(0)}, {array.stride(0)});
    case 2:
        return View(data, {array.shape(0), array.shape(1)}, {array.stride(0), array.stride(1)});
    case 3:
        return View(
            data,
            {array.shape(0), array.shape(1), array.shape(2)},
            {array.stride(0), array.stride(1), array.stride(2)}
        );
    default:
        throw InputError("an array has one to three extents");
    }
}

} // namespace

ConstArrayView view_of(const ReadArray& array) {
    if (array.dtype() == nanobind::dtype<float>()) {
        return strided<ConstArrayView>(static_cast<const float*>(array.data()), array);
    }
    if (array.dtype() == nanobind::dtype<double>()) {
        return strided<ConstArrayView>(static_cast<const double*>(array.data()), array);
    }
    throw InputError("an array has floats or doubles");
}

ArrayView view_of(const WrittenArray& array) {
    if (array.dtype() == nanobind::dtype<float>()) {
        return strided<ArrayView>(static_cast<float*>(array.data()), array);
    }
    if (array.dtype() == nanobind::dtype<double>()) {
        return strided<ArrayView>(static_cast<double*>(array.data()), array);
    }
    throw InputError("an array has floats or doubles");
}

} // namespace starfmm::python

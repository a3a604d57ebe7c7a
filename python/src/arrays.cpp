// SPDX-License-Identifier: BSD-3-Clause
#include "arrays.hpp"

namespace starfmm::python {

namespace {

using ReadArray = nanobind::ndarray<nanobind::ro, nanobind::device::cpu>;
using WrittenArray = nanobind::ndarray<nanobind::device::cpu>;

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

template <class View, class Float, class Double, class Array>
View view_of(nanobind::handle object) {
    const auto array = nanobind::cast<Array>(object);
    const auto view = [&]() -> View {
        if (array.dtype() == nanobind::dtype<float>()) {
            return strided<View>(static_cast<Float*>(array.data()), array);
        }
        if (array.dtype() == nanobind::dtype<double>()) {
            return strided<View>(static_cast<Double*>(array.data()), array);
        }
        throw InputError("an array has floats or doubles");
    }();
    const nanobind::object gpu = nanobind::getattr(object, "gpu", nanobind::none());
    return gpu.is_none() ? view : view.on_gpu(nanobind::cast<int>(gpu));
}

} // namespace

ConstArrayView view_of_read(nanobind::handle array) {
    return view_of<ConstArrayView, const float, const double, ReadArray>(array);
}

ArrayView view_of_written(nanobind::handle array) {
    return view_of<ArrayView, float, double, WrittenArray>(array);
}

} // namespace starfmm::python

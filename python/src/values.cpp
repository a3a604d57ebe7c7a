// SPDX-License-Identifier: BSD-3-Clause
// Kernels and reports: values that are taken from Python and given to it.
#include "choices.hpp"
#include "starfmm/starfmm.hpp"
#include "sum.hpp"

#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <sstream>
#include <string>

namespace nb = nanobind;
using nb::literals::operator""_a;

namespace starfmm::python {

namespace {

template <class Printed>
std::string text_of(const Printed& printed) {
    std::ostringstream text;
    text << printed;
    std::string lines = text.str();
    if (lines.ends_with('\n')) {
        lines.pop_back();
    }
    return lines;
}

} // namespace

void bind_kernels(nb::module_& module) {
    nb::class_<ValuePart>(module, "ValuePart")
        .def_ro("name", &ValuePart::name)
        .def_ro("size", &ValuePart::size);
    nb::class_<Kernel>(module, "Kernel")
        .def_prop_ro("name", [](const Kernel& self) { return self.shape().name; })
        .def_prop_ro("dimension", [](const Kernel& self) { return self.shape().dimension; })
        .def_prop_ro("strengths", [](const Kernel& self) { return self.shape().strengths; })
        .def_prop_ro("parts", [](const Kernel& self) { return self.shape().values; });
    module.def("kernel_named", kernel_named, "name"_a, "parameters"_a);
    nb::class_<Tolerance>(module, "Tolerance");
    module.def(
        "l2", [](double value) { return Tolerance(L2{value}); }, "value"_a
    );
    module.def(
        "median",
        [](double value, double p99) {
            return Tolerance(Median{value, p99});
        },
        "value"_a,
        "p99"_a
    );
}

void bind_reports(nb::module_& module) {
    nb::class_<Report>(module, "Report", "What a sum does, and what it took.")
        .def_ro("kernel", &Report::kernel)
        .def_prop_ro("method", [](const Report& self) { return name_of(self.method); })
        .def_ro("why_direct", &Report::why_direct, "Why no tree has the tolerance, if none has.")
        .def_prop_ro("precision", [](const Report& self) { return name_of(self.precision); })
        .def_ro(
            "why_precision",
            &Report::why_precision,
            "Why it is finer than the one that was asked for, if it is."
        )
        .def_ro("n_sources", &Report::n_sources)
        .def_ro("n_targets", &Report::n_targets)
        .def_prop_ro("tree", [](const Report& self) { return name_of(self.tree); })
        .def_ro("order", &Report::order)
        .def_ro("theta", &Report::theta)
        .def_ro("levels", &Report::levels)
        .def_ro("leaves", &Report::leaves)
        .def_ro("leaf_size", &Report::leaf_size, "Most points of a leaf, but of a pyramid.")
        .def_ro("roots", &Report::roots)
        .def_ro("groups", &Report::groups)
        .def_ro("chunks", &Report::chunks)
        .def_ro("predicted_fmm_s", &Report::predicted_fmm_s)
        .def_ro("predicted_direct_s", &Report::predicted_direct_s)
        .def_ro("plan_s", &Report::plan_s, "Seconds that the last plan took.")
        .def_ro("evaluate_s", &Report::evaluate_s, "Seconds that the last evaluation took.")
        .def_ro("tolerance", &Report::tolerance)
        .def_ro("reachable_tolerance", &Report::reachable_tolerance)
        .def_ro("cores", &Report::cores)
        .def_ro("gpus", &Report::gpus)
        .def("__repr__", text_of<Report>);
    nb::class_<PartErrors>(
        module, "PartErrors", "Errors of one part of the values, relative to the values."
    )
        .def_ro("name", &PartErrors::name)
        .def_ro("l2", &PartErrors::l2)
        .def_ro("median", &PartErrors::median)
        .def_ro("p99", &PartErrors::p99)
        .def_ro("max", &PartErrors::max)
        .def_ro("rounding", &PartErrors::rounding);
    nb::class_<Errors>(module, "Errors", "Errors of values against sums in extended precision.")
        .def_ro("checked", &Errors::checked, "The number of targets.")
        .def_ro("parts", &Errors::parts)
        .def_ro("are_allowed", &Errors::are_allowed, "Whether the tolerance was kept.")
        .def("__repr__", text_of<Errors>);
}

} // namespace starfmm::python

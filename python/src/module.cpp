// SPDX-License-Identifier: BSD-3-Clause
// The module starfmm._core: the library, for the package's own use.
#include "core/error.hpp"
#include "sum.hpp"

#include <nanobind/nanobind.h>

#include <array>
#include <exception>
#include <string>
#include <utility>

namespace nb = nanobind;

namespace starfmm::python {

namespace {

/// Begins a message of the library with what the package calls the same argument.
std::string in_python(const std::string& message) {
    constexpr std::array<std::pair<const char*, const char*>, 8> names{{
        {"sources", "x"},
        {"strengths", "q"},
        {"masses", "m"},
        {"tolerance", "tol"},
        {"n_targets", "n"},
        {"Workers: ", ""},
        {"cpus", "cores"},
        {"--path ", "path = "},
    }};
    for (const auto& [ours, theirs] : names) {
        if (message.starts_with(ours)) {
            return theirs + message.substr(std::string(ours).size());
        }
    }
    return message;
}

void raise(const char* type, const std::string& message) {
    const nb::object error = nb::module_::import_("starfmm._errors").attr(type);
    PyErr_SetString(error.ptr(), message.c_str());
}

/// What the library throws, as Python's exceptions; the most special ones first.
void translate(const std::exception_ptr& thrown, void* /*none*/) {
    try {
        std::rethrow_exception(thrown);
    } catch (const InputError& error) {
        raise("InputError", in_python(error.what()));
    } catch (const MemoryError& error) {
        PyErr_SetString(PyExc_MemoryError, error.what());
    } catch (const WriteError& error) {
        PyErr_SetString(PyExc_OSError, error.what());
    } catch (const Error& error) {
        raise("Error", error.what());
    }
}

} // namespace

} // namespace starfmm::python

NB_MODULE(_core, module) {
    using namespace starfmm::python;
    nanobind::register_exception_translator(translate);
    bind_context(module);
    bind_kernels(module);
    bind_reports(module);
    bind_sum(module);
    bind_leapfrog(module);
}

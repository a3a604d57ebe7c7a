// SPDX-License-Identifier: BSD-3-Clause
// What the module has of the library: contexts, kernels, sums, reports and runs.
#pragma once

#include <nanobind/nanobind.h>

namespace starfmm::python {

void bind_context(nanobind::module_& module);
void bind_kernels(nanobind::module_& module);
void bind_reports(nanobind::module_& module);
void bind_sum(nanobind::module_& module);
void bind_leapfrog(nanobind::module_& module);

} // namespace starfmm::python

// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/user_arrays.hpp"

#include "core/points.hpp"

namespace starfmm {

Handle user_input(
    Runtime& runtime,
    const std::vector<double>& values,
    Runtime::Staging role,
    const std::string& what,
    double limit
) {
    if (values.empty()) {
        return {};
    }
    auto* data = const_cast<double*>(values.data());
    if (double* pinned = runtime.staging(role, values.size())) {
        copy_finite(values, what, limit, pinned);
        data = pinned;
    } else {
        check_finite(values, what, limit);
    }
    return {data, values.size(), sizeof(double), runtime.home()};
}

Handle user_output(Runtime& runtime, std::vector<double>& values, Runtime::Staging role) {
    if (values.empty()) {
        return {};
    }
    double* pinned = runtime.staging(role, values.size());
    double* data = pinned != nullptr ? pinned : values.data();
    return {data, values.size(), sizeof(double), runtime.home()};
}

void finish_output(Runtime& runtime, std::vector<double>& values, Runtime::Staging role) {
    if (values.empty()) {
        return;
    }
    if (const double* pinned = runtime.staging(role, values.size())) {
        copy_values(pinned, values.size(), values.data());
    }
}

} // namespace starfmm

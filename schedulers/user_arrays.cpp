// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/user_arrays.hpp"

#include "codelets/cuda_devices.hpp"
#include "core/points.hpp"

#include <span>

namespace starfmm {

namespace {

/// Whether tasks use the array in its place although a GPU takes part.
bool is_direct(Runtime& runtime, const std::vector<double>& values) {
    return runtime.resident(values.data()) != nullptr ||
           (runtime.n_cuda() > 0 && is_page_locked(values.data()));
}

} // namespace

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
    if (const auto* resident = runtime.resident(values.data())) {
        return resident->handle->alias();
    }
    auto* data = const_cast<double*>(values.data());
    if (!is_direct(runtime, values)) {
        if (double* pinned = runtime.staging(role, values.size())) {
            copy_finite(values, what, limit, pinned);
            data = pinned;
        } else {
            check_finite(values, what, limit);
        }
    }
    return {data, values.size(), sizeof(double), runtime.home()};
}

void check_user_input(
    Runtime& runtime, const std::vector<double>& values, const std::string& what, double limit
) {
    auto* resident = runtime.resident(values.data());
    if (resident != nullptr && resident->checked_limit > 0 && resident->checked_limit <= limit) {
        return;
    }
    if (is_direct(runtime, values)) {
        check_finite(values, what, limit);
    }
    if (resident != nullptr) {
        resident->checked_limit = limit;
    }
}

Handle
user_output(Runtime& runtime, std::vector<double>& values, Runtime::Staging role, Results when) {
    if (values.empty()) {
        return {};
    }
    if (const auto* resident = runtime.resident(values.data())) {
        return resident->handle->alias();
    }
    if (runtime.home() == Handle::Home::device) {
        return {values.size(), sizeof(double), runtime.home()};
    }
    double* data = values.data();
    if (!is_direct(runtime, values)) {
        if (double* pinned = runtime.staging(role, values.size())) {
            data = pinned;
        }
    }
    Handle handle(data, values.size(), sizeof(double), runtime.home());
    if (when == Results::at_once) {
        handle.write_through();
    }
    return handle;
}

void finish_output(
    Runtime& runtime, Handle handle, std::vector<double>& values, Runtime::Staging role
) {
    if (values.empty() || runtime.resident(values.data()) != nullptr) {
        return;
    }
    if (runtime.home() == Handle::Home::device) {
        handle.read(std::span(values));
        return;
    }
    if (runtime.spins()) {
        handle.spin_until_home();
    }
    handle = {}; // brings the results home
    if (is_direct(runtime, values)) {
        return;
    }
    if (const double* pinned = runtime.staging(role, values.size())) {
        copy_values(pinned, values.size(), values.data());
    }
}

Resident::Resident(Runtime& runtime, std::vector<double>& values)
    : runtime_(runtime), values_(values),
      handle_(values.data(), values.size(), sizeof(double), runtime.home()) {
    runtime.add_resident(values.data(), handle_);
}

Resident::~Resident() {
    runtime_.remove_resident(values_.data());
}

void Resident::bring_home() {
    handle_.read(std::span(values_));
}

} // namespace starfmm

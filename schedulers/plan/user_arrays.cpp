// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/plan/user_arrays.hpp"

#include "codelets/task/cuda_devices.hpp"
#include "core/particles/points.hpp"

#include <algorithm>

namespace starfmm {

namespace {

/// Whether tasks use the array in its place although a GPU takes part.
bool is_direct(Runtime& runtime, const std::vector<double>& values) {
    return runtime.arrays().resident(values.data()) != nullptr ||
           (runtime.n_cuda() > 0 && is_page_locked(values.data()));
}

} // namespace

std::vector<Handle> user_input(
    Runtime& runtime,
    const std::vector<double>& values,
    ArrayRole role,
    const std::string& what,
    InputCheck& check,
    std::size_t n_parts
) {
    if (values.empty()) {
        return {};
    }
    if (auto* resident = runtime.arrays().resident(values.data())) {
        return resident->parts(n_parts);
    }
    auto* data = const_cast<double*>(values.data());
    if (!is_direct(runtime, values)) {
        if (double* pinned = runtime.arrays().staging(role, values.size())) {
            check.all_in &= copy_if_finite(check.range, values, what, pinned);
            data = pinned;
        } else {
            check.all_in &= are_in(check.range, values, what);
        }
    }
    return handles_of_parts({data, values.size()}, n_parts, runtime.home());
}

void check_user_input(
    Runtime& runtime, const std::vector<double>& values, const std::string& what, InputCheck& check
) {
    auto* resident = runtime.arrays().resident(values.data());
    if (resident != nullptr && resident->checked == check.range) {
        check.all_in &= resident->all_in;
        return;
    }
    bool all_in = true;
    if (is_direct(runtime, values)) {
        all_in = are_in(check.range, values, what);
        check.all_in &= all_in;
    }
    if (resident != nullptr) {
        resident->checked = check.range;
        resident->all_in = all_in;
    }
}

std::vector<Handle> user_output(
    Runtime& runtime, std::vector<double>& values, ArrayRole role, Results when, std::size_t n_parts
) {
    if (values.empty()) {
        return {};
    }
    if (auto* resident = runtime.arrays().resident(values.data())) {
        return resident->parts(n_parts);
    }
    double* data = values.data();
    if (!is_direct(runtime, values)) {
        if (double* pinned = runtime.arrays().staging(role, values.size())) {
            data = pinned;
        }
    }
    std::vector<Handle> handles = handles_of_parts({data, values.size()}, n_parts, runtime.home());
    if (when == Results::at_once) {
        std::ranges::for_each(handles, &Handle::write_through);
    }
    return handles;
}

void finish_output(
    Runtime& runtime, std::vector<Handle> handles, std::vector<double>& values, ArrayRole role
) {
    if (values.empty() || runtime.arrays().resident(values.data()) != nullptr) {
        return;
    }
    if (runtime.home() == Handle::Home::device) {
        read_parts(handles, values);
        return;
    }
    if (runtime.spins()) {
        std::ranges::for_each(handles, &Handle::spin_until_home);
    }
    handles.clear(); // brings the results home
    if (is_direct(runtime, values)) {
        return;
    }
    if (const double* pinned = runtime.arrays().staging(role, values.size())) {
        copy_values(pinned, values.size(), values.data());
    }
}

void write_output(
    Runtime& runtime, const std::vector<double>& results, std::vector<double>& values
) {
    if (auto* resident = runtime.arrays().resident(values.data())) {
        resident->assign(results);
    } else {
        std::ranges::copy(results, values.begin());
    }
}

} // namespace starfmm

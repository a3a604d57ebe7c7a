// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/plan/user_arrays.hpp"

#include "codelets/task/cuda_devices.hpp"
#include "core/particles/points.hpp"

#include <algorithm>
#include <iterator>
#include <span>

namespace starfmm {

namespace {

/// Whether tasks use the array in its place although a GPU takes part.
bool is_direct(Runtime& runtime, const std::vector<double>& values) {
    return runtime.resident(values.data()) != nullptr ||
           (runtime.n_cuda() > 0 && is_page_locked(values.data()));
}

std::vector<Handle>
handles_of_parts(double* data, std::size_t n, std::size_t n_parts, Handle::Home home) {
    std::vector<Handle> handles;
    for (std::size_t part = 0; part < n_parts; ++part) {
        const std::size_t begin = part_begin(n, n_parts, part);
        const std::size_t end = part_begin(n, n_parts, part + 1);
        handles.emplace_back(data + begin, end - begin, sizeof(double), home);
    }
    return handles;
}

void read_parts(std::vector<Handle>& handles, std::vector<double>& values) {
    std::size_t begin = 0;
    for (Handle& handle : handles) {
        handle.read(std::span(values).subspan(begin, handle.size()));
        begin += handle.size();
    }
}

} // namespace

std::vector<Handle> user_input(
    Runtime& runtime,
    const std::vector<double>& values,
    Runtime::StagingPlace role,
    const std::string& what,
    InputCheck& check,
    std::size_t n_parts
) {
    if (values.empty()) {
        return {};
    }
    if (const auto* resident = runtime.resident(values.data())) {
        return resident->owner->parts(n_parts);
    }
    auto* data = const_cast<double*>(values.data());
    if (!is_direct(runtime, values)) {
        if (double* pinned = runtime.staging(role, values.size())) {
            check.all_in &= copy_if_finite(check.range, values, what, pinned);
            data = pinned;
        } else {
            check.all_in &= are_in(check.range, values, what);
        }
    }
    return handles_of_parts(data, values.size(), n_parts, runtime.home());
}

void check_user_input(
    Runtime& runtime, const std::vector<double>& values, const std::string& what, InputCheck& check
) {
    auto* resident = runtime.resident(values.data());
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
    Runtime& runtime,
    std::vector<double>& values,
    Runtime::StagingPlace role,
    Results when,
    std::size_t n_parts
) {
    if (values.empty()) {
        return {};
    }
    if (const auto* resident = runtime.resident(values.data())) {
        return resident->owner->parts(n_parts);
    }
    double* data = values.data();
    if (!is_direct(runtime, values)) {
        if (double* pinned = runtime.staging(role, values.size())) {
            data = pinned;
        }
    }
    std::vector<Handle> handles = handles_of_parts(data, values.size(), n_parts, runtime.home());
    if (when == Results::at_once) {
        std::ranges::for_each(handles, &Handle::write_through);
    }
    return handles;
}

void finish_output(
    Runtime& runtime,
    std::vector<Handle> handles,
    std::vector<double>& values,
    Runtime::StagingPlace role
) {
    if (values.empty() || runtime.resident(values.data()) != nullptr) {
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
    if (const double* pinned = runtime.staging(role, values.size())) {
        copy_values(pinned, values.size(), values.data());
    }
}

void write_output(
    Runtime& runtime, const std::vector<double>& results, std::vector<double>& values
) {
    if (const auto* resident = runtime.resident(values.data())) {
        resident->owner->assign(results);
    } else {
        std::ranges::copy(results, values.begin());
    }
}

Resident::Resident(Runtime& runtime, std::vector<double>& values)
    : runtime_(runtime), values_(values),
      parts_(handles_of_parts(values.data(), values.size(), 1, runtime.home())) {
    runtime.add_resident(values.data(), *this);
}

Resident::~Resident() {
    runtime_.remove_resident(values_.data());
}

void Resident::bring_home() {
    read_parts(parts_, values_);
}

void Resident::assign(const std::vector<double>& values) {
    const double* from = values.data();
    double* to = values_.data();
    for (Handle& part : parts_) {
        part.overwrite();
        std::copy_n(from, part.size(), to);
        part.publish(to);
        from += part.size();
        to += part.size();
    }
}

std::vector<Handle> Resident::parts(std::size_t n_parts) {
    if (n_parts != parts_.size()) {
        bring_home();
        parts_ = handles_of_parts(values_.data(), values_.size(), n_parts, runtime_.home());
    }
    std::vector<Handle> names;
    std::ranges::transform(parts_, std::back_inserter(names), &Handle::alias);
    return names;
}

} // namespace starfmm

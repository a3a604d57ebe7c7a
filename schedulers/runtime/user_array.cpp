// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/runtime/user_array.hpp"

#include "codelets/task/cuda_devices.hpp"
#include "schedulers/runtime/gpu_array.hpp"
#include "schedulers/runtime/runtime.hpp"

#include <algorithm>
#include <utility>

namespace starfmm {

UserArray::UserArray(Runtime& runtime, std::span<double> values, ArrayPlace place)
    : runtime_(&runtime), values_(values), place_(place),
      resident_(values.empty() ? nullptr : runtime.arrays().resident(values.data())),
      is_page_locked_(runtime.n_cuda() > 0 && !values.empty() && is_page_locked(values.data())) {}

double* UserArray::pinned() const {
    return is_direct() ? nullptr : runtime_->arrays().staging(place_, values_.size());
}

std::vector<Handle> UserArray::handles(double* data, std::size_t n_parts) const {
    if (resident_ != nullptr) {
        return resident_->parts(n_parts);
    }
    return handles_of_parts({data, values_.size()}, n_parts, runtime_->home());
}

UserInput::UserInput(
    Runtime& runtime,
    std::span<const double> values,
    ArrayPlace place,
    std::string name,
    const ValueRange& range
)
    : UserArray(runtime, as_mutable(values), place), name_(std::move(name)), range_(range) {}

std::vector<Handle> UserInput::parts(std::size_t n_parts) {
    if (values_.empty()) {
        return {};
    }
    if (double* copy = pinned()) {
        all_in_ = copy_if_finite(range_, values_, name_, copy);
        return handles(copy, n_parts);
    }
    if (!is_direct()) {
        check();
    }
    return handles(values_.data(), n_parts);
}

bool UserInput::check() {
    if (!all_in_ && resident_ != nullptr && resident_->checked == range_) {
        all_in_ = resident_->all_in;
    }
    if (!all_in_) {
        note(are_in(range_, HostArray(*runtime_, values_).values(), name_));
    }
    return *all_in_;
}

void UserInput::note(bool are_in) {
    all_in_ = are_in;
    if (resident_ != nullptr) {
        resident_->checked = range_;
        resident_->all_in = are_in;
    }
}

void look_on_gpus(Runtime& runtime, std::span<UserInput> arrays) {
    std::vector<UserInput*> looked_at;
    std::vector<ResidentArray*> residents;
    for (UserInput& array : arrays) {
        ResidentArray* const resident = array.resident_;
        if (resident != nullptr && resident->gpu() && resident->checked != array.range_) {
            looked_at.push_back(&array);
            residents.push_back(resident);
        }
    }
    if (looked_at.empty()) {
        return;
    }
    const std::vector<bool> out = are_out(runtime, residents, looked_at.front()->range_);
    for (std::size_t i = 0; i < looked_at.size(); ++i) {
        if (!out[i]) {
            looked_at[i]->note(true);
        } else {
            looked_at[i]->check(); // names what is not finite
        }
    }
}

bool check_all(std::span<UserInput> arrays) {
    bool all_in = true;
    for (UserInput& array : arrays) {
        all_in = array.check() && all_in;
    }
    return all_in;
}

std::vector<Handle> UserOutput::parts(std::size_t n_parts) const {
    if (values_.empty()) {
        return {};
    }
    double* copy = pinned();
    std::vector<Handle> parts = handles(copy != nullptr ? copy : values_.data(), n_parts);
    if (when_ == Results::at_once && !is_resident()) {
        std::ranges::for_each(parts, &Handle::write_through);
    }
    return parts;
}

void UserOutput::finish(std::vector<Handle> handles) const {
    if (values_.empty() || is_resident()) {
        return;
    }
    if (runtime_->home() == Handle::Home::device) {
        read_parts(handles, values_);
        return;
    }
    if (runtime_->spins()) {
        std::ranges::for_each(handles, &Handle::spin_until_home);
    }
    handles.clear(); // waits and brings the results home
    if (const double* copy = pinned()) {
        copy_values(copy, values_.size(), values_.data());
    }
}

void UserOutput::write(std::span<const double> results) const {
    if (resident_ != nullptr) {
        resident_->assign(results);
    } else {
        std::ranges::copy(results, values_.begin());
    }
}

namespace {

PointArrays user_points(
    Runtime& runtime,
    const PointsRef& points,
    const std::array<ArrayRole, 3>& roles,
    const std::string& name,
    const ValueRange& range
) {
    PointArrays arrays;
    for (std::size_t d = 0; d < points.x.size(); ++d) {
        const std::string of_coordinate = name + "." + coordinate_names[d];
        arrays.x.emplace_back(runtime, points.x[d], roles[d], of_coordinate, range);
    }
    look_on_gpus(runtime, arrays.x);
    return arrays;
}

} // namespace

PointArrays user_sources(Runtime& runtime, const PointsRef& points, const ValueRange& range) {
    constexpr std::array roles{ArrayRole::source_x, ArrayRole::source_y, ArrayRole::source_z};
    return user_points(runtime, points, roles, "sources", range);
}

PointArrays user_targets(Runtime& runtime, const PointsRef& points, const ValueRange& range) {
    constexpr std::array roles{ArrayRole::target_x, ArrayRole::target_y, ArrayRole::target_z};
    return user_points(runtime, points, roles, "targets", range);
}

} // namespace starfmm

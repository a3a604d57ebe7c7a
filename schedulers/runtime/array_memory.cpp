// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/runtime/array_memory.hpp"

#include "core/error.hpp"

#include <algorithm>
#include <iterator>

namespace starfmm {

std::vector<Handle>
handles_of_parts(std::span<double> values, std::size_t n_parts, Handle::Home home) {
    std::vector<Handle> handles;
    for (std::size_t part = 0; part < n_parts; ++part) {
        const std::size_t begin = part_begin(values.size(), n_parts, part);
        const std::size_t end = part_begin(values.size(), n_parts, part + 1);
        handles.emplace_back(values.data() + begin, end - begin, sizeof(double), home);
    }
    return handles;
}

void read_parts(std::vector<Handle>& parts, std::span<double> values) {
    for (Handle& part : parts) {
        part.read(values.first(part.size()));
        values = values.subspan(part.size());
    }
}

ResidentArray::ResidentArray(std::span<double> values, Handle::Home home)
    : values_(values), home_(home), parts_(handles(1)) {}

ResidentArray::ResidentArray(std::span<double> values, std::size_t gpu, unsigned node)
    : values_(values), home_(Handle::Home::starpu), gpu_(gpu), node_(node), parts_(handles(1)) {}

std::vector<Handle> ResidentArray::handles(std::size_t n_parts) const {
    if (!gpu_) {
        return handles_of_parts(values_, n_parts, home_);
    }
    std::vector<Handle> handles;
    for (std::size_t part = 0; part < n_parts; ++part) {
        const std::size_t begin = part_begin(values_.size(), n_parts, part);
        const std::size_t end = part_begin(values_.size(), n_parts, part + 1);
        handles.push_back(
            Handle::in_memory(node_, values_.data() + begin, end - begin, sizeof(double))
        );
    }
    return handles;
}

void ResidentArray::bring_home() {
    if (!gpu_) {
        read_parts(parts_, values_);
        return;
    }
    for (Handle& part : parts_) {
        part.release_in(node_);
    }
}

void ResidentArray::assign(std::span<const double> values) {
    const double* from = values.data();
    if (gpu_) {
        for (Handle& part : parts_) {
            part.assign(from);
            from += part.size();
        }
        return;
    }
    double* to = values_.data();
    for (Handle& part : parts_) {
        part.overwrite();
        std::copy_n(from, part.size(), to);
        part.publish(to);
        from += part.size();
        to += part.size();
    }
}

std::vector<Handle> ResidentArray::parts(std::size_t n_parts) {
    if (n_parts != parts_.size()) {
        bring_home();
        parts_.clear(); // memory is registered once at a time
        parts_ = handles(n_parts);
    }
    std::vector<Handle> names;
    std::ranges::transform(parts_, std::back_inserter(names), &Handle::alias);
    return names;
}

ResidentArray* ArrayMemory::resident(const double* data) {
    const auto found = residents_.find(data);
    return found == residents_.end() ? nullptr : &found->second;
}

template <class... Where>
ResidentArray& ArrayMemory::keep_there(std::span<double> values, Where... where) {
    const auto [entry, is_new] = residents_.try_emplace(values.data(), values, where...);
    if (!is_new) {
        throw InputError("the array has a Resident already: it can have one at a time");
    }
    return entry->second;
}

ResidentArray& ArrayMemory::keep(std::span<double> values, Handle::Home home) {
    return keep_there(values, home);
}

ResidentArray& ArrayMemory::keep_on_gpu(std::span<double> values, std::size_t gpu, unsigned node) {
    return keep_there(values, gpu, node);
}

} // namespace starfmm

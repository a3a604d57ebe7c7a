// SPDX-License-Identifier: BSD-3-Clause
#include "codelets/task/arrival.hpp"

#include "codelets/task/spin.hpp"
#include "core/error.hpp"

namespace starfmm {

Arrival::Arrival(starpu_data_handle_t handle, starpu_data_access_mode mode)
    : handle_(handle), is_there_(handle == nullptr) {
    if (handle_ != nullptr) {
        const auto set = [](void* flag) { *static_cast<std::atomic<bool>*>(flag) = true; };
        check_starpu(
            starpu_data_acquire_cb(handle_, mode, set, &is_there_), "starpu_data_acquire_cb"
        );
    }
}

Arrival::~Arrival() {
    if (handle_ != nullptr) {
        spin_until([this] { return is_there(); });
        starpu_data_release(handle_);
    }
}

} // namespace starfmm

// SPDX-License-Identifier: BSD-3-Clause
#include "codelets/handle.hpp"

#include "core/error.hpp"
#include "core/page_pool.hpp"

#include <cstring>
#include <utility>

namespace starfmm {

Handle::Handle(std::size_t n, std::size_t value_size, Home home) {
    interface_.id = STARPU_VECTOR_INTERFACE_ID;
    interface_.nx = n;
    interface_.elemsize = value_size;
    if (home == Home::starpu) {
        starpu_vector_data_register(&handle_, -1, 0, n, value_size);
        return;
    }
    interface_.ptr = reinterpret_cast<std::uintptr_t>(allocate_pages(n * value_size));
    owns_memory_ = true;
}

Handle::Handle(void* data, std::size_t n, std::size_t value_size, Home home) {
    interface_.id = STARPU_VECTOR_INTERFACE_ID;
    interface_.nx = n;
    interface_.elemsize = value_size;
    interface_.ptr = reinterpret_cast<std::uintptr_t>(data);
    if (home == Home::starpu) {
        starpu_vector_data_register(&handle_, STARPU_MAIN_RAM, interface_.ptr, n, value_size);
    }
}

Handle::Handle(Handle&& other) noexcept
    : handle_(std::exchange(other.handle_, nullptr)),
      interface_(std::exchange(other.interface_, starpu_vector_interface{})),
      owns_memory_(std::exchange(other.owns_memory_, false)) {}

Handle& Handle::operator=(Handle&& other) noexcept {
    std::swap(handle_, other.handle_);
    std::swap(interface_, other.interface_);
    std::swap(owns_memory_, other.owns_memory_);
    return *this;
}

Handle::~Handle() {
    if (owns_memory_) {
        release_pages(reinterpret_cast<void*>(interface_.ptr));
    }
    if (handle_ == nullptr) {
        return;
    }
    if (interface_.ptr == 0) {
        // Nobody reads it any more: StarPU may free it once its last task is done.
        starpu_data_unregister_submit(handle_);
    } else {
        starpu_data_unregister(handle_);
    }
}

void Handle::release() {
    if (handle_ != nullptr) {
        check_starpu(starpu_data_acquire(handle_, STARPU_R), "starpu_data_acquire");
        starpu_data_release(handle_);
    }
}

void Handle::overwrite() {
    if (handle_ != nullptr) {
        check_starpu(starpu_data_acquire(handle_, STARPU_W), "starpu_data_acquire");
        starpu_data_release(handle_);
    }
}

void Handle::read_bytes(void* out, std::size_t n_bytes) {
    const void* data = reinterpret_cast<const void*>(interface_.ptr);
    if (handle_ != nullptr) {
        check_starpu(starpu_data_acquire(handle_, STARPU_R), "starpu_data_acquire");
        data = starpu_data_get_local_ptr(handle_);
    }
    std::memcpy(out, data, n_bytes);
    if (handle_ != nullptr) {
        starpu_data_release(handle_);
    }
}

} // namespace starfmm

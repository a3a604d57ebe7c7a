// SPDX-License-Identifier: BSD-3-Clause
#include "codelets/task/handle.hpp"

#include "codelets/recording/transfer_log.hpp"
#include "codelets/task/arrival.hpp"
#include "codelets/task/codelet.hpp"
#include "codelets/task/cuda_devices.hpp"
#include "codelets/task/memory/page_pool.hpp"
#include "core/error.hpp"

#include <cstring>
#include <limits>
#include <new>
#include <string>
#include <utility>

namespace starfmm {

namespace {

starpu_vector_interface describe(std::size_t n, std::size_t value_size) {
    if (n > std::numeric_limits<decltype(starpu_vector_interface::nx)>::max()) {
        throw InputError(
            "an array of " + std::to_string(n) + " values: at most 4294967295, that is fewer points"
        );
    }
    starpu_vector_interface interface {};
    interface.id = STARPU_VECTOR_INTERFACE_ID;
    interface.nx = static_cast<std::uint32_t>(n);
    interface.elemsize = value_size;
    return interface;
}

} // namespace

Handle::Handle(std::size_t n, std::size_t value_size, Home home)
    : interface_(describe(n, value_size)) {
    switch (home) {
    case Home::starpu:
        if (Arena::current() != nullptr) {
            arena_ = Arena::current();
            interface_.ptr = arena_->add(n * value_size);
            owns_ = Owns::part_of_arena;
        } else {
            register_vector(handle_, -1, 0, n, value_size);
            owns_ = Owns::registration;
        }
        break;
    case Home::plain:
        interface_.ptr = reinterpret_cast<std::uintptr_t>(allocate_pages(n * value_size));
        owns_ = Owns::pages;
        break;
    case Home::device:
        interface_.ptr = reinterpret_cast<std::uintptr_t>(allocate_on_device(n * value_size));
        owns_ = Owns::device_memory;
        break;
    }
}

Handle::Handle(void* data, std::size_t n, std::size_t value_size, Home home) {
    if (home == Home::device) {
        *this = Handle(n, value_size, home);
        copy_to_device(reinterpret_cast<void*>(interface_.ptr), data, n * value_size);
        return;
    }
    interface_ = describe(n, value_size);
    interface_.ptr = reinterpret_cast<std::uintptr_t>(data);
    if (home == Home::starpu) {
        register_vector(handle_, STARPU_MAIN_RAM, interface_.ptr, n, value_size);
        owns_ = Owns::registration;
    }
}

Handle Handle::in_memory(unsigned node, void* data, std::size_t n, std::size_t value_size) {
    Handle handle;
    handle.interface_ = describe(n, value_size);
    handle.interface_.ptr = reinterpret_cast<std::uintptr_t>(data);
    register_vector(handle.handle_, static_cast<int>(node), handle.interface_.ptr, n, value_size);
    handle.owns_ = Owns::registration;
    return handle;
}

Handle::Handle(Handle&& other) noexcept
    : handle_(std::exchange(other.handle_, nullptr)),
      interface_(std::exchange(other.interface_, starpu_vector_interface{})),
      owns_(std::exchange(other.owns_, Owns::nothing)), arena_(std::move(other.arena_)) {}

Handle& Handle::operator=(Handle&& other) noexcept {
    std::swap(handle_, other.handle_);
    std::swap(interface_, other.interface_);
    std::swap(owns_, other.owns_);
    std::swap(arena_, other.arena_);
    return *this;
}

Handle::~Handle() {
    switch (owns_) {
    case Owns::nothing:
    case Owns::part_of_arena:
        break;
    case Owns::registration:
        if (interface_.ptr == 0) {
            // Nobody reads it any more: StarPU may free it once its last task is done.
            starpu_data_unregister_submit(handle_);
        } else {
            starpu_data_unregister(handle_);
        }
        break;
    case Owns::pages:
        release_pages(reinterpret_cast<void*>(interface_.ptr));
        break;
    case Owns::device_memory:
        free_on_device(reinterpret_cast<void*>(interface_.ptr));
        break;
    }
}

void Handle::spin_until_home() {
    if (handle_ != nullptr) {
        spin_until_acquired(STARPU_R);
    }
}

void Handle::spin_until_unused() {
    if (owns_ == Owns::registration) {
        spin_until_acquired(STARPU_W); // readers wait for no reader
    }
}

void Handle::spin_until_acquired(starpu_data_access_mode mode) {
    const Arrival until(handle_, mode);
}

Handle Handle::alias() const {
    Handle other;
    other.handle_ = handle_;
    other.interface_ = interface_;
    return other;
}

void Handle::write_through() {
    if (handle_ != nullptr) {
        starpu_data_set_wt_mask(handle_, 1U << STARPU_MAIN_RAM);
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

void Handle::publish(const void* data) {
    if (owns_ == Owns::device_memory) {
        copy_to_device(
            reinterpret_cast<void*>(interface_.ptr), data, interface_.nx * interface_.elemsize
        );
    }
}

void Handle::release_in(unsigned node) {
    const int where = static_cast<int>(node);
    check_starpu(
        starpu_data_acquire_on_node(handle_, where, STARPU_R), "starpu_data_acquire_on_node"
    );
    starpu_data_release_on_node(handle_, where);
}

void Handle::assign(const void* data) {
    check_starpu(
        starpu_data_acquire_on_node(handle_, STARPU_MAIN_RAM, STARPU_W),
        "starpu_data_acquire_on_node"
    );
    std::memcpy(starpu_data_get_local_ptr(handle_), data, interface_.nx * interface_.elemsize);
    starpu_data_release_on_node(handle_, STARPU_MAIN_RAM);
}

void Handle::read_bytes(void* out, std::size_t n_bytes) {
    const void* data = reinterpret_cast<const void*>(interface_.ptr);
    if (owns_ == Owns::device_memory) {
        copy_from_device(out, data, n_bytes);
        return;
    }
    starpu_data_handle_t handle = arena_ != nullptr ? arena_->starpu() : handle_;
    if (handle == nullptr) {
        std::memcpy(out, data, n_bytes);
        return;
    }
    // without the node, StarPU means the array's home, which may be a GPU's memory
    check_starpu(
        starpu_data_acquire_on_node(handle, STARPU_MAIN_RAM, STARPU_R),
        "starpu_data_acquire_on_node"
    );
    const auto* begin = static_cast<const std::byte*>(starpu_data_get_local_ptr(handle));
    data = arena_ != nullptr ? begin + interface_.ptr : begin;
    const bool is_there = begin != missing_pages() && !has_task_error();
    if (is_there && data != out) {
        std::memcpy(out, data, n_bytes);
    }
    starpu_data_release_on_node(handle, STARPU_MAIN_RAM);
    if (!is_there) {
        starpu_task_wait_for_all(); // others may still skip what depends on the one that failed
        rethrow_task_error();
        throw std::bad_alloc();
    }
}

} // namespace starfmm

// SPDX-License-Identifier: BSD-3-Clause
// An RAII data handle of a one-dimensional array, and typed views of task buffers.
#pragma once

#include "codelets/task/memory/arena.hpp"

#include <starpu.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace starfmm {

/// Returns the caller's values as handles have them: handles know no constness, the access modes of
/// tasks do.
[[nodiscard]] inline std::span<double> as_mutable(std::span<const double> values) {
    return {const_cast<double*>(values.data()), values.size()};
}

/// One array that tasks read and write, registered with StarPU, or plain memory where no runtime
/// runs.
class Handle {
public:
    /// The holder of the data.
    enum class Home {
        starpu, ///< StarPU allocates wherever the first writer runs
        plain,  ///< host memory of the handle's own: for bodies called without a runtime
        device  ///< memory of the first GPU, used in the default stream's order, for such bodies
    };

    Handle() = default;

    /// Makes an array of `n` values of `value_size` bytes with undefined contents. With
    /// Home::starpu it is part of the current arena, if there is one.
    /// \throws InputError for more than 2^32 - 1 values, here and below: StarPU counts in 32 bits
    Handle(std::size_t n, std::size_t value_size, Home home);

    /// Takes the caller's array, which must outlive the handle, or, with Home::device, a copy of
    /// it.
    Handle(void* data, std::size_t n, std::size_t value_size, Home home);

    /// Returns a handle of the caller's array, which tasks only read.
    [[nodiscard]] static Handle of_input(std::span<const double> values, Home home) {
        return {as_mutable(values).data(), values.size(), sizeof(double), home};
    }

    /// Takes an array that lies in memory `node` of StarPU's, where it is up to date again when the
    /// handle is gone.
    [[nodiscard]] static Handle
    in_memory(unsigned node, void* data, std::size_t n, std::size_t value_size);

    Handle(const Handle&) = delete;
    Handle& operator=(const Handle&) = delete;
    Handle(Handle&& other) noexcept;
    Handle& operator=(Handle&& other) noexcept;
    ~Handle();

    [[nodiscard]] starpu_data_handle_t starpu() const { return handle_; }

    [[nodiscard]] explicit operator bool() const { return interface_.elemsize != 0; }

    [[nodiscard]] std::size_t size() const { return interface_.nx; }

    /// Waits, without sleeping at first, until tasks have written the array and it is in host
    /// memory: the blocking calls that follow then return at once. Waking a thread takes longer
    /// than a small problem's tasks. Only runtimes that leave the caller's core alone are to call
    /// it.
    void spin_until_home();

    /// Waits, without sleeping at first, until no task uses the caller's array any more.
    void spin_until_unused();

    /// Returns a second name of the same data, which must not outlive this one.
    [[nodiscard]] Handle alias() const;

    /// Has each result of a task copied to the caller's array as soon as it is there.
    void write_through();

    /// Returns where the array lies if it is part of an arena, whose tasks are fused ones; else
    /// null.
    [[nodiscard]] const std::shared_ptr<Arena>& arena() const { return arena_; }

    /// Returns the array itself, or, in an arena, its offset as an address.
    [[nodiscard]] const starpu_vector_interface& layout() const { return interface_; }

    /// Returns the buffer as a body sees it without a runtime.
    [[nodiscard]] starpu_vector_interface* plain() { return &interface_; }

    /// Copies the contents to host memory once every submitted writer is done.
    /// \throws what a task has thrown before, since the contents may not be there; std::bad_alloc
    template <class T>
    void read(std::span<T> out) {
        read_bytes(out.data(), out.size_bytes());
    }

    /// Waits for users of a caller-owned array and brings it up to date in its place.
    void release();

    /// Waits for users of a caller-owned array, which the caller may then change until publish().
    void overwrite();

    /// Has later tasks see what the caller wrote into its array `data`.
    void publish(const void* data);

    /// Waits for users of an array in memory `node`, where it is up to date then.
    void release_in(unsigned node);

    /// Waits for users of the array, and gives it the values at `data`, which are in host memory.
    void assign(const void* data);

private:
    /// The resource that the destructor has to give back.
    enum class Owns { nothing, registration, part_of_arena, pages, device_memory };

    void spin_until_acquired(starpu_data_access_mode mode);
    void read_bytes(void* out, std::size_t n_bytes);

    starpu_data_handle_t handle_ = nullptr;
    starpu_vector_interface interface_{};
    Owns owns_ = Owns::nothing;
    std::shared_ptr<Arena> arena_;
};

/// Returns the buffer of a task as an array.
template <class T>
std::span<T> view(void* buffer) {
    auto* vector = static_cast<starpu_vector_interface*>(buffer);
    return {reinterpret_cast<T*>(vector->ptr), vector->nx};
}

} // namespace starfmm

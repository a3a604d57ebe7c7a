// SPDX-License-Identifier: BSD-3-Clause
#include "codelets/task/memory/pinned_buffer.hpp"

#include "codelets/task/memory/page_pool.hpp"
#include "core/error.hpp"

#include <starpu.h>

#include <utility>

namespace starfmm {

namespace {

constexpr int pinned = STARPU_MALLOC_PINNED;

} // namespace

PinnedBuffer::PinnedBuffer(PinnedBuffer&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), n_bytes_(std::exchange(other.n_bytes_, 0)),
      is_starpus_(other.is_starpus_) {}

PinnedBuffer& PinnedBuffer::operator=(PinnedBuffer&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(n_bytes_, other.n_bytes_);
    std::swap(is_starpus_, other.is_starpus_);
    return *this;
}

PinnedBuffer::~PinnedBuffer() {
    if (data_ == nullptr) {
        return;
    }
    if (is_starpus_) {
        starpu_free_flags(data_, n_bytes_, pinned);
    } else {
        release_pages(data_);
    }
}

double* PinnedBuffer::require(std::size_t n) {
    if (n * sizeof(double) > n_bytes_) {
        *this = PinnedBuffer();
        const std::size_t n_bytes = n * sizeof(double);
        is_starpus_ = starpu_is_initialized() != 0;
        if (is_starpus_) {
            const int code = starpu_malloc_flags(&data_, n_bytes, pinned);
            check_starpu(code, "allocation of pinned memory");
        } else {
            data_ = allocate_pages(n_bytes);
        }
        n_bytes_ = n_bytes;
    }
    return static_cast<double*>(data_);
}

} // namespace starfmm

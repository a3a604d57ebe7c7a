// SPDX-License-Identifier: BSD-3-Clause
#include "codelets/pinned_buffer.hpp"

#include "core/error.hpp"

#include <starpu.h>

#include <utility>

namespace starfmm {

namespace {

/// Nothing to pin for where no runtime runs.
int flags() {
    return starpu_is_initialized() != 0 ? STARPU_MALLOC_PINNED : 0;
}

} // namespace

PinnedBuffer::PinnedBuffer(PinnedBuffer&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), n_bytes_(std::exchange(other.n_bytes_, 0)) {}

PinnedBuffer& PinnedBuffer::operator=(PinnedBuffer&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(n_bytes_, other.n_bytes_);
    return *this;
}

PinnedBuffer::~PinnedBuffer() {
    if (data_ != nullptr) {
        starpu_free_flags(data_, n_bytes_, flags());
    }
}

double* PinnedBuffer::require(std::size_t n) {
    if (n * sizeof(double) > n_bytes_) {
        *this = PinnedBuffer();
        n_bytes_ = n * sizeof(double);
        check_starpu(starpu_malloc_flags(&data_, n_bytes_, flags()), "allocation of pinned memory");
    }
    return static_cast<double*>(data_);
}

} // namespace starfmm

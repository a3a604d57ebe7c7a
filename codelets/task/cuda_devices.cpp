// SPDX-License-Identifier: BSD-3-Clause
// CUDA devices in a build without CUDA.
#include "codelets/task/cuda_devices.hpp"

#include "core/error.hpp"

#include <utility>

namespace starfmm {

namespace {

[[noreturn]] void no_device() {
    throw CudaError("this build has no CUDA");
}

} // namespace

unsigned device_generation() noexcept {
    return 0;
}

void count_device_reset() noexcept {}

int n_cuda_devices() {
    return 0;
}

std::string cuda_device_name(int /*device*/) {
    no_device();
}

std::size_t cuda_device_memory(int /*device*/) {
    no_device();
}

void check_device_code(int /*device*/) {
    no_device();
}

void* allocate_on_device(std::size_t /*n_bytes*/) {
    no_device();
}

void free_on_device(void* /*data*/) noexcept {}

void copy_to_device(void* /*to*/, const void* /*from*/, std::size_t /*n_bytes*/) {
    no_device();
}

void copy_from_device(void* /*to*/, const void* /*from*/, std::size_t /*n_bytes*/) {
    no_device();
}

void wait_for_device() {
    no_device();
}

void wait_for_device(int /*device*/) {
    no_device();
}

bool is_page_locked(const void* /*data*/) {
    return false;
}

PageLock::PageLock(void* /*data*/, std::size_t /*n_bytes*/) {}

PageLock::PageLock(PageLock&& other) noexcept : data_(std::exchange(other.data_, nullptr)) {}

PageLock& PageLock::operator=(PageLock&& other) noexcept {
    std::swap(data_, other.data_);
    return *this;
}

PageLock::~PageLock() = default;

struct StagedCopies::Piece {};

StagedCopies::StagedCopies(int device) : device_(device) {
    no_device();
}

StagedCopies::~StagedCopies() = default;

// NOLINTBEGIN(readability-convert-member-functions-to-static): with CUDA they use the pieces
void StagedCopies::to_device(void* /*to*/, const void* /*from*/, std::size_t /*n_bytes*/) {
    no_device();
}

void StagedCopies::from_device(void* /*to*/, const void* /*from*/, std::size_t /*n_bytes*/) {
    no_device();
}

// NOLINTEND(readability-convert-member-functions-to-static)

struct DeviceMark::Event {};

DeviceMark::DeviceMark(void* /*stream*/) {
    no_device();
}

DeviceMark::DeviceMark(DeviceMark&&) noexcept = default;
DeviceMark& DeviceMark::operator=(DeviceMark&&) noexcept = default;
DeviceMark::~DeviceMark() = default;

DeviceMark DeviceMark::reached(int /*device*/) {
    no_device();
}

// NOLINTBEGIN(readability-convert-member-functions-to-static): with CUDA they read the marks
int DeviceMark::device() const {
    no_device();
}

void DeviceMark::wait() const {
    no_device();
}

double DeviceMark::seconds_since(const DeviceMark& /*start*/) const {
    no_device();
}

// NOLINTEND(readability-convert-member-functions-to-static)

} // namespace starfmm

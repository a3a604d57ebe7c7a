// SPDX-License-Identifier: BSD-3-Clause
// Copies of the caller's columns in host memory.
#pragma once

#include "codelets/task/cuda_devices.hpp"
#include "codelets/task/memory/page_pool.hpp"

#include <cstddef>
#include <memory>
#include <optional>
#include <span>

namespace starfmm::detail {

/// Doubles in pages of their own, which are not written before the caller does. The pages come from
/// those that the process keeps, and may outlive the runtime.
class HostColumn {
public:
    /// \throws std::bad_alloc
    explicit HostColumn(std::size_t n);

    HostColumn(HostColumn&& other) noexcept = default;
    HostColumn& operator=(HostColumn&& other) noexcept;
    HostColumn(const HostColumn&) = delete;
    HostColumn& operator=(const HostColumn&) = delete;
    ~HostColumn() = default;

    [[nodiscard]] std::size_t size() const { return n_; }

    [[nodiscard]] std::span<double> values() { return {data_, n_}; }

    [[nodiscard]] std::span<const double> values() const { return {data_, n_}; }

    /// Has GPUs copy the array at the full rate of their link from now on. Takes longer than a copy.
    /// \throws CudaError if the system refuses
    void lock_pages();

private:
    struct Release {
        void operator()(void* pages) const { release_pages(pages); }
    };

    std::unique_ptr<void, Release> pages_;
    double* data_;
    std::size_t n_;
    std::optional<PageLock> lock_; // ends before its pages
};

} // namespace starfmm::detail

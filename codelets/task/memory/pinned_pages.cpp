// SPDX-License-Identifier: BSD-3-Clause
#include "codelets/task/memory/pinned_pages.hpp"

#include "codelets/task/cuda_devices.hpp"
#include "codelets/task/memory/page_sizes.hpp"
#include "core/error.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

namespace starfmm {

namespace {

/// The pages that are locked until they are freed.
class Locked {
public:
    /// Locks pages.
    /// \throws CudaError, std::bad_alloc
    void lock(void* data, std::size_t n) {
        PageLock lock(data, n);
        const std::scoped_lock guard(mutex_);
        locks_.emplace(data, std::move(lock));
    }

    void unlock(void* data) noexcept {
        const std::scoped_lock guard(mutex_);
        locks_.erase(data);
    }

private:
    std::mutex mutex_;
    std::unordered_map<void*, PageLock> locks_;
};

Locked& locked() {
    static Locked pages;
    return pages;
}

void touch(std::byte* begin, const std::byte* end) {
    for (; begin < end; begin += page_size) {
        *static_cast<volatile std::byte*>(begin) = std::byte(0);
    }
}

/// Touches all pages by several threads: the system clears pages when they are first touched, which
/// takes a core longer than the link takes to move them.
void touch_all(std::byte* data, std::size_t n) {
    constexpr std::size_t worth_a_thread = 2 * huge_page_size;
    constexpr std::size_t most_threads = 8;
    const std::size_t cores = std::max(1U, std::thread::hardware_concurrency());
    const std::size_t n_parts =
        std::clamp<std::size_t>(n / worth_a_thread, 1, std::min(most_threads, cores));
    const std::size_t part = (n / n_parts + huge_page_size - 1) / huge_page_size * huge_page_size;
    std::vector<std::jthread> helpers;
    std::size_t begin = 0;
    try {
        for (; begin + part < n; begin += part) {
            helpers.emplace_back(touch, data + begin, data + begin + part);
        }
    } catch (const std::system_error&) { // no more threads: the rest is touched here
    }
    touch(data + begin, data + n);
}

} // namespace

void* allocate_pinned_pages(std::size_t n) noexcept {
    const std::size_t unit = n < huge_page_size ? page_size : huge_page_size;
    const std::size_t size = std::max(unit, (n + unit - 1) / unit * unit);
    void* data = std::aligned_alloc(unit, size);
    if (data == nullptr) {
        return nullptr;
    }
    try {
        if (unit == huge_page_size) {
            // Advice: without huge pages it takes longer.
            static_cast<void>(::madvise(data, size, MADV_HUGEPAGE));
            touch_all(static_cast<std::byte*>(data), size);
        }
        locked().lock(data, size);
    } catch (const std::exception&) {
        std::free(data);
        return nullptr;
    }
    return data;
}

void release_pinned_pages(void* data) noexcept {
    if (data != nullptr) {
        locked().unlock(data);
        std::free(data);
    }
}

} // namespace starfmm

// SPDX-License-Identifier: BSD-3-Clause
#include "core/huge_pages.hpp"

#include <sys/mman.h>

#include <cstdlib>
#include <map>
#include <mutex>
#include <new>

namespace starfmm {

namespace {

constexpr std::size_t cache_line = 64;
constexpr std::size_t huge_page = std::size_t(2) << 20;

/// Below it, rounding up to whole pages would waste too much.
constexpr std::size_t smallest_huge = 2 * huge_page;

/// Keeps what sorting 4e6 points releases, but no more than 50 bytes a point of 1e7.
constexpr std::size_t most_kept = std::size_t(512) << 20;

std::size_t rounded(std::size_t n) {
    const std::size_t alignment = n < smallest_huge ? cache_line : huge_page;
    return n == 0 ? alignment : (n + alignment - 1) / alignment * alignment;
}

/// Released blocks by size.
class Kept {
public:
    /// A block of just the size, or null: plans of one size ask for the same blocks again and
    /// again.
    void* take(std::size_t size) {
        const std::scoped_lock lock(mutex_);
        const auto block = blocks_.find(size);
        if (block == blocks_.end()) {
            return nullptr;
        }
        void* data = block->second;
        blocks_.erase(block);
        total_ -= size;
        return data;
    }

    /// Whether the block is kept; if not, it is the caller's to free.
    bool put(void* data, std::size_t size) noexcept {
        const std::scoped_lock lock(mutex_);
        if (total_ + size > most_kept) {
            return false;
        }
        try {
            blocks_.emplace(size, data);
        } catch (const std::bad_alloc&) {
            return false;
        }
        total_ += size;
        return true;
    }

    void trim() noexcept {
        const std::scoped_lock lock(mutex_);
        for (const auto& [size, data] : blocks_) {
            std::free(data);
        }
        blocks_.clear();
        total_ = 0;
    }

private:
    std::mutex mutex_;
    std::multimap<std::size_t, void*> blocks_;
    std::size_t total_ = 0;
};

Kept& kept() {
    static Kept blocks;
    return blocks;
}

} // namespace

void* allocate_pages(std::size_t n) {
    const std::size_t size = rounded(n);
    const bool huge = size >= smallest_huge;
    if (void* data = huge ? kept().take(size) : nullptr) {
        return data;
    }
    void* data = std::aligned_alloc(huge ? huge_page : cache_line, size);
    if (data == nullptr) {
        throw std::bad_alloc();
    }
#ifdef MADV_HUGEPAGE
    if (huge) {
        // Advice only: where the system does not follow it, the memory is as good as any.
        static_cast<void>(madvise(data, size, MADV_HUGEPAGE));
    }
#endif
    return data;
}

void release_pages(void* data, std::size_t n) noexcept {
    const std::size_t size = rounded(n);
    if (data == nullptr || size < smallest_huge || !kept().put(data, size)) {
        std::free(data);
    }
}

void trim_pages() noexcept {
    kept().trim();
}

void* HugePageResource::do_allocate(std::size_t n, std::size_t /*alignment*/) {
    return allocate_pages(n);
}

void HugePageResource::do_deallocate(void* data, std::size_t n, std::size_t /*alignment*/) {
    release_pages(data, n);
}

bool HugePageResource::do_is_equal(const memory_resource& other) const noexcept {
    return this == &other;
}

} // namespace starfmm

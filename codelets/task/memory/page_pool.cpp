// SPDX-License-Identifier: BSD-3-Clause
#include "codelets/task/memory/page_pool.hpp"

#include <sys/mman.h>

#include <cstdlib>
#include <iterator>
#include <map>
#include <mutex>
#include <new>
#include <unordered_map>

namespace starfmm {

namespace {

constexpr std::size_t cache_line = 64;

/// Smaller blocks malloc keeps itself.
constexpr std::size_t smallest_kept = std::size_t(1) << 17;

/// What sorting 1e7 points releases; the evaluation after it takes most of that again.
constexpr std::size_t most_kept = std::size_t(1) << 30;

/// What may be kept beside fresh memory: where no kept block fits, the largest ones make room.
constexpr std::size_t most_idle = std::size_t(1) << 27;

/// A kept block may be so many times as large as what it serves.
constexpr std::size_t loosest_fit = 4;

std::size_t rounded(std::size_t n) {
    return n == 0 ? cache_line : (n + cache_line - 1) / cache_line * cache_line;
}

/// Whether small blocks of others can still be had: StarPU aborts where it does not get them.
bool has_margin() {
    constexpr std::size_t margin = std::size_t(1) << 24;
    void* const room =
        ::mmap(nullptr, margin, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return room != MAP_FAILED && ::munmap(room, margin) == 0;
}

/// Blocks in use that are worth keeping, and released ones by size.
class Kept {
public:
    /// The smallest released block that holds `size` bytes without wasting too much, or null.
    void* take(std::size_t size) {
        const std::scoped_lock lock(mutex_);
        const auto block = released_.lower_bound(size);
        if (block == released_.end() || block->first > loosest_fit * size) {
            free_largest(size);
            return nullptr;
        }
        auto* data = block->second;
        in_use_[data] = block->first;
        total_ -= block->first;
        released_.erase(block);
        return data;
    }

    void add(void* data, std::size_t size) {
        const std::scoped_lock lock(mutex_);
        in_use_[data] = size;
    }

    /// Whether the block is kept; if not, it is the caller's to free.
    bool release(void* data) noexcept {
        const std::scoped_lock lock(mutex_);
        const auto block = in_use_.find(data);
        if (block == in_use_.end()) {
            return false;
        }
        const std::size_t size = block->second;
        in_use_.erase(block);
        if (total_ + size > most_kept) {
            return false;
        }
        try {
            released_.emplace(size, data);
        } catch (const std::bad_alloc&) {
            return false;
        }
        total_ += size;
        return true;
    }

    void trim() noexcept {
        const std::scoped_lock lock(mutex_);
        for (const auto& [size, data] : released_) {
            std::free(data);
        }
        released_.clear();
        total_ = 0;
    }

private:
    /// Gives at least `size` bytes back to the system, if more than `most_idle` are kept.
    void free_largest(std::size_t size) noexcept {
        std::size_t freed = 0;
        while (total_ > most_idle && freed < size) {
            const auto largest = std::prev(released_.end());
            std::free(largest->second);
            freed += largest->first;
            total_ -= largest->first;
            released_.erase(largest);
        }
    }

    std::mutex mutex_;
    std::multimap<std::size_t, void*> released_;
    std::unordered_map<void*, std::size_t> in_use_;
    std::size_t total_ = 0; ///< bytes released
};

Kept& kept() {
    static Kept blocks;
    return blocks;
}

} // namespace

void* allocate_pages(std::size_t n) {
    const std::size_t size = rounded(n);
    if (void* data = size >= smallest_kept ? kept().take(size) : nullptr) {
        return data;
    }
    void* data = std::aligned_alloc(cache_line, size);
    if (data != nullptr && size >= smallest_kept && !has_margin()) {
        std::free(data);
        data = nullptr;
    }
    if (data == nullptr) {
        throw std::bad_alloc();
    }
    if (size >= smallest_kept) {
        kept().add(data, size);
    }
    return data;
}

void* missing_pages() noexcept {
    alignas(cache_line) static std::byte place[cache_line];
    return place;
}

void release_pages(void* data) noexcept {
    if (data != nullptr && data != missing_pages() && !kept().release(data)) {
        std::free(data);
    }
}

void trim_pages() noexcept {
    kept().trim();
}

void* PagePoolResource::do_allocate(std::size_t n, std::size_t /*alignment*/) {
    return allocate_pages(n);
}

void PagePoolResource::do_deallocate(
    void* data, std::size_t /*n*/, std::size_t /*alignment*/
) {
    release_pages(data);
}

bool PagePoolResource::do_is_equal(const memory_resource& other) const noexcept {
    return this == &other;
}

} // namespace starfmm

// SPDX-License-Identifier: BSD-3-Clause
#include "core/page_pool.hpp"

#include <cstdlib>
#include <map>
#include <mutex>
#include <new>

namespace starfmm {

namespace {

constexpr std::size_t cache_line = 64;

/// Smaller blocks malloc keeps itself.
constexpr std::size_t smallest_kept = std::size_t(1) << 17;

/// Keeps what sorting 4e6 points releases, but no more than 50 bytes a point of 1e7.
constexpr std::size_t most_kept = std::size_t(512) << 20;

std::size_t rounded(std::size_t n) {
    return n == 0 ? cache_line : (n + cache_line - 1) / cache_line * cache_line;
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
    void* data = size >= smallest_kept ? kept().take(size) : nullptr;
    if (data == nullptr) {
        data = std::aligned_alloc(cache_line, size);
    }
    if (data == nullptr) {
        throw std::bad_alloc();
    }
    return data;
}

void release_pages(void* data, std::size_t n) noexcept {
    const std::size_t size = rounded(n);
    if (data == nullptr || size < smallest_kept || !kept().put(data, size)) {
        std::free(data);
    }
}

void trim_pages() noexcept {
    kept().trim();
}

void* PagePoolResource::do_allocate(std::size_t n, std::size_t /*alignment*/) {
    return allocate_pages(n);
}

void PagePoolResource::do_deallocate(void* data, std::size_t n, std::size_t /*alignment*/) {
    release_pages(data, n);
}

bool PagePoolResource::do_is_equal(const memory_resource& other) const noexcept {
    return this == &other;
}

} // namespace starfmm

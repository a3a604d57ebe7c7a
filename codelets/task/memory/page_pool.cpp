// SPDX-License-Identifier: BSD-3-Clause
#include "codelets/task/memory/page_pool.hpp"

#include "codelets/task/memory/page_ranges.hpp"
#include "codelets/task/memory/page_sizes.hpp"
#include "core/host_limits.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <memory>
#include <mutex>
#include <new>
#include <vector>

namespace starfmm {

namespace {

constexpr std::size_t cache_line = 64;

/// The smallest block that is kept: smaller ones malloc keeps itself. Larger ones it gives back
/// whenever the last of them is released, to take as many pages again a moment later.
constexpr std::size_t smallest_kept = std::size_t(1) << 12;

/// The bytes of addresses that are taken at a time.
constexpr std::size_t segment_size = std::size_t(1) << 30;

std::size_t rounded(std::size_t n, std::size_t unit) {
    return std::max(unit, (n + unit - 1) / unit * unit);
}

/// Returns a part of the machine's memory: arrays that take more belong to long sums.
std::size_t part_of_machine() {
    constexpr std::size_t part = 4;
    return static_cast<std::size_t>(::sysconf(_SC_PHYS_PAGES)) *
           static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)) / part;
}

/// Whether small blocks of others can still be had: StarPU aborts where it does not get them.
bool has_margin() {
    constexpr std::size_t margin = std::size_t(1) << 24;
    void* const room =
        ::mmap(nullptr, margin, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return room != MAP_FAILED && ::munmap(room, margin) == 0;
}

/// Takes addresses. \returns null if there are none
std::byte* fresh_addresses(std::size_t size) {
    void* const data =
        ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (data == MAP_FAILED) {
        return nullptr;
    }
    if (!has_margin()) {
        ::munmap(data, size);
        return nullptr;
    }
    ::madvise(data, size, MADV_HUGEPAGE); // as good without
    return static_cast<std::byte*>(data);
}

class Pool {
public:
    /// Allocates a block. \returns null if there is no memory
    std::byte* allocate(std::size_t size) {
        std::unique_lock lock(mutex_);
        std::byte* block = ranges_.take(size);
        if (block == nullptr && add_segment(size)) {
            block = ranges_.take(size);
        }
        give_back_excess(lock);
        return block;
    }

    /// Releases a block. \returns whether it is the pool's; if not, it is the caller's to free
    bool release(std::byte* block) {
        std::unique_lock lock(mutex_);
        const bool is_ours = ranges_.release(block);
        give_back_excess(lock);
        return is_ours;
    }

    void trim() {
        const std::scoped_lock lock(mutex_);
        for (const PageRange& segment : ranges_.drop_idle_segments()) {
            ::munmap(segment.begin, segment.size);
        }
    }

private:
    bool add_segment(std::size_t size) {
        const bool is_limited = available_addresses() < std::numeric_limits<std::size_t>::max();
        const std::size_t least = rounded(size, huge_page_size);
        const std::size_t wanted = is_limited ? least : std::max(segment_size, 2 * least);
        return add(wanted) || add(least);
    }

    bool add(std::size_t n) {
        std::byte* const begin = fresh_addresses(n);
        if (begin != nullptr) {
            ranges_.add_segment({begin, n});
        }
        return begin != nullptr;
    }

    /// Gives pages back without the lock: it takes long, and others need not wait for it.
    void give_back_excess(std::unique_lock<std::mutex>& lock) {
        const std::vector<PageRange> excess = ranges_.excess();
        if (excess.empty()) {
            return;
        }
        lock.unlock();
        for (const PageRange& range : excess) {
            give_back(range);
        }
        lock.lock();
        for (const PageRange& range : excess) {
            ranges_.purged(range);
        }
    }

    static void give_back(const PageRange& range) {
        const auto address = reinterpret_cast<std::uintptr_t>(range.begin);
        const std::size_t skipped = rounded(address, page_size) - address;
        if (range.size >= skipped + page_size) {
            const std::size_t n = (range.size - skipped) / page_size * page_size;
            ::madvise(range.begin + skipped, n, MADV_DONTNEED);
        }
    }

    /// The most idle bytes that are not given back at once.
    static constexpr std::size_t most_idle = std::size_t(1) << 25;

    std::mutex mutex_;
    PageRanges ranges_{most_idle, part_of_machine()};
};

/// Returns the pool, which is never destroyed: arrays of other static objects may be released
/// later.
Pool& pool() {
    static Pool* const all = std::make_unique<Pool>().release();
    return *all;
}

} // namespace

void* allocate_pages(std::size_t n) {
    const std::size_t size = rounded(n, cache_line);
    if (size < smallest_kept) {
        if (void* const data = std::aligned_alloc(cache_line, size)) {
            return data;
        }
        throw std::bad_alloc();
    }
    std::byte* block = pool().allocate(size);
    if (block == nullptr) {
        pool().trim();
        block = pool().allocate(size);
    }
    if (block == nullptr) {
        throw std::bad_alloc();
    }
    return block;
}

void* missing_pages() noexcept {
    alignas(cache_line) static std::byte place[cache_line];
    return place;
}

void release_pages(void* data) noexcept {
    if (data == nullptr || data == missing_pages()) {
        return;
    }
    try {
        if (!pool().release(static_cast<std::byte*>(data))) {
            std::free(data);
        }
    } catch (const std::bad_alloc&) { // it cannot be remembered: lost
    }
}

void trim_pages() noexcept {
    try {
        pool().trim();
    } catch (const std::bad_alloc&) { // later
    }
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

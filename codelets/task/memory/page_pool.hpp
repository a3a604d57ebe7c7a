// SPDX-License-Identifier: BSD-3-Clause
// Host memory that is kept for the next plan: the first touch of a page costs more than all the
// work on it.
#pragma once

#include <cstddef>
#include <memory_resource>

namespace starfmm {

/// Returns memory of `n` bytes, aligned to a cache line, fresh or released before. Thread-safe.
/// \throws std::bad_alloc
[[nodiscard]] void* allocate_pages(std::size_t n);

/// Returns an address that stands for memory that could not be had, where no exception can pass: it
/// is neither read nor written, and there is nothing to release.
[[nodiscard]] void* missing_pages() noexcept;

/// Releases what allocate_pages() returned. The memory is kept for later calls: with what is in
/// use, a little more than was once in use at a time, at most a quarter of the machine's memory.
/// The rest goes back to the system. Thread-safe.
void release_pages(void* data) noexcept;

/// Gives all memory that is kept back to the system. Thread-safe.
void trim_pages() noexcept;

/// A resource that makes allocate_pages() the source of a std::pmr arena.
class PagePoolResource : public std::pmr::memory_resource {
private:
    void* do_allocate(std::size_t n, std::size_t alignment) override;
    void do_deallocate(void* data, std::size_t n, std::size_t alignment) override;
    [[nodiscard]] bool do_is_equal(const memory_resource& other) const noexcept override;
};

} // namespace starfmm

// SPDX-License-Identifier: BSD-3-Clause
// Addresses of a pool: those that are in use, and those of the others that have pages.
#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

namespace starfmm {

/// The bytes [begin, begin + size).
struct PageRange {
    std::byte* begin = nullptr;
    std::size_t size = 0;
};

/// A pool that cuts segments of addresses into blocks. Addresses that were in use have pages; those
/// of released blocks serve the next ones, whatever their sizes, and together with the pages in use
/// they are no more than were once in use at a time, but for a little. The pool touches no memory,
/// and is not thread-safe.
class PageRanges {
public:
    /// Makes a pool without addresses.
    /// \param most_idle bytes that may have pages beside as many in use as ever before
    /// \param most_kept bytes that may have pages and be in use by nobody
    PageRanges(std::size_t most_idle, std::size_t most_kept)
        : most_idle_(most_idle), most_kept_(most_kept) {}

    /// Adds addresses that have no pages yet. O(log n), as what follows.
    void add_segment(const PageRange& segment);

    /// Takes a block of `size` bytes > 0, if it can be of addresses that have pages.
    /// \returns null if no range has room
    [[nodiscard]] std::byte* take(std::size_t size);

    /// Releases a block. \returns whether it was a block of these
    bool release(std::byte* block);

    /// Returns ranges in use by nobody whose pages are too many: until purged() nobody gets them.
    [[nodiscard]] std::vector<PageRange> excess();

    /// Takes a range back whose pages were given back.
    void purged(const PageRange& range) { insert(range, without_pages); }

    /// Forgets segments of which nothing is in use. O(n).
    /// \returns these segments
    std::vector<PageRange> drop_idle_segments();

    /// Returns the bytes of blocks in use, and of ranges that have pages besides.
    [[nodiscard]] std::size_t used_bytes() const { return used_bytes_; }

    [[nodiscard]] std::size_t idle_bytes() const { return idle_bytes_; }

private:
    enum Pages : std::size_t { with_pages, without_pages };

    struct Free {
        std::size_t size;
        Pages pages;
    };

    using ByAddress = std::map<std::byte*, Free>;

    void insert(PageRange range, Pages pages);
    PageRange extract(ByAddress::iterator range);
    ByAddress::iterator find(std::size_t size, Pages pages);
    ByAddress::iterator find_growing(std::size_t size);
    void cut(std::byte* begin, std::size_t size);
    [[nodiscard]] std::size_t n_excess() const;

    std::size_t most_idle_;
    std::size_t most_kept_;
    std::map<std::byte*, std::size_t> segments_;
    ByAddress free_;
    /// Ranges with pages, without pages.
    std::array<std::set<std::pair<std::size_t, std::byte*>>, 2> by_size_;
    std::unordered_map<std::byte*, std::size_t> used_;
    std::size_t used_bytes_ = 0;
    std::size_t idle_bytes_ = 0;
    std::size_t peak_bytes_ = 0; ///< most bytes that were in use since segments were dropped
};

} // namespace starfmm

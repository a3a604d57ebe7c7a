// SPDX-License-Identifier: BSD-3-Clause
// Which addresses of a pool are in use, and which of the others have pages.
#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

namespace starfmm {

/// Bytes [begin, begin + size).
struct PageRange {
    std::byte* begin = nullptr;
    std::size_t size = 0;
};

/// Cuts segments of addresses into blocks. Addresses that were in use have pages; those of released
/// blocks serve the next ones, whatever their sizes, and together with the pages in use they are no
/// more than were once in use at a time, but for a little. Touches no memory; not thread-safe.
class PageRanges {
public:
    /// \param most_idle bytes that may have pages beside as many in use as ever before
    /// \param most_kept bytes that may have pages and be in use by nobody
    PageRanges(std::size_t most_idle, std::size_t most_kept)
        : most_idle_(most_idle), most_kept_(most_kept) {}

    /// Addresses that have no pages yet. O(log n), as what follows.
    void add_segment(const PageRange& segment);

    /// A block of `size` bytes > 0, if it can be of addresses that have pages.
    /// \returns null if no range has room
    [[nodiscard]] std::byte* take(std::size_t size);

    /// \returns whether it was a block of these
    bool release(std::byte* block);

    /// Ranges in use by nobody whose pages are too many: until purged() nobody gets them.
    [[nodiscard]] std::vector<PageRange> excess();

    /// Its pages were given back.
    void purged(const PageRange& range) { insert(range, without_pages); }

    /// Forgets segments of which nothing is in use. O(n).
    /// \returns these
    std::vector<PageRange> drop_idle_segments();

    /// Bytes of blocks in use, and of ranges that have pages besides.
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
    std::array<std::set<std::pair<std::size_t, std::byte*>>, 2> by_size_; ///< with, without pages
    std::unordered_map<std::byte*, std::size_t> used_;
    std::size_t used_bytes_ = 0;
    std::size_t idle_bytes_ = 0;
    std::size_t peak_bytes_ = 0; ///< most that was in use since segments were dropped
};

} // namespace starfmm

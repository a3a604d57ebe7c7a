// SPDX-License-Identifier: BSD-3-Clause
#include "codelets/task/memory/page_ranges.hpp"

#include <algorithm>
#include <iterator>

namespace starfmm {

void PageRanges::add_segment(const PageRange& segment) {
    segments_[segment.begin] = segment.size;
    insert(segment, without_pages);
}

/// Inserts a range. Neighbours of a kind grow together, within a segment.
void PageRanges::insert(PageRange range, Pages pages) {
    const auto next = free_.find(range.begin + range.size);
    if (next != free_.end() && next->second.pages == pages && !segments_.contains(next->first)) {
        range.size += extract(next).size;
    }
    const auto after = free_.lower_bound(range.begin);
    if (after != free_.begin() && !segments_.contains(range.begin)) {
        const auto before = std::prev(after);
        if (before->second.pages == pages && before->first + before->second.size == range.begin) {
            const PageRange merged = extract(before);
            range = {merged.begin, merged.size + range.size};
        }
    }
    free_[range.begin] = {range.size, pages};
    by_size_[pages].emplace(range.size, range.begin);
    idle_bytes_ += pages == with_pages ? range.size : 0;
}

PageRange PageRanges::extract(ByAddress::iterator range) {
    const PageRange extracted{range->first, range->second.size};
    const Pages pages = range->second.pages;
    by_size_[pages].erase({extracted.size, extracted.begin});
    idle_bytes_ -= pages == with_pages ? extracted.size : 0;
    free_.erase(range);
    return extracted;
}

/// Returns the smallest range that has room.
PageRanges::ByAddress::iterator PageRanges::find(std::size_t size, Pages pages) {
    const auto found = by_size_[pages].lower_bound({size, nullptr});
    return found == by_size_[pages].end() ? free_.end() : free_.find(found->second);
}

std::byte* PageRanges::take(std::size_t size) {
    auto range = find(size, with_pages);
    if (range == free_.end()) {
        range = find_growing(size);
    }
    if (range == free_.end()) {
        range = find(size, without_pages);
    }
    if (range == free_.end()) {
        return nullptr;
    }
    std::byte* const begin = range->first;
    cut(begin, size);
    used_[begin] = size;
    used_bytes_ += size;
    peak_bytes_ = std::max(peak_bytes_, used_bytes_);
    return begin;
}

/// Returns the largest range with pages that has room together with the next one, which has none.
PageRanges::ByAddress::iterator PageRanges::find_growing(std::size_t size) {
    constexpr int most_looked_at = 16;
    int looked_at = 0;
    const auto& idle = by_size_[with_pages];
    for (auto large = idle.rbegin(); large != idle.rend() && looked_at < most_looked_at; ++large) {
        ++looked_at;
        const auto range = free_.find(large->second);
        const auto next = std::next(range);
        const std::byte* const end = range->first + range->second.size;
        const bool is_next = next != free_.end() && next->first == end;
        if (is_next && !segments_.contains(next->first) &&
            range->second.size + next->second.size >= size) {
            return range;
        }
    }
    return free_.end();
}

/// Cuts a block out of one range, or out of two.
void PageRanges::cut(std::byte* begin, std::size_t size) {
    while (size > 0) {
        const auto found = free_.find(begin);
        const Pages pages = found->second.pages;
        const PageRange range = extract(found);
        const std::size_t n = std::min(size, range.size);
        if (range.size > n) {
            insert({begin + n, range.size - n}, pages);
        }
        begin += n;
        size -= n;
    }
}

bool PageRanges::release(std::byte* block) {
    const auto found = used_.find(block);
    if (found == used_.end()) {
        return false;
    }
    const std::size_t size = found->second;
    used_.erase(found);
    used_bytes_ -= size;
    insert({block, size}, with_pages);
    return true;
}

std::size_t PageRanges::n_excess() const {
    const std::size_t allowed = std::min(most_kept_, peak_bytes_ + most_idle_ - used_bytes_);
    return idle_bytes_ > allowed ? idle_bytes_ - allowed : 0;
}

/// Returns the smallest range that is enough, or else the largest ones.
std::vector<PageRange> PageRanges::excess() {
    std::vector<PageRange> ranges;
    while (n_excess() > 0) {
        const auto& idle = by_size_[with_pages];
        const auto enough = idle.lower_bound({n_excess(), nullptr});
        std::byte* const begin = (enough == idle.end() ? std::prev(enough) : enough)->second;
        ranges.push_back(extract(free_.find(begin)));
    }
    return ranges;
}

std::vector<PageRange> PageRanges::drop_idle_segments() {
    std::vector<PageRange> dropped;
    for (auto segment = segments_.begin(); segment != segments_.end();) {
        const auto& [begin, size] = *segment;
        const auto first = free_.find(begin);
        auto last = first;
        std::size_t n_free = 0;
        while (last != free_.end() && last->first == begin + n_free && n_free < size) {
            n_free += last->second.size;
            ++last;
        }
        if (n_free < size) {
            ++segment;
            continue;
        }
        for (auto range = first; range != last;) {
            extract(range++);
        }
        dropped.push_back({begin, size});
        segment = segments_.erase(segment);
    }
    peak_bytes_ = used_bytes_;
    return dropped;
}

} // namespace starfmm

// SPDX-License-Identifier: BSD-3-Clause
#include "codelets/task/memory/page_ranges.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <random>

using namespace starfmm;

namespace {

constexpr std::size_t unlimited = std::numeric_limits<std::size_t>::max();

/// Makes an address, which nobody reads or writes.
std::byte* at(std::uintptr_t address) {
    return reinterpret_cast<std::byte*>(address); // NOLINT(performance-no-int-to-ptr)
}

/// Gives back the pages that are not in use.
std::size_t give_back(PageRanges& ranges) {
    std::size_t n = 0;
    for (const PageRange& range : ranges.excess()) {
        n += range.size;
        ranges.purged(range);
    }
    return n;
}

} // namespace

TEST_CASE("page_ranges: what is released serves the next blocks, whatever their sizes") {
    PageRanges ranges(0, unlimited);
    ranges.add_segment({at(1000), 1000});
    std::byte* const a = ranges.take(300);
    std::byte* const b = ranges.take(300);
    CHECK(a == at(1000));
    CHECK(b == at(1300));
    CHECK(ranges.used_bytes() == 600);
    CHECK(ranges.release(a));
    CHECK(ranges.release(b));
    CHECK(give_back(ranges) == 0); // all pages were in use at one time
    CHECK(ranges.take(500) == a);  // both, grown together
    CHECK(ranges.idle_bytes() == 100);
    CHECK(ranges.take(200) == at(1500)); // includes addresses without pages yet
    CHECK(ranges.take(400) == nullptr);
}

TEST_CASE("page_ranges: neither others' blocks nor blocks twice are released") {
    PageRanges ranges(0, unlimited);
    ranges.add_segment({at(1000), 1000});
    std::byte* const a = ranges.take(300);
    CHECK_FALSE(ranges.release(a + 1));
    CHECK_FALSE(ranges.release(at(5000)));
    CHECK(ranges.release(a));
    CHECK_FALSE(ranges.release(a));
    CHECK(ranges.used_bytes() == 0);
}

TEST_CASE("page_ranges: pages beyond those once in use at a time are given back") {
    PageRanges ranges(50, unlimited);
    ranges.add_segment({at(1000), 1000});
    std::byte* const a = ranges.take(100);
    std::byte* const b = ranges.take(10);
    ranges.release(a);
    CHECK(ranges.take(150) == at(1110)); // a is too small: 260 bytes have pages, 160 are in use
    CHECK(give_back(ranges) == 100);
    CHECK(ranges.idle_bytes() == 0);
    CHECK(ranges.take(100) == a); // the block's addresses are still there
    CHECK(ranges.release(b));
}

TEST_CASE("page_ranges: no more is kept than allowed") {
    PageRanges ranges(0, 100);
    ranges.add_segment({at(1000), 1000});
    ranges.release(ranges.take(80));
    CHECK(give_back(ranges) == 0);
    ranges.release(ranges.take(300));
    CHECK(give_back(ranges) > 0);
    CHECK(ranges.idle_bytes() <= 100);
}

TEST_CASE("page_ranges: segments that meet stay apart, and go when nothing of them is in use") {
    PageRanges ranges(0, unlimited);
    ranges.add_segment({at(1000), 1000});
    ranges.add_segment({at(2000), 1000});
    CHECK(ranges.take(1500) == nullptr);
    std::byte* const a = ranges.take(600);
    std::byte* const b = ranges.take(700);
    CHECK(ranges.drop_idle_segments().empty());
    ranges.release(a);
    CHECK(ranges.drop_idle_segments().size() == 1);
    CHECK(ranges.idle_bytes() == 0);
    ranges.release(b);
    CHECK(ranges.drop_idle_segments().size() == 1);
    CHECK(ranges.take(1) == nullptr);
}

TEST_CASE("page_ranges: blocks never overlap, and pages are bounded, in any order of events") {
    constexpr std::size_t most_idle = 1000;
    PageRanges ranges(most_idle, unlimited);
    constexpr std::size_t segment = 100'000;
    ranges.add_segment({at(segment), segment});
    ranges.add_segment({at(2 * segment), segment});
    std::map<std::byte*, std::size_t> blocks;
    std::mt19937 random(1);
    std::size_t used = 0;
    std::size_t peak = 0;
    for (int i = 0; i < 20'000; ++i) {
        if (random() % 2 == 0 || blocks.empty()) {
            const std::size_t size = 1 + random() % (i / 2000 % 2 == 0 ? 100 : 5000);
            if (std::byte* const begin = ranges.take(size)) {
                const auto next = blocks.lower_bound(begin);
                REQUIRE((next == blocks.end() || begin + size <= next->first));
                const bool is_first = next == blocks.begin();
                REQUIRE((is_first || std::prev(next)->first + std::prev(next)->second <= begin));
                blocks[begin] = size;
                used += size;
            }
        } else {
            const auto block =
                std::next(blocks.begin(), static_cast<std::ptrdiff_t>(random() % blocks.size()));
            REQUIRE(ranges.release(block->first));
            used -= block->second;
            blocks.erase(block);
        }
        peak = std::max(peak, used);
        give_back(ranges);
        REQUIRE(ranges.used_bytes() == used);
        REQUIRE(ranges.idle_bytes() + used <= peak + most_idle);
    }
    for (const auto& [begin, size] : blocks) {
        REQUIRE(ranges.release(begin));
    }
    CHECK(ranges.drop_idle_segments().size() == 2);
}

// SPDX-License-Identifier: BSD-3-Clause
#include "codelets/task/cuda_devices.hpp"
#include "codelets/task/memory/pinned_pages.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <thread>
#include <vector>

using starfmm::allocate_pinned_pages;
using starfmm::release_pinned_pages;

namespace {

constexpr std::size_t huge_page = std::size_t(1) << 21U;

/// Whether every byte of a block of `n` holds what is written to it.
bool holds(std::size_t n) {
    auto* const data = static_cast<unsigned char*>(allocate_pinned_pages(n));
    if (data == nullptr) {
        return false;
    }
    for (std::size_t i = 0; i < n; ++i) {
        data[i] = static_cast<unsigned char>(i * 7);
    }
    bool is_same = true;
    for (std::size_t i = 0; i < n; ++i) {
        is_same = is_same && data[i] == static_cast<unsigned char>(i * 7);
    }
    release_pinned_pages(data);
    return is_same;
}

} // namespace

TEST_CASE("pinned_pages: blocks of any size hold what is written") {
    for (const std::size_t n :
         {std::size_t(0),
          std::size_t(1),
          std::size_t(4097),
          huge_page - 1,
          huge_page + 1,
          9 * huge_page + 3,
          33 * huge_page}) {
        CHECK(holds(n));
    }
    release_pinned_pages(nullptr);
}

TEST_CASE("pinned_pages: pages are whole, so that two blocks never lock the same one") {
    std::vector<void*> blocks;
    for (int i = 0; i < 20; ++i) {
        blocks.push_back(allocate_pinned_pages(100));
        REQUIRE(blocks.back() != nullptr);
        CHECK(reinterpret_cast<std::uintptr_t>(blocks.back()) % 4096 == 0);
    }
    void* const large = allocate_pinned_pages(3 * huge_page);
    CHECK(reinterpret_cast<std::uintptr_t>(large) % huge_page == 0);
    if (starfmm::n_cuda_devices() > 0) {
        CHECK(starfmm::is_page_locked(large));
    }
    release_pinned_pages(large);
    for (void* block : blocks) {
        release_pinned_pages(block);
    }
}

TEST_CASE("pinned_pages: threads allocate beside each other") {
    std::vector<char> is_right(4, 0);
    {
        std::vector<std::jthread> threads;
        threads.reserve(is_right.size());
        for (char& right : is_right) {
            threads.emplace_back([&right] {
                right = 1;
                for (std::size_t k = 1; k < 6; ++k) {
                    right = static_cast<char>(right != 0 && holds(k * huge_page / 2) ? 1 : 0);
                }
            });
        }
    }
    CHECK(is_right == std::vector<char>(4, 1));
}

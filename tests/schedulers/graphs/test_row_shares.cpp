// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/graphs/row_shares.hpp"

#include <doctest/doctest.h>

#include <algorithm>

using namespace starfmm;

namespace {

/// Makes costs: seconds of a pair of rows on a core, and on a GPU that is `gpu_over_core` times as
/// fast.
OperatorCosts costs_of(double gpu_over_core) {
    OperatorCosts costs;
    costs.cpu.unit = 1e-9;
    costs.cuda.fill({1e-5, 1e-9 / gpu_over_core});
    return costs;
}

std::size_t rows_of(const std::vector<RowShare>& shares, Takers takers) {
    std::size_t n = 0;
    for (const RowShare& share : shares) {
        n += share.takers == takers ? share.n : 0;
    }
    return n;
}

/// Checks that every row is in one share, in order.
void check_all_rows(const std::vector<RowShare>& shares, std::size_t n) {
    std::size_t begin = 0;
    for (const RowShare& share : shares) {
        CHECK(share.begin == begin);
        CHECK(share.n > 0);
        begin += share.n;
    }
    CHECK(begin == n);
}

} // namespace

TEST_CASE("row_shares: all rows are shared out, whatever their number") {
    for (const std::size_t n : {1, 63, 64, 1000, 1024, 1025, 65'536, 1'000'003}) {
        for (const double ratio : {0.01, 1.0, 15.0, 1e4}) {
            check_all_rows(share_rows(n, costs_of(ratio), {15, 1}), n);
            check_all_rows(share_rows(n, costs_of(ratio), {1, 4}), n);
        }
        check_all_rows(equal_rows(n, 1024), n);
        check_all_rows(equal_rows(n, 1), n);
    }
}

TEST_CASE("row_shares: GPUs are given what they can do, and a part is shared by who is free") {
    constexpr std::size_t n = 1'000'000;
    const auto equal = share_rows(n, costs_of(15), {15, 1}); // the GPU is worth half
    CHECK(rows_of(equal, Takers::gpus) > n / 3);
    CHECK(rows_of(equal, Takers::gpus) < n / 2);
    const auto fast = share_rows(n, costs_of(15'000), {15, 1});
    CHECK(rows_of(fast, Takers::gpus) > n * 8 / 10);
    CHECK(rows_of(fast, Takers::all) > n / 20);
    const auto slow = share_rows(n, costs_of(0.15), {15, 1});
    CHECK(rows_of(slow, Takers::gpus) < n / 50);
}

TEST_CASE("row_shares: the last shares are the smallest") {
    constexpr std::size_t n = 1'000'000;
    const auto shares = share_rows(n, costs_of(15), {15, 1});
    std::size_t last = n;
    for (const RowShare& share : shares) {
        if (share.takers == Takers::all) {
            CHECK(share.n <= last);
            CHECK((share.n <= gpu_rows || share.n % gpu_rows == 0));
            CHECK(share.n <= n / 2 / 15 / 10); // a tenth of what a core does
            last = share.n;
        }
    }
    CHECK(last <= gpu_rows / 4);
    CHECK(shares.size() < 1000);
    const auto of_few = share_rows(20'000, costs_of(15), {15, 1}); // a core has 670
    CHECK(of_few.back().n <= 64);
}

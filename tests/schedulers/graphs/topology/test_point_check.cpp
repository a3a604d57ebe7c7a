// SPDX-License-Identifier: BSD-3-Clause
#include "core/error.hpp"
#include "schedulers/graphs/topology/point_check.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <future>
#include <thread>

using starfmm::PointCheck;

TEST_CASE("point_check: who is to look looks once, when it is due") {
    for (const bool are_in : {true, false}) {
        for (const auto by : {PointCheck::By::caller, PointCheck::By::thread}) {
            std::atomic<int> n_looks{0};
            std::thread::id who;
            PointCheck check(
                [&] {
                    ++n_looks;
                    who = std::this_thread::get_id();
                    return are_in;
                },
                by
            );
            CHECK(n_looks == 0);
            check.begin();
            CHECK(check.finish() == are_in);
            CHECK(check.finish() == are_in);
            CHECK(n_looks == 1);
            CHECK((who == std::this_thread::get_id()) == (by == PointCheck::By::caller));
        }
    }
}

TEST_CASE("point_check: a thread's look lets the caller go on, and is waited for at the end") {
    std::promise<void> caller_went_on;
    std::atomic<bool> ended{false};
    {
        PointCheck check(
            [&] {
                caller_went_on.get_future().wait();
                ended = true;
                return true;
            },
            PointCheck::By::thread
        );
        check.begin();
        caller_went_on.set_value();
    }
    CHECK(ended);
}

TEST_CASE("point_check: without begin() the caller looks at the end") {
    int n_looks = 0;
    PointCheck check([&] { return ++n_looks == 1; }, PointCheck::By::thread);
    CHECK(check.finish());
    CHECK(n_looks == 1);
}

TEST_CASE("point_check: what a look throws reaches the caller") {
    const auto refuse = []() -> bool { throw starfmm::InputError("sources.x[3] = nan"); };
    PointCheck by_caller(refuse, PointCheck::By::caller);
    CHECK_THROWS_WITH_AS(by_caller.begin(), "sources.x[3] = nan", starfmm::InputError);
    PointCheck by_thread(refuse, PointCheck::By::thread);
    by_thread.begin();
    CHECK_THROWS_WITH_AS(by_thread.finish(), "sources.x[3] = nan", starfmm::InputError);
}

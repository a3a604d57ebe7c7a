// SPDX-License-Identifier: BSD-3-Clause
#include "examples/cli/progress.hpp"
#include "examples/policies/limited_child.hpp"

#include <doctest/doctest.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>

using starfmm::ChildResult;
using starfmm::run_in_child;

TEST_CASE("limited_child: what the work returns arrives, however long") {
    const auto text = [] { return std::string(1'000'000, 'x'); };
    const ChildResult result = run_in_child(text, 60);
    CHECK(result.end == ChildResult::End::returned);
    CHECK(result.text == text());
}

TEST_CASE("limited_child: what it throws is why there is nothing") {
    const ChildResult result =
        run_in_child([]() -> std::string { throw std::domain_error("no such sum"); }, 60);
    CHECK(result.end == ChildResult::End::failed);
    CHECK(result.text == "no such sum");
}

TEST_CASE("limited_child: what hangs is ended") {
    const double start = starfmm::now();
    const ChildResult result = run_in_child(
        [] {
            std::this_thread::sleep_for(std::chrono::seconds(60));
            return std::string("late");
        },
        0.2
    );
    CHECK(starfmm::now() - start < 30);
    CHECK(result.end == ChildResult::End::timed_out);
    CHECK(result.text == "no result within the time limit");
}

TEST_CASE("limited_child: a signal that ends it is told") {
    const ChildResult result = run_in_child(
        []() -> std::string {
            static_cast<void>(::raise(SIGKILL));
            return "";
        },
        60
    );
    CHECK(result.end == ChildResult::End::failed);
    CHECK(result.text == "ended by signal 9");
}

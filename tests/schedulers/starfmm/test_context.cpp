// SPDX-License-Identifier: BSD-3-Clause
#include "starfmm/starfmm.hpp"

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <thread>
#include <vector>

using starfmm::Context;
using starfmm::InputError;
using starfmm::Laplace3d;
using starfmm::Sum;

namespace {

std::vector<double> random_numbers(std::size_t n, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::vector<double> numbers(n);
    std::ranges::generate(numbers, [&] {
        return std::uniform_real_distribution<double>(0, 1)(random);
    });
    return numbers;
}

} // namespace

TEST_CASE("context: a process has one at a time, and the next one after its end") {
    std::optional<Context> first(std::in_place);
    CHECK(first->cores() + first->gpus() > 0);
    CHECK(!first->scheduler().empty());
    CHECK_THROWS_AS(Context(), starfmm::StarpuError);
    first.reset();
    const Context second({.cores = 1, .gpus = 0});
    CHECK(second.cores() == 1);
}

TEST_CASE("context: workers that are not there are refused") {
    CHECK_THROWS_WITH_AS(
        Context({.cores = -2}),
        "Workers: cores = -2: must not be negative; leave it out for all there are",
        InputError
    );
    CHECK_THROWS_AS(Context({.cores = 100'000}), InputError);
    CHECK_THROWS_AS(Context({.scheduler = "none such"}), InputError);
}

TEST_CASE("context: threads wait for each other") {
    Context context;
    constexpr std::size_t n = 3000;
    const std::vector<double> x = random_numbers(3 * n, 1);
    const std::vector<double> q(n, 1.0);
    Sum alone(context, Laplace3d{}, {.sources = x});
    const std::vector<double> expected = alone(q);
    constexpr int n_threads = 4;
    std::vector<std::vector<double>> found(n_threads);
    std::vector<std::thread> threads;
    threads.reserve(n_threads);
    for (int t = 0; t < n_threads; ++t) {
        threads.emplace_back([&, t] {
            Sum sum(context, Laplace3d{}, {.sources = x});
            for (int i = 0; i < 5; ++i) {
                found[t] = sum(q);
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    for (const std::vector<double>& values : found) {
        REQUIRE(values.size() == n);
        for (std::size_t i = 0; i < n; ++i) {
            REQUIRE(values[i] == doctest::Approx(expected[i]).epsilon(1e-9));
        }
    }
}

TEST_CASE("context: a child process gets an exception instead of waiting for ever") {
    Context context;
    constexpr std::size_t n = 150'000; // threads copy as many: the child has none of them
    const std::vector<double> x = random_numbers(3 * n, 1);
    const std::vector<double> q(n, 1.0);
    Sum sum(context, Laplace3d{}, {.sources = x});
    const pid_t child = fork();
    if (child == 0) {
        int code = 1;
        alarm(60); // ends a child that waits
        try {
            static_cast<void>(sum(q));
        } catch (const starfmm::Error& error) {
            code = std::string(error.what()).find("forked") != std::string::npos ? 0 : 2;
        }
        _exit(code);
    }
    int status = -1;
    REQUIRE(waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 0);
    CHECK(sum.check(q, sum(q), 50).are_allowed); // the parent goes on
}

TEST_CASE("context: a child process sums in order") {
    Context context;
    constexpr std::size_t n = 150'000; // threads copy as many: the child has none of them
    const std::vector<double> x = random_numbers(3 * n, 1);
    const std::vector<double> q(n, 1.0);
    Sum sum(context, Laplace3d{}, {.sources = x, .tolerance = 1e-3});
    CHECK(sum.check(q, sum(q), 50).are_allowed); // on all cores
    const pid_t child = fork();
    if (child == 0) {
        int code = 1;
        alarm(250); // ends a child that waits
        try {
            Context own({.in_order = true});
            Sum again(own, Laplace3d{}, {.sources = x, .tolerance = 1e-3});
            code = again.check(q, again(q), 50).are_allowed ? 0 : 3;
        } catch (const starfmm::Error&) {
            code = 2;
        }
        _exit(code);
    }
    int status = -1;
    REQUIRE(waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 0);
}

TEST_CASE("context: an interrupt ends the sum that runs, and no other") {
    Context context({.cores = 1, .gpus = 0});
    constexpr std::size_t n = 200'000; // half a minute of a core
    const std::vector<double> x = random_numbers(3 * n, 1);
    const std::vector<double> q(n, 1.0);
    Sum sum(context, Laplace3d{}, {.sources = x, .method = starfmm::Method::direct});
    Sum few(context, Laplace3d{}, {.sources = std::span(x).first(900)});
    Context::interrupt(); // nothing runs
    CHECK(few.check(std::span(q).first(300), few(std::span(q).first(300))).are_allowed);
    const auto start = std::chrono::steady_clock::now();
    std::thread other([] {
        std::this_thread::sleep_for(std::chrono::milliseconds(300));
        Context::interrupt();
    });
    CHECK_THROWS_AS(static_cast<void>(sum(q)), starfmm::Interrupted);
    other.join();
#ifdef __SANITIZE_ADDRESS__
    constexpr std::chrono::seconds a_few_tasks{60}; // of eighty
#else
    constexpr std::chrono::seconds a_few_tasks{5};
#endif
    CHECK(std::chrono::steady_clock::now() - start < a_few_tasks);
    CHECK(few.check(std::span(q).first(300), few(std::span(q).first(300))).are_allowed);
    sum.move(std::span(x).first(3000)); // the interrupted sum can be used again
    CHECK(sum.check(std::span(q).first(1000), sum(std::span(q).first(1000))).are_allowed);
}

TEST_CASE("context: a recorded sum has a trace") {
    const auto file = std::filesystem::temp_directory_path() /
                      ("starfmm-context-" + std::to_string(getpid()) + ".json");
    const std::vector<double> x = random_numbers(3000, 1);
    {
        Context context({.record = true});
        Sum sum(context, Laplace3d{}, {.sources = x, .method = starfmm::Method::fmm});
        static_cast<void>(sum(std::vector<double>(1000, 1.0)));
        context.write_trace(file.string());
        std::ifstream stream(file);
        const std::string text(std::istreambuf_iterator<char>(stream), {});
        CHECK(text.find("p2p") != std::string::npos);
        CHECK_THROWS_AS(context.write_trace("trace.doc"), InputError);
    }
    std::filesystem::remove(file);
    const Context silent;
    CHECK_THROWS_AS(silent.write_trace(file.string()), InputError);
    CHECK(!std::filesystem::exists(file));
}

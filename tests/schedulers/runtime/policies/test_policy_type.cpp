// SPDX-License-Identifier: BSD-3-Clause
#include "core/error.hpp"
#include "examples/policy/heaviest_first.hpp"
#include "schedulers/runtime/policy.hpp"
#include "schedulers/runtime/runtime.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <deque>
#include <mutex>
#include <span>
#include <string>
#include <vector>

using starfmm::Codelet;
using starfmm::Handle;
using starfmm::InputError;
using starfmm::Runtime;
using starfmm::RuntimeOptions;
using starfmm::TaskArgs;

namespace {

std::atomic<int> n_workers{0};
std::atomic<int> n_ended{0};
std::atomic<int> n_alive{0};

/// A policy by which the last task that came goes first; it notes all that it is told.
class LastFirst {
public:
    static constexpr const char* name = "last-first";

    LastFirst() { ++n_alive; }

    LastFirst(const LastFirst&) = delete;
    LastFirst& operator=(const LastFirst&) = delete;

    ~LastFirst() { --n_alive; }

    void push(starpu_task& task) {
        const std::scoped_lock lock(mutex_);
        ready_.push_back(&task);
    }

    starpu_task* pop(int /*worker*/) {
        const std::scoped_lock lock(mutex_);
        if (ready_.empty()) {
            return nullptr;
        }
        starpu_task* const task = ready_.back();
        ready_.pop_back();
        return task;
    }

    static void add_workers(std::span<const int> workers) {
        n_workers += static_cast<int>(workers.size());
    }

    static void remove_workers(std::span<const int> workers) {
        n_workers -= static_cast<int>(workers.size());
    }

    static void ended(starpu_task& /*task*/) { ++n_ended; }

private:
    std::mutex mutex_;
    std::vector<starpu_task*> ready_;
};

/// Registers both policies; a program does so once.
void register_both() {
    static const bool is_done = [] {
        starfmm::register_policy<LastFirst>();
        starfmm::register_policy<examples::HeaviestFirst>();
        return true;
    }();
    REQUIRE(is_done);
}

std::atomic<bool> holds{false};
std::mutex order_mutex;
std::vector<int> order_of_run;

/// Notes a run; task 0 keeps the worker until all other tasks are ready.
void note_run(void* /*buffers*/[], void* args) {
    const int own = static_cast<TaskArgs*>(args)->order;
    while (own == 0 && holds) {
    }
    const std::scoped_lock lock(order_mutex);
    order_of_run.push_back(own);
}

Codelet& note_codelet() {
    static Codelet codelet(
        "test_note", "int", starfmm::Color::grey, note_run, nullptr, {{STARPU_RW}, {}}
    );
    return codelet;
}

/// Returns the numbers of tasks of these works, in the order in which one worker runs them.
std::vector<int> order_under(const std::string& policy, const std::vector<double>& works) {
    RuntimeOptions options{1, 0, policy};
    Runtime runtime(options);
    CHECK(runtime.policy() == policy);
    order_of_run.clear();
    holds = true;
    std::vector<int> data(works.size());
    std::deque<Handle> handles;
    for (std::size_t i = 0; i < works.size(); ++i) {
        handles.emplace_back(&data[i], 1, sizeof(int), runtime.home());
        TaskArgs args;
        args.order = static_cast<int>(i);
        args.work = works[i];
        const std::array<Handle*, 1> all{&handles.back()};
        runtime.submit(note_codelet(), all, args, 0);
    }
    holds = false;
    runtime.wait();
    return order_of_run;
}

} // namespace

TEST_CASE("policy_type: a type is a policy, which is told of workers and of ends") {
    register_both();
    n_ended = 0;
    std::vector<int> order = order_under("last-first", {9, 1, 2, 3});
    CHECK(order.size() == 4);
    std::ranges::sort(order);
    CHECK(order == std::vector<int>{0, 1, 2, 3});
    CHECK(n_ended == 4);
    CHECK(n_workers == 0); // equally many came and left
    CHECK(n_alive == 0);
    {
        const Runtime runtime(RuntimeOptions{1, 0, "last-first"});
        CHECK(n_workers == 1);
        CHECK(n_alive == 1);
    }
}

TEST_CASE("policy_type: the policy of the example runs the heaviest task first") {
    register_both();
    // 0 may have begun before the others came, and is the heaviest, if not
    CHECK(order_under("heaviest-first", {9, 1, 3, 2, 5}) == std::vector<int>{0, 4, 2, 3, 1});
}

TEST_CASE("policy_type: workers rest under a policy that has no pop of its own, too") {
    REQUIRE(!starfmm::policy_of_name("random").pop_task);
    CHECK(order_under("random", {3, 2, 1}) == std::vector<int>{0, 1, 2});
}

TEST_CASE("policy_type: names are given once") {
    register_both();
    const std::vector<std::string> names = starfmm::policy_names();
    CHECK(std::ranges::count(names, "starfmm") == 1);
    CHECK(std::ranges::count(names, "last-first") == 1);
    CHECK_THROWS_WITH_AS(
        starfmm::register_policy<LastFirst>(),
        "scheduling policy last-first: there is one of that name",
        InputError
    );
    starpu_sched_policy policy = starfmm::starpu_policy<LastFirst>();
    policy.policy_name = "lws";
    CHECK_THROWS_AS(starfmm::register_policy(policy), InputError);
    policy.policy_name = nullptr;
    CHECK_THROWS_WITH_AS(
        starfmm::register_policy(policy), "scheduling policy '': must have a name", InputError
    );
    CHECK_THROWS_WITH_AS(
        (void)starfmm::policy_of_name("none"),
        "scheduling policy none: is none of policy_names()",
        InputError
    );
}

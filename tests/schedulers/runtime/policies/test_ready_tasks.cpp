// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/runtime/policies/ready_tasks.hpp"
#include "tests/support/simulated_workers.hpp"

#include <doctest/doctest.h>

#include <array>
#include <limits>
#include <random>

using starfmm::PlaceKind;
using starfmm::ReadyTask;
using starfmm::ReadyTasks;

namespace {

constexpr double never = std::numeric_limits<double>::infinity();

constexpr auto name = task_name;

ReadyTask on_cores(std::size_t i, int priority = 0, std::uint64_t group = ReadyTask::no_group) {
    return {name(i), priority, group, -1, {{1, 0}}};
}

ReadyTask on_both(std::size_t i, double cpu, double gpu, int priority = 0) {
    return {name(i), priority, ReadyTask::no_group, -1, {{cpu, 0}, {gpu, 0}}};
}

/// Makes workers 0 and 1 on cores.
ReadyTasks two_cores() {
    ReadyTasks tasks({PlaceKind::cores});
    tasks.set_worker(0, 0);
    tasks.set_worker(1, 0);
    return tasks;
}

/// Makes workers 0 and 1 on cores, and worker 2 on the GPU.
ReadyTasks cores_and_gpu() {
    ReadyTasks tasks({PlaceKind::cores, PlaceKind::device});
    tasks.set_worker(0, 0);
    tasks.set_worker(1, 0);
    tasks.set_worker(2, 1);
    return tasks;
}

/// Makes worker 0 on one GPU, and worker 1 on another.
ReadyTasks two_gpus() {
    ReadyTasks tasks({PlaceKind::device, PlaceKind::device});
    tasks.set_worker(0, 0);
    tasks.set_worker(1, 1);
    return tasks;
}

/// Makespan on a GPU and cores. Cores take 3 times as long as the GPU for a first kind of tasks,
/// and `slower` times as long for a second.
double makespan_of(int n_cores, double slower, double real_gpu) {
    ReadyTasks tasks({PlaceKind::cores, PlaceKind::device});
    for (int core = 0; core < n_cores; ++core) {
        tasks.set_worker(core, 0);
    }
    tasks.set_worker(n_cores, 1);
    std::vector<std::array<double, 2>> seconds;
    for (std::size_t i = 0; i < 400; ++i) {
        const double core = i % 4 == 0 ? 3 : slower;
        tasks.push(on_both(i, core, 1), -1, 0);
        seconds.push_back({core, real_gpu});
    }
    return SimulatedWorkers(n_cores, seconds).makespan(tasks);
}

} // namespace

TEST_CASE("ready_tasks: the most urgent goes first, then who came first") {
    ReadyTasks tasks = two_cores();
    tasks.push(on_cores(0, 1), -1, 0);
    tasks.push(on_cores(1, 3), -1, 0);
    tasks.push(on_cores(2, 3), -1, 0);
    CHECK(tasks.size() == 3);
    CHECK(tasks.pop(0, 0) == name(1));
    CHECK(tasks.pop(1, 0) == name(2));
    CHECK(tasks.pop(0, 0) == name(0));
    CHECK(tasks.pop(0, 0) == nullptr);
    CHECK(tasks.size() == 0);
}

TEST_CASE("ready_tasks: a core keeps to its groups, but not at the price of urgency") {
    ReadyTasks tasks = two_cores();
    tasks.push(on_cores(0, 0, 7), -1, 0);
    CHECK(tasks.pop(1, 0) == name(0)); // core 1 has group 7
    tasks.push(on_cores(1, 0, 8), -1, 0);
    tasks.push(on_cores(2, 0, 7), 0, 0);
    tasks.push(on_cores(3, 1, 8), -1, 0);
    CHECK(tasks.pop(1, 0) == name(3));
    CHECK(tasks.pop(1, 0) == name(2));
    CHECK(tasks.pop(1, 0) == name(1));
}

TEST_CASE("ready_tasks: a core prefers what it released, and leaves others theirs") {
    ReadyTasks tasks = two_cores();
    tasks.push(on_cores(0), 0, 0);
    tasks.push(on_cores(1), 1, 0);
    tasks.push(on_cores(2), -1, 0);
    tasks.push(on_cores(3), 99, 0); // a worker of another set
    CHECK(tasks.pop(1, 0) == name(1));
    CHECK(tasks.pop(1, 0) == name(2));
    CHECK(tasks.pop(1, 0) == name(3));
    CHECK(tasks.pop(1, 0) == name(0)); // rather than nothing
}

TEST_CASE("ready_tasks: a GPU takes what it gains most with, the critical path before") {
    ReadyTasks tasks = cores_and_gpu();
    tasks.push(on_both(0, 2, 1), -1, 0);
    tasks.push(on_both(1, 30, 1), -1, 0);
    tasks.push(on_both(2, 4, 2, 5), -1, 0);
    tasks.push(on_both(3, never, 1), -1, 0);
    CHECK(tasks.pop(2, 0) == name(2));
    CHECK(tasks.pop(2, 0) == name(3));
    CHECK(tasks.pop(2, 0) == name(1));
    CHECK(tasks.pop(2, 0) == name(0));
}

TEST_CASE("ready_tasks: many cores keep what all of them do faster than a GPU") {
    ReadyTasks tasks = cores_and_gpu();
    tasks.push(on_both(0, 8, 1), -1, 0);
    for (std::size_t i = 1; i < 5; ++i) { // a GPU would do one in 1, two cores two in 1.5
        tasks.push(on_both(i, 1.5, 1, 5), -1, 0);
    }
    CHECK(tasks.pop(2, 0) == name(0));
    CHECK(tasks.pop(0, 0) == name(1));
    CHECK(tasks.pop(1, 0) == name(2));
    tasks.ended(2, name(0), 1);
    CHECK(tasks.pop(2, 1) == name(4)); // at 2, by the cores at 3
}

TEST_CASE("ready_tasks: cores take from a GPU's end what they end no later") {
    ReadyTasks tasks = cores_and_gpu();
    for (std::size_t i = 0; i < 10; ++i) {
        tasks.push(on_both(i, 5, 1), -1, 0);
    }
    CHECK(tasks.pop(0, 0) == name(9)); // at 5, on the GPU at 10
    CHECK(tasks.pop(1, 0) == name(8));
    CHECK(tasks.pop(2, 0) == name(0));
    tasks.ended(2, name(0), 1);
    CHECK(tasks.pop(2, 1) == name(1));
    CHECK(tasks.pop(0, 1) == nullptr); // the core's own task ends at 5 only
    tasks.ended(0, name(9), 1);
    tasks.ended(1, name(8), 1);
    CHECK(tasks.pop(0, 1) == name(7)); // at 6.5, on the GPU, which has 6 more, at 8
    CHECK(tasks.pop(1, 1) == name(6)); // at 6.5, on the GPU at 7
    tasks.ended(0, name(7), 1);
    CHECK(tasks.pop(0, 1) == nullptr); // at 6.5, on the GPU at 6
    CHECK(tasks.size() == 4);
    for (std::size_t i = 2; i < 6; ++i) {
        CHECK(tasks.pop(2, 1) == name(i));
    }
}

TEST_CASE("ready_tasks: what a GPU is busy with counts, until it has ended") {
    ReadyTasks tasks = cores_and_gpu();
    tasks.push(on_both(0, 100, 10), -1, 0);
    tasks.push(on_both(1, 5, 1), -1, 0);
    CHECK(tasks.pop(2, 0) == name(0));
    CHECK(tasks.pop(0, 7) == nullptr); // at 12.5, on the GPU at 11
    CHECK(tasks.pop(0, 2) == name(1)); // at 7.5
    tasks.push(on_both(2, 5, 1), -1, 2);
    tasks.ended(2, name(0), 2);
    tasks.ended(2, name(9), 2); // the call has no effect
    CHECK(tasks.pop(1, 2) == nullptr);
    CHECK(tasks.pop(2, 2) == name(2));
}

TEST_CASE("ready_tasks: a GPU that is slower than predicted gives more away") {
    for (const double seconds : {1.0, 1.5, 9.0}) {
        ReadyTasks tasks = cores_and_gpu();
        double now = 0;
        for (std::size_t i = 0; i < 10; ++i) {
            tasks.push(on_both(i, never, 1), -1, now);
            CHECK(tasks.pop(2, now) == name(i));
            now += seconds;
            tasks.ended(2, name(i), now);
        }
        for (std::size_t i = 0; i < 5; ++i) {
            tasks.push(on_both(i, 6, 1), -1, now);
        }
        // a core would end the task after 6.6, the GPU after 5, 7.5, or 10: no more is believed
        CHECK((tasks.pop(0, now) != nullptr) == (seconds > 1));
        CHECK((tasks.pop(1, now) != nullptr) == (seconds > 2)); // after 4, 6, or 8
    }
}

TEST_CASE("ready_tasks: cores and GPU together end nearly as early as is possible") {
    // cores take those of 100 tasks with a gain of 3 before those of 300 tasks with a gain of
    // `slower`; while the bound has both kinds of workers busy to the end, the last task may end
    // too late by one
    for (const double slower : {10.0, 40.0}) {
        for (const int n_cores : {1, 4, 15}) {
            CAPTURE(slower);
            CAPTURE(n_cores);
            const double all_low = 100 * 3.0 / n_cores; // seconds of all cores for the former
            const double bound = all_low >= 300 ? 400 / (1 + n_cores / 3.0)
                                                : (300 + 100 * 3 / slower) / (1 + n_cores / slower);
            const double end = makespan_of(n_cores, slower, 1);
            CHECK(end <= 1.15 * bound);
            CHECK(end >= bound * (1 - 1e-9));
        }
    }
}

TEST_CASE("ready_tasks: a GPU that takes twice as long as predicted is relieved by cores") {
    // 15 cores, 10 seconds a task, or 3: what the GPU cannot do, at 2 seconds each, in time
    const double bound = (300 + 100 * 3 / 10.0) / (1 / 2.0 + 15 / 10.0);
    CHECK(makespan_of(15, 10, 2) <= 1.15 * bound);
}

TEST_CASE("ready_tasks: what data take to travel counts") {
    ReadyTasks tasks = cores_and_gpu();
    tasks.push({name(0), 0, ReadyTask::no_group, -1, {{2, 0}, {1, 3}}}, -1, 0);
    CHECK(tasks.pop(2, 0) == nullptr); // the cores', at 2
    CHECK(tasks.pop(0, 0) == name(0));
    tasks.push({name(1), 0, ReadyTask::no_group, -1, {{2, 9}, {4, 0}}}, -1, 0);
    CHECK(tasks.pop(1, 0) == nullptr);
    CHECK(tasks.pop(2, 0) == name(1));
}

TEST_CASE("ready_tasks: a GPU helps cores, too") {
    ReadyTasks tasks = cores_and_gpu();
    for (std::size_t i = 0; i < 8; ++i) {
        tasks.push(on_both(i, 1, 2), -1, 0);
    }
    CHECK(tasks.pop(2, 0) == name(7)); // at 2, on the two cores at 4
    CHECK(tasks.pop(2, 0) == nullptr); // at 4.2, on the cores at 3.5
    tasks.push(on_both(8, 1, never), -1, 0);
    tasks.ended(2, name(7), 0);
    CHECK(tasks.pop(2, 0) == name(6));
}

TEST_CASE("ready_tasks: several GPUs share by parts, and take from each other") {
    ReadyTasks tasks = two_gpus();
    for (std::size_t i = 0; i < 4; ++i) {
        tasks.push({name(i), 0, i, 0, {{1, 0}, {1, 0}}}, -1, 0);
    }
    CHECK(tasks.pop(0, 0) == name(0));
    CHECK(tasks.pop(1, 0) == name(3)); // at 1.1, on the other at 4
    CHECK(tasks.pop(1, 0) == name(2));
    CHECK(tasks.pop(1, 0) == nullptr); // at 3.1, on the other at 2
    CHECK(tasks.pop(0, 0) == name(1));
    tasks.push({name(4), 0, 4, 0, {{1, 0}, {1, 0}}}, -1, 4);
    tasks.ended(0, name(0), 4);
    CHECK(tasks.pop(1, 4) == nullptr);
    CHECK(tasks.pop(0, 4) == name(4));
}

TEST_CASE("ready_tasks: of no part, each GPU gets as much, and what it has the data of") {
    ReadyTasks tasks = two_gpus();
    tasks.push({name(0), 0, 0, -1, {{1, 0}, {1, 0}}}, -1, 0);
    tasks.push({name(1), 0, 1, -1, {{1, 0}, {1, 0}}}, -1, 0);
    tasks.push({name(2), 0, 2, -1, {{1, 9}, {1, 0}}}, -1, 0);
    CHECK(tasks.pop(0, 0) == name(0));
    CHECK(tasks.pop(1, 0) == name(1));
    CHECK(tasks.pop(0, 0) == nullptr);
    CHECK(tasks.pop(1, 0) == name(2));
}

TEST_CASE("ready_tasks: who a task is restricted to takes it, and nobody else") {
    ReadyTasks tasks = two_cores();
    ReadyTask task = on_cores(0, 9);
    task.only = {1};
    tasks.push(task, 0, 0);
    tasks.push(on_cores(1), -1, 0);
    CHECK(tasks.pop(0, 0) == name(1));
    CHECK(tasks.pop(0, 0) == nullptr);
    CHECK(tasks.pop(1, 0) == name(0));
}

TEST_CASE("ready_tasks: data are sent ahead where nobody else would run the task") {
    ReadyTasks tasks = cores_and_gpu();
    CHECK(tasks.settled_place(on_both(0, 5, 1), 0) == 1);
    CHECK(tasks.settled_place(on_both(0, never, 1), 0) == 1);
    CHECK(tasks.settled_place(on_both(0, 1, 5), 0) == 0);
    for (std::size_t i = 0; i < 5; ++i) {
        tasks.push(on_both(i, never, 1), -1, 0);
    }
    CHECK(tasks.settled_place(on_both(9, 5, 1), 0) == std::nullopt); // cores end it earlier
    CHECK(tasks.settled_place(on_both(9, never, 1), 0) == 1);
}

TEST_CASE("ready_tasks: workers come and go, tasks stay") {
    ReadyTasks tasks({PlaceKind::cores, PlaceKind::device});
    tasks.push(on_both(0, 5, 1), -1, 0); // before there is anyone
    tasks.set_worker(0, 0);
    tasks.set_worker(2, 1);
    CHECK(tasks.pop(1, 0) == nullptr); // worker 1 never came
    CHECK(tasks.pop(0, 0) == nullptr);
    tasks.set_worker(2, -1);
    CHECK(tasks.pop(2, 0) == nullptr);
    CHECK(tasks.pop(0, 0) == name(0));
    CHECK(tasks.size() == 0);
}

TEST_CASE("ready_tasks: every task is popped once, whoever asks") {
    std::mt19937_64 random(1);
    const auto draw = [&random](int n) { return static_cast<int>(random() % n); };
    for (int round = 0; round < 50; ++round) {
        ReadyTasks tasks = cores_and_gpu();
        std::array<int, 300> popped{};
        std::array<std::vector<starpu_task*>, 3> running;
        std::size_t pushed = 0;
        double now = 0;
        for (int step = 0; pushed < popped.size() || tasks.size() > 0; ++step) {
            REQUIRE(step < 100'000);
            now += 0.1;
            if (pushed < popped.size() && draw(2) == 0) {
                ReadyTask task = on_both(pushed, 1 + draw(20), 1 + draw(3), draw(4));
                task.group = static_cast<std::uint64_t>(draw(9));
                task.times[static_cast<std::size_t>(draw(2))].run = draw(3) == 0 ? never : 2;
                tasks.push(task, draw(4) - 1, now);
                ++pushed;
            }
            const int worker = draw(3);
            auto& own = running[static_cast<std::size_t>(worker)];
            if (!own.empty() && draw(2) == 0) {
                tasks.ended(worker, own.back(), now);
                own.pop_back();
            }
            if (starpu_task* const task = tasks.pop(worker, now)) {
                own.push_back(task);
                ++popped.at(number_of(task));
            }
        }
        for (const int times : popped) {
            CHECK(times == 1);
        }
    }
}

// SPDX-License-Identifier: BSD-3-Clause
#include "core/error.hpp"
#include "schedulers/runtime/machine.hpp"
#include "schedulers/runtime/policy.hpp"
#include "schedulers/runtime/rest.hpp"
#include "schedulers/runtime/runtime.hpp"
#include "tests/support/environment.hpp"

#include <doctest/doctest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <fstream>
#include <new>
#include <numeric>
#include <stdexcept>
#include <thread>

using starfmm::AccessModes;
using starfmm::Codelet;
using starfmm::Execution;
using starfmm::Handle;
using starfmm::InputError;
using starfmm::Runtime;
using starfmm::RuntimeOptions;
using starfmm::TaskArgs;
using starfmm::view;

namespace {

/// Adds args.order to every element.
void add(void* buffers[], void* args) {
    for (int& value : view<int>(buffers[0])) {
        value += static_cast<TaskArgs*>(args)->order;
    }
}

void fail(void* /*buffers*/[], void* /*args*/) {
    throw std::domain_error("the task's own message");
}

Codelet& add_codelet() {
    static Codelet codelet(
        "test_add", "int", starfmm::Color::grey, add, nullptr, AccessModes{{STARPU_RW}, {}}
    );
    return codelet;
}

Codelet& fail_codelet() {
    static Codelet codelet(
        "test_fail", "int", starfmm::Color::grey, fail, nullptr, AccessModes{{STARPU_RW}, {}}
    );
    return codelet;
}

void copy(void* buffers[], void* /*args*/) {
    std::ranges::copy(view<int>(buffers[1]), view<int>(buffers[0]).begin());
}

Codelet& copy_codelet() {
    static Codelet codelet(
        "test_copy",
        "int",
        starfmm::Color::grey,
        copy,
        nullptr,
        AccessModes{{STARPU_W, STARPU_R}, {}}
    );
    return codelet;
}

void leave(void* /*buffers*/[], void* /*args*/) {}

/// A codelet without a kernel, so that any worker may run it.
Codelet& leave_codelet() {
    static Codelet codelet(
        "test_leave", "int", starfmm::Color::grey, leave, leave, AccessModes{{STARPU_RW}, {}}
    );
    return codelet;
}

RuntimeOptions cpu_options(int cpus = -1, const std::string& scheduler = "", bool profile = false) {
    return {cpus, 0, scheduler, profile};
}

/// Submits a task on `handle`.
void submit(Runtime& runtime, Codelet& codelet, Handle& handle, int number = 0) {
    TaskArgs args;
    args.order = number;
    args.work = static_cast<double>(handle.size());
    const std::array<Handle*, 1> handles{&handle};
    runtime.submit(codelet, handles, args, 0);
}

void submit_copy(Runtime& runtime, Handle& to, Handle& from) {
    const std::array<Handle*, 2> handles{&to, &from};
    runtime.submit(copy_codelet(), handles, {}, 0);
}

std::vector<int> contents(Handle& handle) {
    std::vector<int> values(handle.size());
    handle.read(std::span(values));
    return values;
}

/// Limits the bytes that this process may take beyond those that it has.
class AddressLimit {
public:
    explicit AddressLimit(std::size_t more) {
        std::size_t pages = 0;
        std::ifstream("/proc/self/statm") >> pages;
        ::getrlimit(RLIMIT_AS, &old_);
        const rlimit limit{
            pages * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)) + more, old_.rlim_max};
        ::setrlimit(RLIMIT_AS, &limit);
    }

    AddressLimit(const AddressLimit&) = delete;
    AddressLimit& operator=(const AddressLimit&) = delete;

    ~AddressLimit() { ::setrlimit(RLIMIT_AS, &old_); }

private:
    rlimit old_{};
};

std::string message_of(const RuntimeOptions& options) {
    try {
        const Runtime runtime(options);
    } catch (const InputError& error) {
        return error.what();
    }
    return "no InputError";
}

} // namespace

TEST_CASE("runtime: tasks on one handle run one after the other, in order or on workers") {
    for (const Execution execution : {Execution::tasks, Execution::in_order}) {
        Runtime runtime(cpu_options(), execution);
        std::vector<int> data(10, 1);
        {
            Handle handle(data.data(), data.size(), sizeof(int), runtime.home());
            for (int i = 1; i <= 100; ++i) {
                submit(runtime, add_codelet(), handle, i);
            }
            runtime.wait();
            CHECK(contents(handle) == std::vector<int>(10, 5051));
        }
        CHECK(data == std::vector<int>(10, 5051)); // brought home with the handle
        CHECK(runtime.n_tasks() == 100);
    }
}

TEST_CASE("runtime: each start tells StarPU its own number of streams a GPU") {
    for (const int streams : {1, 3, 2}) {
        RuntimeOptions options = cpu_options(1);
        options.streams = streams;
        const Runtime runtime(options);
        CHECK(std::getenv("STARPU_NWORKER_PER_CUDA") == std::to_string(streams));
    }
}

TEST_CASE("runtime: what a task throws reaches the caller at wait, later tasks are skipped") {
    Runtime runtime(cpu_options());
    std::vector<int> data(4, 0);
    Handle handle(data.data(), data.size(), sizeof(int), runtime.home());
    submit(runtime, add_codelet(), handle, 1);
    submit(runtime, fail_codelet(), handle);
    submit(runtime, add_codelet(), handle, 10);
    submit(runtime, fail_codelet(), handle);
    CHECK_THROWS_WITH_AS(runtime.wait(), "the task's own message", std::domain_error);
    CHECK(contents(handle) == std::vector<int>(4, 1));
    CHECK_NOTHROW(runtime.wait());
    submit(runtime, add_codelet(), handle, 100);
    CHECK_NOTHROW(runtime.wait());
    CHECK(contents(handle) == std::vector<int>(4, 101));
}

TEST_CASE("runtime: in order, a body's exception reaches the caller at once") {
    Runtime runtime({}, Execution::in_order);
    std::vector<int> data(1, 0);
    Handle handle(data.data(), 1, sizeof(int), runtime.home());
    CHECK_THROWS_WITH_AS(
        submit(runtime, fail_codelet(), handle), "the task's own message", std::domain_error
    );
    CHECK_NOTHROW(runtime.wait());
    CHECK(runtime.policy() == "none");
    CHECK(runtime.n_cpu() == 1);
    CHECK(runtime.n_cuda() == 0);
    CHECK(runtime.workers().size() == 1);
}

TEST_CASE("runtime: it starts again, with as many workers as asked for and any policy") {
    for (const std::string policy : {"", "eager", "dmda", "dmdas", "lws", "ws", "prio", "random"}) {
        const Runtime runtime(cpu_options(1, policy));
        CHECK(runtime.n_cpu() == 1);
        CHECK(runtime.n_cuda() == 0);
        CHECK(runtime.workers().size() == 1);
        CHECK_FALSE(runtime.workers()[0].is_cuda);
        CHECK(runtime.policy() == (policy.empty() ? "lws" : policy));
    }
    const Runtime runtime(cpu_options());
    CHECK(runtime.n_cpu() == starfmm::default_cores());
}

TEST_CASE("runtime: options given win over StarPU's variables, which decide what is left open") {
    const Environment cpus("STARPU_NCPU", "1");
    const Environment policy("STARPU_SCHED", "eager");
    {
        const Runtime runtime(cpu_options());
        CHECK(runtime.n_cpu() == 1);
        CHECK(runtime.workers().size() == 1);
        CHECK(runtime.policy() == "eager");
    }
    const Environment more("STARPU_NCPU", "700");
    {
        const Runtime runtime(cpu_options());
        CHECK(runtime.n_cpu() == static_cast<int>(starpu_worker_get_count()));
        CHECK(runtime.n_cpu() < 700);
    }
    {
        const Environment reserved("STARPU_RESERVE_NCPU", "1");
        const Runtime runtime(cpu_options(1, "dmda"));
        CHECK(runtime.n_cpu() == 1);
        CHECK(runtime.workers().size() == 1);
        CHECK(runtime.policy() == "dmda");
        CHECK(starpu_sched_get_sched_policy()->policy_name == std::string("dmda"));
    }
    const Environment unknown("STARPU_SCHED", "fastest");
    CHECK(message_of(cpu_options()).starts_with("STARPU_SCHED = fastest: must be one of "));
    const Environment none("STARPU_NCPU", "0");
    const std::string why = ": no worker is left, since GPUs are switched off";
    if (starfmm::available_gpus() == 0) {
        CHECK(
            message_of(cpu_options(-1, "lws")) ==
            "STARPU_NCPU = 0: no worker is left, since no usable GPU was found"
        );
    } else {
        CHECK(message_of(cpu_options(-1, "lws")) == "STARPU_NCPU = 0" + why);
    }
}

TEST_CASE("runtime: there is one at a time, beside any number that run in order") {
    {
        Runtime first(cpu_options(1));
        CHECK_THROWS_WITH_AS(
            Runtime(cpu_options(1)),
            "a Runtime lives already: a process has one at a time",
            starfmm::StarpuError
        );
        CHECK_NOTHROW(Runtime({}, Execution::in_order));
        std::vector<int> data(1, 5);
        Handle handle(data.data(), 1, sizeof(int), first.home());
        submit(first, add_codelet(), handle, 2); // the first one is none the worse
        first.wait();
        CHECK(contents(handle) == std::vector<int>{7});
    }
    CHECK_NOTHROW(Runtime(cpu_options(1)));
}

TEST_CASE("runtime: tasks with too few buffers or too many are refused") {
    for (const Execution execution : {Execution::tasks, Execution::in_order}) {
        Runtime runtime(cpu_options(1), execution);
        starfmm::FusedCodelet fused("test_fused", "int", starfmm::Color::grey);
        Codelet pairs(
            "test_pairs",
            "int",
            starfmm::Color::grey,
            leave,
            nullptr,
            AccessModes{{STARPU_RW}, {STARPU_R, STARPU_R}}
        );
        std::vector<int> data(3, 1);
        Handle handle(data.data(), data.size(), sizeof(int), runtime.home());
        const auto submit_many = [&](Codelet& codelet, std::size_t n) {
            runtime.submit(codelet, std::vector<Handle*>(n, &handle), {}, 0);
        };
        const auto check_refused = [&](Codelet& codelet, std::size_t n, const std::string& takes) {
            const std::string message =
                codelet.name() + ": " + std::to_string(n) + " buffers, takes " + takes;
            CHECK_THROWS_WITH_AS(submit_many(codelet, n), message.c_str(), starfmm::Error);
            CHECK_THROWS_WITH_AS(
                runtime.fuse(fused, 0, [&] { submit_many(codelet, n); }),
                message.c_str(),
                starfmm::Error
            );
        };
        check_refused(copy_codelet(), 0, "2");
        check_refused(copy_codelet(), 1, "2");
        check_refused(copy_codelet(), 3, "2");
        check_refused(pairs, 0, "1 and any number of times 2");
        check_refused(pairs, 2, "1 and any number of times 2");
        runtime.wait();
        CHECK(data == std::vector<int>(3, 1));
        CHECK_NOTHROW(pairs.check_buffers(1));
        CHECK_NOTHROW(pairs.check_buffers(5));
    }
}

TEST_CASE("runtime: memory that could not be had fails the task that needs it, and its readers") {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    MESSAGE("skipped: the sanitizer takes all addresses itself");
#else
    Runtime runtime(cpu_options(1));
    constexpr std::size_t too_many = std::size_t(1) << 30U;
    const AddressLimit limit(too_many / 2);
    std::vector<int> data(1, 1);
    {
        Handle lacking(too_many / sizeof(int), sizeof(int), runtime.home());
        Handle handle(data.data(), 1, sizeof(int), runtime.home());
        submit_copy(runtime, lacking, handle);
        submit(runtime, add_codelet(), handle, 2);
        CHECK_THROWS_AS(runtime.wait(), std::bad_alloc);
        submit(runtime, add_codelet(), lacking, 1); // again, later
        CHECK_THROWS_AS(runtime.wait(), std::bad_alloc);
        std::array<int, 1> out{};
        CHECK_THROWS_AS(lacking.read(std::span<int>(out)), std::bad_alloc);
        submit(runtime, fail_codelet(), handle);
        CHECK_THROWS_AS(
            handle.read(std::span<int>(out)), std::domain_error
        ); // the buffer does not have its former contents
        runtime.wait();
    }
    CHECK(data == std::vector<int>{1});
    Handle handle(data.data(), 1, sizeof(int), runtime.home());
    submit(runtime, fail_codelet(), handle);
    runtime.abandon();
    submit(runtime, add_codelet(), handle, 8);
    runtime.wait();
    CHECK(contents(handle) == std::vector<int>{9});
#endif
}

TEST_CASE("runtime: workers and policies that do not exist are rejected") {
    const int cores = starfmm::available_cores();
    const int gpus = starfmm::available_gpus();
    CHECK(
        message_of(cpu_options(cores + 1)) == "cpus = " + std::to_string(cores + 1) +
                                                  ": this machine has " + std::to_string(cores) +
                                                  " cores that this process may use"
    );
    CHECK(
        message_of({1, gpus + 1, "", false}) == "gpus = " + std::to_string(gpus + 1) +
                                                    ": this machine has " + std::to_string(gpus) +
                                                    " usable GPUs"
    );
    CHECK(message_of(cpu_options(1, "fastest")).starts_with("scheduler = fastest: must be one of ")
    );
    CHECK(message_of(cpu_options(0)) == "cpus = 0 and gpus = 0: at least one worker is needed");
    if (gpus == 0) {
        CHECK(
            message_of({0, -1, "", false}) ==
            "cpus = 0: no worker is left, since no usable GPU was found"
        );
    }
    CHECK_NOTHROW(Runtime(cpu_options(1))); // and none of them is left half started
}

TEST_CASE("runtime: arrays that no memory holds are refused before any work") {
    constexpr std::size_t too_many = std::size_t(1) << 60;
    for (int gpus = 0; gpus <= std::min(1, starfmm::available_gpus()); ++gpus) {
        const Runtime runtime({1 - gpus, gpus, "", false});
        CHECK_NOTHROW(runtime.check_memory(1 << 20));
        CHECK_THROWS_AS(runtime.check_memory(too_many), starfmm::MemoryError);
    }
}

TEST_CASE("runtime: records say what ran, where and when, if profiling") {
    for (const Execution execution : {Execution::tasks, Execution::in_order}) {
        Runtime runtime(cpu_options(1, "", true), execution);
        std::vector<int> data(7, 0);
        Handle handle(data.data(), data.size(), sizeof(int), runtime.home());
        for (int i = 0; i < 5; ++i) {
            submit(runtime, add_codelet(), handle, i);
        }
        runtime.wait();
        REQUIRE(runtime.records().size() == 5);
        double last = 0;
        for (const auto& record : runtime.records()) {
            CHECK(record.codelet == &add_codelet());
            CHECK(record.worker == 0);
            CHECK(record.work == 7);
            CHECK(record.start_s >= last);
            CHECK(record.end_s >= record.start_s);
            last = record.end_s;
        }
        CHECK(runtime.transferred_bytes() == 0);
        runtime.clear_records();
        CHECK(runtime.records().empty());
    }
    Runtime runtime(cpu_options(1));
    std::vector<int> data(7, 0);
    Handle handle(data.data(), data.size(), sizeof(int), runtime.home());
    submit(runtime, add_codelet(), handle);
    runtime.wait();
    CHECK(runtime.records().empty());
}

TEST_CASE("runtime: neighbouring parts of a problem share a GPU") {
    if (starfmm::available_gpus() < 2) {
        MESSAGE("skipped: fewer than two GPUs");
        return;
    }
    Runtime runtime(RuntimeOptions{0, 2, "", true});
    constexpr std::uint32_t n_parts = 6;
    std::array<int, n_parts> data{};
    for (std::uint32_t part = 0; part < n_parts; ++part) {
        Handle handle(&data[part], 1, sizeof(int), runtime.home());
        TaskArgs args;
        args.part = {part, n_parts};
        runtime.submit(leave_codelet(), std::array<Handle*, 1>{&handle}, args, 0);
    }
    runtime.wait();
    const auto gpu = [&](std::uint32_t part) {
        constexpr std::size_t name_of_gpu = sizeof("CUDA 0") - 1;
        const int worker = runtime.records()[part].worker;
        return runtime.workers()[static_cast<std::size_t>(worker)].name.substr(0, name_of_gpu);
    };
    for (std::uint32_t part = 0; part < n_parts; ++part) {
        CHECK(gpu(part) == (part < n_parts / 2 ? "CUDA 0" : "CUDA 1"));
    }
}

TEST_CASE("runtime: fused tasks run in order as one, with the data between them") {
    for (const Execution execution : {Execution::tasks, Execution::in_order}) {
        Runtime runtime(cpu_options(1), execution);
        starfmm::FusedCodelet fused("test_fused", "double", starfmm::Color::grey);
        std::vector<int> data(5, 1);
        std::vector<int> other(5, 10);
        {
            Handle first(data.data(), data.size(), sizeof(int), runtime.home());
            Handle second(other.data(), other.size(), sizeof(int), runtime.home());
            runtime.fuse(fused, 0, [&] {
                submit(runtime, add_codelet(), first, 1);
                submit(runtime, add_codelet(), second, 2);
                submit(runtime, add_codelet(), first, 4);
            });
            submit(runtime, add_codelet(), first, 8); // not one of them
            runtime.wait();
        }
        CHECK(data == std::vector<int>(5, 14));
        CHECK(other == std::vector<int>(5, 12));
        CHECK(runtime.n_tasks() == (execution == Execution::tasks ? 2 : 4));
    }
}

TEST_CASE("runtime: what is thrown while tasks are fused submits none of them") {
    Runtime runtime(cpu_options(1));
    starfmm::FusedCodelet fused("test_fused", "double", starfmm::Color::grey);
    std::vector<int> data(5, 1);
    Handle handle(data.data(), data.size(), sizeof(int), runtime.home());
    const auto fail = [&] {
        submit(runtime, add_codelet(), handle, 1);
        throw std::domain_error("while fusing");
    };
    CHECK_THROWS_WITH_AS(runtime.fuse(fused, 0, fail), "while fusing", std::domain_error);
    submit(runtime, add_codelet(), handle, 2); // as if nothing had happened
    runtime.fuse(fused, 0, [&] { submit(runtime, add_codelet(), handle, 4); });
    runtime.wait();
    CHECK(contents(handle) == std::vector<int>(5, 7));
    CHECK(runtime.n_tasks() == 2);
}

TEST_CASE("runtime: arrays made while tasks are fused serve later fused tasks") {
    for (const Execution execution : {Execution::tasks, Execution::in_order}) {
        Runtime runtime(cpu_options(1), execution);
        starfmm::FusedCodelet fused("test_fused", "double", starfmm::Color::grey);
        std::vector<int> data(70, 1);
        std::vector<int> result(70, 0);
        {
            Handle in(data.data(), data.size(), sizeof(int), runtime.home());
            Handle out(result.data(), result.size(), sizeof(int), runtime.home());
            Handle kept;
            runtime.fuse(fused, 0, [&] {
                Handle scratch(data.size(), sizeof(int), runtime.home());
                kept = Handle(data.size(), sizeof(int), runtime.home());
                submit_copy(runtime, scratch, in);
                submit_copy(runtime, kept, in);
                submit(runtime, add_codelet(), scratch, 100); // not into its neighbour
                submit(runtime, add_codelet(), kept, 1);
            });
            runtime.fuse(fused, 0, [&] {
                submit(runtime, add_codelet(), kept, 3);
                submit_copy(runtime, out, kept);
            });
            runtime.wait();
            CHECK(contents(kept) == std::vector<int>(70, 5));
        }
        CHECK(result == std::vector<int>(70, 5));
    }
}

TEST_CASE("runtime: a worker leaves its core to the caller, and others do what there is") {
    for (const std::string scheduler : {"starfmm", "eager", "prio"}) {
        CAPTURE(scheduler);
        REQUIRE(starfmm::shares_among_cores(scheduler));
        Runtime runtime(cpu_options(2, scheduler, true));
        if (runtime.n_cpu() < 2) {
            MESSAGE("skipped: one core");
            return;
        }
        std::vector<std::vector<int>> values(40, {1, 2});
        std::vector<Handle> handles;
        handles.reserve(values.size());
        for (std::vector<int>& own : values) {
            handles.emplace_back(own.data(), own.size(), sizeof(int), runtime.home());
        }
        starfmm::leave_core(std::chrono::hours(1));
        for (Handle& handle : handles) {
            submit(runtime, add_codelet(), handle, 3);
        }
        runtime.wait(); // although the last worker rests
        REQUIRE(runtime.records().size() == handles.size());
        const auto of_last = std::ranges::count(runtime.records(), 1, &starfmm::TaskRecord::worker);
        CHECK(of_last <= 1); // the last worker may have been looking for a task
        starfmm::leave_core(std::chrono::milliseconds(1));
        std::this_thread::sleep_for(std::chrono::milliseconds(5)); // a caller who waits sleeps so
        const auto has_worked = [&] {
            return std::ranges::count(runtime.records(), 1, &starfmm::TaskRecord::worker) > of_last;
        };
        int n_added = 0;
        while (n_added < 5000 && !has_worked()) { // the system may give others its core for long
            for (Handle& handle : handles) {
                submit(runtime, add_codelet(), handle, 1);
            }
            runtime.wait();
            ++n_added;
        }
        CHECK(has_worked());
        CHECK(contents(handles[0]) == std::vector{4 + n_added, 5 + n_added});
    }
}

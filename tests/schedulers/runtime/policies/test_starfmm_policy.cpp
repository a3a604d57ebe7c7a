// SPDX-License-Identifier: BSD-3-Clause
#include "codelets/task/submitted_task.hpp"
#include "core/error.hpp"
#include "core/particles/distributions.hpp"
#include "schedulers/plan/gravity_tree.hpp"
#include "schedulers/plan/plan.hpp"
#include "schedulers/runtime/machine.hpp"
#include "schedulers/runtime/policies/starfmm_policy.hpp"
#include "schedulers/runtime/policy.hpp"
#include "tests/kernels/counting.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

using starfmm::check_starpu;
using starfmm::Codelet;
using starfmm::Distribution;
using starfmm::Handle;
using starfmm::kernel_set;
using starfmm::Plan;
using starfmm::PlanOptions;
using starfmm::Runtime;
using starfmm::RuntimeOptions;
using starfmm::Strengths;
using starfmm::TaskArgs;

namespace {

RuntimeOptions options(int cpus, int gpus = 0) {
    return {cpus, gpus, "starfmm"};
}

/// Checks that each target meets each source once, any number of times.
void check_sums(Runtime& runtime, int groups, starfmm::Team team = starfmm::Team::automatic) {
    constexpr std::size_t n = 3001;
    const auto points = starfmm::make_points<2>(Distribution::normal, n, 0.1, 1);
    PlanOptions plan_options;
    plan_options.groups = groups;
    plan_options.leaf_size = 5;
    plan_options.team = team;
    for (int repeat = 0; repeat < 3; ++repeat) {
        Plan plan(runtime, kernel_set<Counting>(), points, plan_options);
        const auto phi = plan.evaluate(Strengths{std::vector<double>(n, 1), {}});
        CHECK(std::ranges::count(phi.re, static_cast<double>(n)) == n);
    }
}

void count(void* buffers[], void* /*args*/) {
    ++starfmm::view<int>(buffers[0]).front();
}

Codelet& count_codelet() {
    static Codelet codelet(
        "test_count", "int", starfmm::Color::grey, count, nullptr, {{STARPU_RW}, {}}
    );
    return codelet;
}

std::atomic<int> ran_on{-1};

void note_worker(void* /*buffers*/[], void* /*args*/) {
    ran_on = starpu_worker_get_id();
}

int only_the_last(unsigned worker, starpu_task* /*task*/, unsigned /*implementation*/) {
    return worker + 1 == starpu_worker_get_count() ? 1 : 0;
}

/// A codelet of StarPU that belongs to none of the library's Codelets.
starpu_codelet& foreign_codelet() {
    static starpu_codelet codelet = [] {
        starpu_codelet made;
        starpu_codelet_init(&made);
        made.cpu_funcs[0] = note_worker;
        made.where = STARPU_CPU;
        made.name = "foreign";
        return made;
    }();
    return codelet;
}

using CanExecute = int (*)(unsigned, starpu_task*, unsigned);

/// Runs a task of foreign_codelet().
/// \returns the worker that ran it
int run_foreign(CanExecute can_execute, std::uint32_t workers, unsigned context = 0) {
    starpu_codelet& codelet = foreign_codelet();
    codelet.can_execute = can_execute;
    starpu_task* const task = starpu_task_create();
    task->cl = &codelet;
    task->synchronous = 1;
    task->workerids = workers != 0 ? &workers : nullptr;
    task->workerids_len = workers != 0 ? 1 : 0;
    CHECK(starfmm::args_of(*task) == nullptr);
    ran_on = -1;
    check_starpu(starpu_task_submit_to_ctx(task, context), "starpu_task_submit_to_ctx");
    return ran_on;
}

bool lacks_cores(int n) {
    const bool lacks = starfmm::available_cores() < n;
    if (lacks) {
        MESSAGE("skipped: fewer cores");
    }
    return lacks;
}

} // namespace

TEST_CASE("starfmm_policy: sums are right on one core and on two, of 1 to 64 groups") {
    for (const int cpus : {1, 2}) {
        if (lacks_cores(cpus)) {
            continue;
        }
        Runtime runtime(options(cpus));
        CHECK(runtime.policy() == "starfmm");
        for (const int groups : {1, 4, 64}) {
            CAPTURE(cpus);
            CAPTURE(groups);
            check_sums(runtime, groups);
        }
    }
}

TEST_CASE("starfmm_policy: sums are right on GPUs, and beside cores") {
    const int gpus = starfmm::available_gpus();
    if (gpus == 0) {
        MESSAGE("skipped: no GPU");
        return;
    }
    for (const int cpus : {0, 1, 2}) {
        for (const int streams : {1, 2}) {
            RuntimeOptions with_gpus = options(cpus, gpus);
            with_gpus.streams = streams;
            Runtime runtime(with_gpus);
            CAPTURE(cpus);
            CAPTURE(streams);
            for (const auto team :
                 {starfmm::Team::all, starfmm::Team::gpus, starfmm::Team::cores}) {
                check_sums(runtime, 16, team);
            }
        }
    }
}

TEST_CASE("starfmm_policy: sums are right beside an OpenCL device") {
    RuntimeOptions with_device = options(1);
    with_device.opencl = 1;
    std::optional<Runtime> runtime;
    try {
        runtime.emplace(with_device);
    } catch (const starfmm::InputError& error) {
        MESSAGE("skipped: ", error.what());
        return;
    }
    check_sums(*runtime, 16);
}

TEST_CASE("starfmm_policy: thousands of short tasks, in chains and side by side, all run") {
    for (const int cpus : {1, 2}) {
        if (lacks_cores(cpus)) {
            continue;
        }
        Runtime runtime(options(cpus));
        constexpr std::size_t n_chains = 100;
        constexpr int length = 50;
        std::vector<int> counts(n_chains);
        std::deque<Handle> handles;
        for (int& each : counts) {
            handles.emplace_back(&each, 1, sizeof(int), runtime.home());
        }
        for (int i = 0; i < length; ++i) {
            for (std::size_t chain = 0; chain < n_chains; ++chain) {
                TaskArgs args;
                args.part = {static_cast<std::uint32_t>(chain), n_chains};
                const std::array<Handle*, 1> data{&handles[chain]};
                runtime.submit(count_codelet(), data, args, static_cast<int>(chain % 5));
            }
        }
        runtime.wait();
        handles.clear(); // destroying the handles brings the data home
        CHECK(std::ranges::count(counts, length) == n_chains);
    }
}

TEST_CASE("starfmm_policy: who a task is restricted to runs it, also of codelets of others") {
    if (lacks_cores(2)) {
        return;
    }
    const Runtime runtime(options(2));
    for (int i = 0; i < 20; ++i) {
        CHECK(run_foreign(nullptr, 0) >= 0);
        CHECK(run_foreign(nullptr, 1) == 0);
        CHECK(run_foreign(nullptr, 2) == 1);
        CHECK(run_foreign(only_the_last, 0) == 1);
    }
}

TEST_CASE("starfmm_policy: a set of workers of its own runs its tasks, and gives workers back") {
    if (lacks_cores(2)) {
        return;
    }
    const Runtime runtime(options(2));
    starpu_sched_policy policy = starfmm::starpu_policy<starfmm::StarfmmPolicy>();
    int worker = 1;
    const unsigned context =
        starpu_sched_ctx_create(&worker, 1, "one", STARPU_SCHED_CTX_POLICY_STRUCT, &policy, 0);
    CHECK(run_foreign(nullptr, 0, context) == 1);
    CHECK(run_foreign(nullptr, 0, context) == 1);
    starpu_sched_ctx_delete(context);
    CHECK(run_foreign(nullptr, 2) == 1);
    CHECK(run_foreign(nullptr, 1) == 0);
}

TEST_CASE("starfmm_policy: gravity is that of another policy") {
    starfmm::Bodies bodies;
    bodies.x = starfmm::make_points<3>(Distribution::plummer, 2000, 0.1, 1).x;
    bodies.mass.assign(2000, 1);
    const auto under = [&bodies](const std::string& policy) {
        Runtime runtime(RuntimeOptions{-1, 0, policy});
        starfmm::GravityTreeOptions gravity = starfmm::direct_gravity(1e-2);
        gravity.plan.direct.order = starfmm::SummationOrder::fixed;
        starfmm::GravityTree sum(runtime, gravity);
        starfmm::Accelerations out;
        sum.evaluate(bodies, out);
        return out;
    };
    CHECK(under("starfmm").a[0] == under("eager").a[0]); // bit by bit: the order is fixed
}

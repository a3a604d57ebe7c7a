// SPDX-License-Identifier: BSD-3-Clause
#include "tests/perf/gpu/gpu_sums.hpp"

#include "examples/cli/progress.hpp"
#include "examples/cli/report.hpp"
#include "schedulers/plan/user_arrays.hpp"
#include "tests/perf/bench.hpp"

#include <cstdio>
#include <memory>
#include <optional>
#include <utility>

namespace starfmm {

namespace {

void keep_resident(
    Runtime& runtime,
    const std::vector<std::vector<double>*>& arrays,
    std::deque<Resident>& residents
) {
    for (std::vector<double>* values : arrays) {
        residents.emplace_back(runtime, *values);
    }
}

RuntimeOptions workers(int gpus) {
    return {0, gpus, "", false};
}

} // namespace

GpuSums::GpuSums(
    KernelSet& kernel, AnyPoints points, Strengths strengths, const PlanOptions& plan, int repeat
)
    : kernel_(kernel), points_(std::move(points)), strengths_(std::move(strengths)), plan_(plan),
      repeat_(repeat) {
    for (std::vector<double>* values : results_of(results_, kernel.traits.n_values)) {
        if (values != nullptr) {
            values->resize(points_.size());
        }
    }
}

std::vector<std::vector<double>*> GpuSums::arrays() {
    std::vector<std::vector<double>*> all{&strengths_.re};
    for (std::vector<double>& x : points_.x) {
        all.push_back(&x);
    }
    for (std::vector<double>* values : results_of(results_, kernel_.traits.n_values)) {
        if (values != nullptr) {
            all.push_back(values);
        }
    }
    return all;
}

void GpuSums::lock_pages() {
    for (std::vector<double>* values : arrays()) {
        locks_.emplace_back(values->data(), values->size() * sizeof(double));
    }
}

double GpuSums::time(Runtime& runtime) {
    const double start = now();
    auto plan = std::make_unique<Plan>(runtime, kernel_, points_, plan_);
    plan->evaluate(strengths_, results_);
    const double end = now();
    info_ = plan->info();
    const double info = now();
    plan.reset();
    freed_s_ = now() - info;
    return end - start;
}

Rounds GpuSums::end_to_end(int gpus) {
    Runtime tasks(workers(gpus));
    Rounds times;
    for (int round = -5; round < repeat_; ++round) {
        const double seconds = time(tasks);
        if (round >= 0) {
            times.push_back(seconds);
        }
    }
    return times;
}

GpuSums::ResidentRounds GpuSums::resident(int gpus) {
    Runtime tasks(workers(gpus));
    std::optional<Runtime> in_order;
    std::deque<Resident> residents;
    keep_resident(tasks, arrays(), residents);
    if (gpus == 1) {
        in_order.emplace(workers(gpus), Execution::in_order_cuda);
        keep_resident(*in_order, arrays(), residents);
    }
    ResidentRounds times;
    for (int round = -5; round < repeat_; ++round) {
        const double with = time(tasks);
        const double freed = freed_s_;
        const double without = in_order ? time(*in_order) : 0;
        if (round >= 0) {
            times.tasks.push_back(with);
            times.in_order.push_back(without);
            times.freed.push_back(freed);
        }
    }
    return times;
}

std::vector<Phase> GpuSums::phases(int gpus, const std::string& trace) {
    RuntimeOptions profiled = workers(gpus);
    profiled.profile = true;
    Runtime runtime(profiled, gpus == 1 ? Execution::in_order_cuda : Execution::tasks);
    std::deque<Resident> residents;
    keep_resident(runtime, arrays(), residents);
    std::vector<Phase> phases;
    std::vector<Rounds> times;
    for (int round = -3; round < repeat_; ++round) {
        runtime.clear_records();
        static_cast<void>(time(runtime));
        phases = phases_of(runtime.records());
        times.resize(phases.size());
        for (std::size_t i = 0; round >= 0 && i < phases.size(); ++i) {
            times[i].push_back(phases[i].time_s);
        }
    }
    for (std::size_t i = 0; i < phases.size(); ++i) {
        phases[i].time_s = median(times[i]);
    }
    if (!trace.empty()) {
        write_trace(trace, runtime);
    }
    return phases;
}

void print_gpu_line(const std::string& what, double seconds, double least) {
    std::printf("%-22s %9.4f ms", what.c_str(), 1e3 * seconds);
    if (least > 0) {
        std::printf("   floor %9.4f   %3.0f %%", 1e3 * least, 100 * least / seconds);
    }
    std::printf("\n");
}

void print_gpu_overhead(const GpuSums::ResidentRounds& rounds) {
    std::printf(
        "StarPU / in order, median of ratios: %.3f; difference of medians %.3f ms\n",
        median_ratio(rounds.tasks, rounds.in_order),
        1e3 * (median(rounds.tasks) - median(rounds.in_order))
    );
}

} // namespace starfmm

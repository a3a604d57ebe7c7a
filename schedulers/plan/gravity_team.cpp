// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/plan/gravity_team.hpp"

#include "core/error.hpp"
#include "core/particles/initial_conditions.hpp"
#include "schedulers/costs/loaded_cores.hpp"
#include "schedulers/costs/task_costs.hpp"
#include "schedulers/costs/tuning.hpp"
#include "schedulers/costs/tuning_cache.hpp"

#include <algorithm>
#include <limits>

namespace starfmm {

namespace {

/// Time and pairs of a sum whose tasks the caller executes.
struct TimedSum {
    double seconds = 0; ///< seconds of its tasks
    double pairs = 0;
};

TimedSum time_sum(Runtime& caller, GravitySum& sum, const Bodies& bodies) {
    Accelerations out;
    TimedSum timed;
    caller.clear_records();
    sum.evaluate(bodies, out);
    for (const TaskRecord& record : caller.records()) {
        timed.seconds += record.own_s();
        timed.pairs += record.work;
    }
    return timed;
}

/// Seconds a pair, of n bodies' sums by the caller; the fastest of a few. On cores his processor
/// time counts: others that use the machine do not.
double pair_seconds(const GravityOptions& options, Execution execution, std::size_t n) {
    constexpr int rounds = 3;
    RuntimeOptions recorded;
    recorded.profile = true;
    Runtime caller(recorded, execution);
    GravitySum sum(caller, options);
    const Bodies bodies = make_plummer(n, 1, 1).bodies;
    double shortest = std::numeric_limits<double>::max();
    for (int round = 0; round < rounds; ++round) {
        const TimedSum timed = time_sum(caller, sum, bodies);
        shortest = std::min(shortest, timed.seconds / timed.pairs);
    }
    return shortest;
}

double pair_seconds_of_core(const Runtime& runtime, const GravityOptions& options) {
    constexpr std::size_t n = 4096;
    const LoadedCores loaded(runtime.n_cpu());
    return pair_seconds(options, Execution::in_order, n);
}

std::string key_of(const Runtime& runtime, const GravityOptions& options) {
    return machine_key(runtime) + "; gravity, precision " +
           std::to_string(static_cast<int>(options.precision)) + ", result " +
           std::to_string(static_cast<int>(options.result));
}

constexpr const char* name = "starfmm_gravity";

} // namespace

OperatorCosts measured_gravity_costs(const Runtime& runtime, const GravityOptions& options) {
    const std::string key = key_of(runtime, options);
    const std::string file = cache_file(usable_cache_folder(), key);
    const auto kept = read_costs(file, key);
    if (kept && kept->tasks.contains(name) && over_peak(kept->tasks) <= 1) {
        return kept->tasks.at(name);
    }
    constexpr std::size_t of_gpu = 65'536;
    GravityOptions whole = options;
    whole.target_block = whole.source_block = 0;
    OperatorCosts costs;
    costs.cpu.unit = pair_seconds_of_core(runtime, whole);
    costs.cuda.fill(gravity_cost_of_gpu(pair_seconds(whole, Execution::in_order_cuda, of_gpu)));
    MeasuredCosts measured;
    measured.tasks[name] = costs;
    try {
        write_costs(file, key, measured);
    } catch (const WriteError&) {
        return costs; // measured again next time
    }
    return costs;
}

TaskCost gravity_cost_of_gpu(double pair_s) {
    constexpr double idle_rows = gpu_rows / 3.0; // of the last block of threads, more or less
    TaskCost cost = OperatorCosts{}.cuda.front();
    cost.unit = pair_s;
    cost.by_grain = idle_rows * pair_s;
    return cost;
}

TeamTimes
gravity_team_times(std::size_t n, const OperatorCosts& costs, const WorkerCounts& workers) {
    constexpr double gpu_start = 1.6e-4;
    constexpr double core_start = 5e-5;
    const double pairs = static_cast<double>(n) * static_cast<double>(n);
    const double gpus = workers.n_cuda / costs.cuda.front().unit;
    const double cores = workers.n_cpu / costs.cpu.unit;
    return {
        gpu_start + pairs / gpus,
        core_start + pairs / cores,
        gpu_start + core_start + pairs / (gpus + cores)};
}

Team fastest_team(const TeamTimes& times) {
    constexpr double least_gain = 0.9;
    if (times.all < least_gain * std::min(times.gpus, times.cores)) {
        return Team::all;
    }
    return times.gpus <= times.cores ? Team::gpus : Team::cores;
}

} // namespace starfmm

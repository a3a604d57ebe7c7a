// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/costs/tuning.hpp"

#include "codelets/task/cuda_devices.hpp"
#include "core/config.hpp"
#include "core/error.hpp"
#include "schedulers/costs/calibration.hpp"
#include "schedulers/costs/task_costs.hpp"
#include "schedulers/costs/tuning_cache.hpp"

#include <algorithm>
#include <fstream>
#include <functional>
#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <utility>

namespace starfmm {

namespace {

/// A machine that is never idle settles, too; but what disturbs all attempts of one minute, as
/// other processes on a GPU do, is gone after a while.
constexpr int most_attempts = 3;
constexpr double a_while_s = 3600;

/// MeasuredCosts::busy of costs that sums were seen to contradict.
constexpr double doubtful = 1e9;

/// MeasuredCosts::attempts where that found the same costs again: it is not they that are wrong.
constexpr int settled = 1000;

/// "AMD EPYC 9575F", or nothing where the system does not say.
std::string cpu_model() {
    std::ifstream stream("/proc/cpuinfo");
    for (std::string line; std::getline(stream, line);) {
        if (line.starts_with("model name")) {
            return line.substr(line.find(':') + 1);
        }
    }
    return "";
}

/// What costs depend on.
std::string cache_key(const Runtime& runtime, const KernelSet& kernel) {
    return machine_key(runtime) + "; " + kernel.traits.name +
           (kernel.traits.real_size == sizeof(double) ? ", double" : ", single");
}

/// The costs without how they were found.
const MachineCosts& machine_of(const MeasuredCosts& measured) {
    return measured;
}

WorkerCounts workers_of(const Runtime& runtime) {
    return {runtime.n_cpu(), runtime.n_cuda()};
}

/// What units cost over what they are built in with, in the mean.
double slowness(const UnitCosts& costs, const UnitCosts& expected) {
    return std::transform_reduce(
        costs.fmm.begin(), costs.fmm.end(), expected.fmm.begin(), 0.0, std::plus{}, std::divides{}
    );
}

bool are_alike(double a, double b) {
    constexpr double alike = 2;
    return a < alike * b && b < alike * a;
}

/// Whether much work of each operator that both know takes alike times.
bool are_alike(const TaskCosts& a, const TaskCosts& b) {
    constexpr double work = 1e6;
    constexpr double grain = 24;
    return std::ranges::all_of(a, [&](const auto& entry) {
        const auto other = b.find(entry.first);
        return other == b.end() ||
               (are_alike(
                    entry.second.cpu.seconds(work, grain), other->second.cpu.seconds(work, grain)
                ) &&
                are_alike(
                    entry.second.cuda.front().seconds(work, grain),
                    other->second.cuda.front().seconds(work, grain)
                ));
    });
}

/// Whether sums, and the tasks of each operator, take alike times by both.
/// \param expected costs elsewhere
bool are_alike(const MachineCosts& a, const MachineCosts& b, const UnitCosts& expected) {
    return are_alike(slowness(a.costs, expected), slowness(b.costs, expected)) &&
           are_alike(a.tasks, b.tasks);
}

/// What is measured now, or what was kept, if that was disturbed less.
MeasuredCosts
measure_again(Runtime& runtime, KernelSet& kernel, const std::optional<MeasuredCosts>& kept) {
    MeasuredCosts measured = measure_costs(runtime, kernel);
    if (kept) {
        const UnitCosts& expected = builtin_costs(workers_of(runtime), kernel.traits.dimension);
        const bool is_found_again = kept->busy >= doubtful && measured.busy <= undisturbed &&
                                    are_alike(measured, *kept, expected);
        measured.attempts = is_found_again ? settled : kept->attempts + 1;
        if (kept->busy < measured.busy) {
            static_cast<MachineCosts&>(measured) = machine_of(*kept);
            measured.busy = kept->busy;
        }
    }
    return measured;
}

TunedCosts tuned_of(const MeasuredCosts& measured, CostSource source, const std::string& file) {
    return {machine_of(measured), source, file, {}, measured.busy > undisturbed};
}

/// Measured costs, and what became of keeping them.
/// \param kept what was measured before
TunedCosts measure_and_keep(
    Runtime& runtime,
    KernelSet& kernel,
    const std::string& file,
    const std::string& key,
    const std::optional<MeasuredCosts>& kept
) {
    const MeasuredCosts measured = measure_again(runtime, kernel, kept);
    TunedCosts tuned = tuned_of(measured, CostSource::measured, file);
    try {
        write_costs(file, key, measured);
    } catch (const Error& error) {
        tuned.notice = std::string("costs are not kept: ") + error.what();
    }
    return tuned;
}

TunedCosts builtin(const Runtime& runtime, const KernelSet& kernel) {
    const int dimension = kernel.traits.dimension;
    const UnitCosts& costs = builtin_costs(workers_of(runtime), dimension);
    return {{costs, builtin_costs({1, 0}, dimension), {}}, CostSource::builtin, {}, {}};
}

/// Whether a plan takes long enough that better choices make up for measuring.
bool is_worth_measuring(const ProblemSize& size) {
    constexpr std::size_t fewest = 20'000;
    return size.n_sources + (size.separate_targets ? size.n_targets : 0) >= fewest;
}

/// Costs kept from an earlier run, if they can be this machine's.
std::optional<MeasuredCosts> read_plausible(
    const Runtime& runtime, int dimension, const std::string& file, const std::string& key
) {
    auto kept = read_costs(file, key);
    const bool is_possible = kept && over_peak(kept->tasks) <= 1 &&
                             are_plausible(kept->costs, workers_of(runtime), dimension);
    if (!is_possible) {
        kept.reset();
    }
    return kept;
}

TunedCosts find_costs(
    Runtime& runtime, KernelSet& kernel, const PlanOptions& options, const ProblemSize& size
) {
    const std::string key = cache_key(runtime, kernel);
    const std::string file = cache_file(usable_cache_folder(), key);
    if (options.tuning == Tuning::again) {
        return measure_and_keep(runtime, kernel, file, key, std::nullopt);
    }
    const auto kept = read_plausible(runtime, kernel.traits.dimension, file, key);
    const bool is_settled = kept && !is_worth_repeating(*kept);
    if (!is_settled && is_worth_measuring(size)) {
        return measure_and_keep(runtime, kernel, file, key, kept);
    }
    if (kept) {
        return tuned_of(*kept, CostSource::cached, file);
    }
    return builtin(runtime, kernel);
}

/// Whether what the runtime remembers serves this plan.
bool is_good_enough(const TunedCosts& known, const PlanOptions& options, const ProblemSize& size) {
    switch (known.source) {
    case CostSource::none:
        return false;
    case CostSource::builtin:
        return options.tuning != Tuning::again && !is_worth_measuring(size);
    case CostSource::cached:
        return options.tuning != Tuning::again;
    case CostSource::measured:
        break;
    }
    return true;
}

/// Whether an operator that takes a tenth of the time took twice or half as long as predicted: half
/// as long, on GPUs, whose tasks run beside each other.
bool are_off(const Runtime& runtime, std::span<const TaskRecord> records) {
    constexpr double share_that_matters = 0.1;

    struct Sums {
        double predicted = 0;
        double measured = 0;
    };

    std::map<std::pair<const Codelet*, bool>, Sums> sums;
    Sums all;
    for (const TaskRecord& record : records) {
        Sums& own = sums[{
            record.codelet, runtime.workers()[static_cast<std::size_t>(record.worker)].is_cuda}];
        for (Sums* sum : {&own, &all}) {
            sum->predicted += record.details.predicted_s;
            sum->measured += record.end_s - record.start_s;
        }
    }
    const double least = share_that_matters * all.measured;
    return std::ranges::any_of(sums, [&](const auto& entry) {
        const auto& [predicted, measured] = entry.second;
        const bool is_slower = measured > 2 * predicted && !entry.first.second;
        return std::max(predicted, measured) > least && (is_slower || predicted > 2 * measured);
    });
}

/// Whether a whole sum took less than half of what was predicted. Twice as much says nothing: of
/// the user's arrays, and of what else the machine does, predictions know nothing.
bool is_off(const SumTimes& sum) {
    return sum.measured_s > 0 && sum.predicted_s > 2 * sum.measured_s;
}

} // namespace

std::string machine_key(const Runtime& runtime) {
    std::string key = std::string("starfmm ") + version + ";" + cpu_model() + ", " + isa_name() +
                      "; CPU workers " + std::to_string(runtime.n_cpu());
    for (int device = 0; device < runtime.n_cuda(); ++device) {
        key += "; " + cuda_device_name(device);
    }
    return key;
}

bool is_worth_repeating(const MeasuredCosts& measured) {
    return measured.busy >= doubtful ||
           (measured.busy > undisturbed &&
            (measured.attempts < most_attempts || measured.age_s > a_while_s));
}

void review_costs(
    Runtime& runtime, KernelSet& kernel, const SumTimes& sum, std::span<const TaskRecord> records
) {
    TunedCosts& known = runtime.tuned_costs(kernel);
    if (known.source != CostSource::cached || ++known.n_looked_at != 2 ||
        !(is_off(sum) || are_off(runtime, records))) {
        return;
    }
    const std::string key = cache_key(runtime, kernel);
    auto kept = read_costs(known.file, key);
    if (!kept || kept->attempts >= settled ||
        (kept->attempts >= 2 * most_attempts && kept->age_s < a_while_s)) {
        return;
    }
    kept->busy = doubtful;
    try {
        write_costs(known.file, key, *kept);
    } catch (const Error&) {
        return; // costs stay as they are
    }
    known.source = CostSource::none;
    runtime.last_choice().reset();
}

TunedCosts tuned_costs(
    Runtime& runtime, KernelSet& kernel, const PlanOptions& options, const ProblemSize& size
) {
    // Who executes in order measures others, or is compared with them.
    const bool in_order = runtime.home() != Handle::Home::starpu;
    if (in_order || options.tuning == Tuning::builtin || !is_automatic(options)) {
        return builtin(runtime, kernel);
    }
    TunedCosts& known = runtime.tuned_costs(kernel);
    if (!is_good_enough(known, options, size)) {
        known = find_costs(runtime, kernel, options, size);
    }
    return known;
}

} // namespace starfmm

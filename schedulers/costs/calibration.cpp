// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/costs/calibration.hpp"

#include "codelets/task/cuda_devices.hpp"
#include "core/particles/distributions.hpp"
#include "schedulers/costs/loaded_cores.hpp"
#include "schedulers/costs/samples.hpp"
#include "schedulers/costs/task_costs.hpp"
#include "schedulers/plan/plan_state.hpp"

#include <algorithm>
#include <cstddef>
#include <deque>
#include <limits>
#include <map>
#include <span>
#include <vector>

namespace starfmm {

namespace {

constexpr int rounds = 4; // the first only warms up; of the others the fastest counts

/// What a sum does, and how.
struct Decision {
    PlanInfo info;
    PlanOptions options;
};

/// Times sums of one kernel on one runtime. Where the caller executes them, his processor time
/// counts: others that use the machine at the same time do not.
class Stopwatch {
public:
    Stopwatch(Runtime& runtime, KernelSet& kernel)
        : runtime_(runtime), kernel_(kernel),
          clock_(
              runtime.home() == Handle::Home::plain ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC
          ) {}

    /// Seconds from points to potentials of each sum: the shortest of the rounds, which take turns.
    std::vector<double> times(
        std::span<const std::size_t> sizes,
        std::span<const Decision> decided,
        TaskTimings* tasks = nullptr
    ) {
        std::vector<double> shortest(sizes.size(), std::numeric_limits<double>::max());
        const std::size_t n_records = runtime_.records().size();
        for (int round = 0; round < rounds; ++round) {
            for (std::size_t i = 0; i < sizes.size(); ++i) {
                const double time = run(problem(sizes[i]), decided[i]);
                shortest[i] = round == 0 ? shortest[i] : std::min(shortest[i], time);
                if (tasks != nullptr && round > 0) {
                    const std::span records(runtime_.records());
                    tasks->add(i, decided[i].info.order, records.subspan(n_records));
                }
                runtime_.forget_records(n_records);
            }
        }
        return shortest;
    }

private:
    struct Problem {
        AnyPoints points;
        Strengths strengths;
        std::deque<PageLock> locks; ///< without them copies hide what the GPU does; bodies that are
                                    ///< timed alone read a copy on the GPU
    };

    const Problem& problem(std::size_t n) {
        const auto [entry, is_new] = problems_.try_emplace(n);
        if (is_new) {
            const auto type = kernel_.traits.complex_strength && !kernel_.traits.has_lengths
                                  ? StrengthType::complex
                                  : StrengthType::real;
            entry->second = {
                uniform_points(n), make_strengths(n, StrengthSign::random, type, 1), {}};
            if (runtime_.home() == Handle::Home::starpu) {
                lock(entry->second);
            }
        }
        return entry->second;
    }

    [[nodiscard]] AnyPoints uniform_points(std::size_t n) const {
        return with_dimension(kernel_.traits.dimension, [n](auto d) {
            return AnyPoints(make_points<d()>(Distribution::uniform, n, 0.1, 1));
        });
    }

    static void lock(Problem& problem) {
        const auto lock_values = [&](std::vector<double>& values) {
            problem.locks.emplace_back(values.data(), values.size() * sizeof(double));
        };
        std::ranges::for_each(problem.points.x, lock_values);
        lock_values(problem.strengths.re);
    }

    double run(const Problem& problem, const Decision& decided) {
        const double start = seconds_on(clock_);
        PlanState sum{runtime_, kernel_, decided.options, {}, 0, 0, nullptr, nullptr, nullptr};
        PointsRef points(problem.points);
        const std::vector<double> zeros(kernel_.traits.has_lengths ? points.size() : 0);
        points.lengths = zeros;
        sum.build(decided.info, points, points, PointSets::one);
        const StrengthsRef strengths(problem.strengths);
        try {
            sum.evaluate({&strengths, 1}, {&potentials_, 1});
        } catch (...) {
            sum.drop();
            throw;
        }
        return seconds_on(clock_) - start;
    }

    Runtime& runtime_;
    KernelSet& kernel_;
    clockid_t clock_;
    std::map<std::size_t, Problem> problems_; ///< problems by number of points
    Potentials potentials_;
};

PlanShape shape_of(const Sample& sample, const KernelTraits& kernel) {
    PlanShape shape{sample.n, sample.n, false, sample.levels, sample.theta, sample.order};
    shape.dimension = kernel.dimension;
    if (kernel.dimension == 3) {
        shape.roots = sample.roots;
        shape.terms_besides = kernel.terms_besides;
        shape.wave_tolerance = sample.tolerance;
    }
    return shape;
}

Decision decided_by(const PlanShape& shape) {
    Decision decided;
    decided.info.team = Team::gpus;
    decided.info.theta = shape.theta;
    decided.info.order = shape.order;
    decided.info.tree = shape.dimension == 3 ? TreeKind::orthtree : TreeKind::pyramid;
    decided.info.roots = shape.roots;
    if (shape.dimension == 2) {
        decided.info.levels = shape.levels;
    } else {
        decided.info.leaf_size = octree_leaf_size(shape);
    }
    decided.options.order = shape.order; // whatever the points
    if (shape.wave_tolerance > 0) {
        decided.info.terms = PairTerms::all;
        decided.options.plane_waves = PlaneWaves::always;
        decided.options.tolerance = shape.wave_tolerance;
    }
    return decided;
}

/// Costs of the units that a method's runs were made of.
template <class Array>
Array fit(
    const std::vector<Array>& units, const std::vector<double>& times, const Array& expected
) {
    std::vector<TimedRun> runs;
    for (std::size_t i = 0; i < units.size(); ++i) {
        runs.push_back({{units[i].begin(), units[i].end()}, times[i]});
    }
    const auto costs = fit_costs(runs, {expected.begin(), expected.end()});
    Array fitted{};
    std::copy(costs.begin(), costs.end(), fitted.begin());
    return fitted;
}

Units measure_fmm(
    Stopwatch& stopwatch,
    const KernelTraits& kernel,
    std::span<const Sample> samples,
    const Units& expected,
    TaskTimings* tasks
) {
    std::vector<std::size_t> sizes;
    std::vector<Decision> decided;
    std::vector<Units> units;
    for (const Sample& sample : samples) {
        if (sample.tolerance > 0 && kernel.order_of_all_terms == nullptr) {
            continue; // it has no plane waves
        }
        const PlanShape shape = shape_of(sample, kernel);
        sizes.push_back(sample.n);
        decided.push_back(decided_by(shape));
        units.push_back(units_of(shape));
    }
    return fit(units, stopwatch.times(sizes, decided, tasks), expected);
}

DirectUnits measure_direct(
    Stopwatch& stopwatch,
    std::span<const std::size_t> sizes,
    const DirectUnits& expected,
    TaskTimings* tasks
) {
    Decision direct;
    direct.info.team = Team::gpus;
    direct.info.method = Method::direct;
    std::vector<DirectUnits> units;
    for (const std::size_t n : sizes) {
        units.push_back(direct_units(n, n));
    }
    const std::vector<Decision> decided(sizes.size(), direct);
    return fit(units, stopwatch.times(sizes, decided, tasks), expected);
}

/// Costs of sums; of tasks, too, where the runtime records them.
struct MeasuredSums {
    UnitCosts costs;
    FittedCosts tasks;
    double over_peak = 0; ///< over_peak() of the tasks
};

/// Direct sums have operators of their own, whose runs are numbered anew.
MeasuredSums
measure(Runtime& runtime, KernelSet& kernel, const Samples& samples, const UnitCosts& expected) {
    Stopwatch stopwatch(runtime, kernel);
    const Processor processor = runtime.n_cuda() > 0 ? Processor::gpu : Processor::core;
    TaskTimings timings(processor);
    TaskTimings* const tasks = runtime.profiles() ? &timings : nullptr;
    UnitCosts costs;
    costs.fmm = measure_fmm(stopwatch, kernel.traits, samples.fmm, expected.fmm, tasks);
    costs.direct = measure_direct(stopwatch, samples.direct, expected.direct, tasks);
    const TaskCosts& builtin = builtin_task_costs(kernel.traits.dimension);
    return {costs, timings.fit(costs_on(processor, builtin)), timings.over_peak()};
}

/// Notes costs of one kind of worker's tasks, and how far they are to be believed.
void keep_tasks(const MeasuredSums& sums, Processor processor, MeasuredCosts& measured) {
    for (const auto& [name, cost] : sums.tasks) {
        if (processor == Processor::core) {
            measured.tasks[name].cpu = cost;
        } else {
            measured.tasks[name].cuda.fill(cost);
        }
    }
    if (sums.over_peak > 1) {
        measured.busy = std::max(measured.busy, undisturbed + sums.over_peak);
    }
}

/// Options of a runtime whose caller executes the tasks and records them.
RuntimeOptions recorded() {
    RuntimeOptions options;
    options.profile = true;
    return options;
}

/// What a plan pays at any rate, over what it may take on a slow host.
double delay(const UnitCosts& measured, const UnitCosts& expected) {
    constexpr double slow = 4;
    constexpr auto once = static_cast<std::size_t>(Unit::once);
    return measured.fmm[once] / (slow * expected.fmm[once]);
}

/// All runs together take less than a virtual machine stands still for at times: what only that
/// explains is measured again at once.
void measure_gpus(Runtime& runtime, KernelSet& kernel, MeasuredCosts& measured) {
    constexpr int attempts = 3;
    const int dimension = kernel.traits.dimension;
    const UnitCosts& expected = builtin_costs({0, 1}, dimension);
    const Samples samples = gpu_samples(dimension);
    measured.costs = measure(runtime, kernel, samples, expected).costs;
    for (int i = 1; i < attempts && delay(measured.costs, expected) > 1; ++i) {
        const UnitCosts again = measure(runtime, kernel, samples, expected).costs;
        if (delay(again, expected) < delay(measured.costs, expected)) {
            measured.costs = again;
        }
    }
    measured.busy = std::max(measured.busy, delay(measured.costs, expected));
    Runtime caller(recorded(), Execution::in_order_cuda);
    keep_tasks(measure(caller, kernel, samples, expected), Processor::gpu, measured);
}

UnitCosts measure_cores(KernelSet& kernel, int n_cpu, MeasuredCosts& measured) {
    const int dimension = kernel.traits.dimension;
    const UnitCosts& expected = builtin_costs({1, 0}, dimension);
    const LoadedCores loaded(n_cpu);
    Runtime caller(recorded(), Execution::in_order);
    const double start = seconds_on(CLOCK_MONOTONIC);
    const double start_of_work = seconds_on(CLOCK_THREAD_CPUTIME_ID);
    MeasuredSums sums = measure(caller, kernel, cpu_samples(dimension), expected);
    const double busy = (seconds_on(CLOCK_MONOTONIC) - start) /
                        (seconds_on(CLOCK_THREAD_CPUTIME_ID) - start_of_work);
    measured.busy = std::max(measured.busy, busy);
    keep_tasks(sums, Processor::core, measured);
    // StarPU's code for a task is serial, as ours for a plan.
    sums.costs.task = expected.task * sums.costs.fmm[0] / expected.fmm[0];
    return sums.costs;
}

} // namespace

MeasuredCosts measure_costs(Runtime& runtime, KernelSet& kernel) {
    MeasuredCosts measured;
    if (runtime.n_cuda() == 0) {
        measured.costs = measure_cores(kernel, runtime.n_cpu(), measured);
        return measured;
    }
    measure_gpus(runtime, kernel, measured);
    if (runtime.n_cpu() > 0) {
        measured.cores = measure_cores(kernel, runtime.n_cpu(), measured);
    }
    return measured;
}

} // namespace starfmm

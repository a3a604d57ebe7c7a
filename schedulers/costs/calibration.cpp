// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/costs/calibration.hpp"

#include "codelets/task/cuda_devices.hpp"
#include "core/particles/distributions.hpp"
#include "schedulers/costs/samples.hpp"
#include "schedulers/plan/plan_state.hpp"

#include <time.h>

#include <algorithm>
#include <deque>
#include <limits>
#include <map>
#include <span>
#include <vector>

namespace starfmm {

namespace {

constexpr int rounds = 4; // the first only warms up; of the others the fastest counts

/// Seconds on `clock`.
double now(clockid_t clock) {
    timespec time{};
    static_cast<void>(clock_gettime(clock, &time)); // of these clocks it cannot fail
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// No StarPU worker polls for tasks meanwhile.
class PausedWorkers {
public:
    PausedWorkers() { starpu_pause(); }

    PausedWorkers(const PausedWorkers&) = delete;
    PausedWorkers& operator=(const PausedWorkers&) = delete;

    ~PausedWorkers() { starpu_resume(); }
};

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
    std::vector<double>
    times(std::span<const std::size_t> sizes, std::span<const Decision> decided) {
        std::vector<double> shortest(sizes.size(), std::numeric_limits<double>::max());
        const std::size_t n_records = runtime_.records().size();
        for (int round = 0; round < rounds; ++round) {
            for (std::size_t i = 0; i < sizes.size(); ++i) {
                const double time = run(problem(sizes[i]), decided[i]);
                shortest[i] = round == 0 ? shortest[i] : std::min(shortest[i], time);
            }
        }
        runtime_.forget_records(n_records);
        return shortest;
    }

private:
    struct Problem {
        AnyPoints points;
        Strengths strengths;
        std::deque<PageLock> locks; ///< without them copies hide what the GPU does
    };

    const Problem& problem(std::size_t n) {
        const auto [entry, is_new] = problems_.try_emplace(n);
        if (is_new) {
            const auto type =
                kernel_.traits.complex_strength ? StrengthType::complex : StrengthType::real;
            entry->second = {
                uniform_points(n), make_strengths(n, StrengthSign::random, type, 1), {}};
            lock(entry->second);
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
        const double start = now(clock_);
        PlanState sum{runtime_, kernel_, decided.options, {}, 0, 0, nullptr, nullptr, nullptr};
        sum.build(decided.info, problem.points, problem.points, PointSets::one);
        try {
            sum.evaluate({&problem.strengths, 1}, {&potentials_, 1});
        } catch (...) {
            sum.drop();
            throw;
        }
        return now(clock_) - start;
    }

    Runtime& runtime_;
    KernelSet& kernel_;
    clockid_t clock_;
    std::map<std::size_t, Problem> problems_; ///< by size
    Potentials potentials_;
};

PlanShape shape_of(const Sample& sample, const KernelTraits& kernel) {
    PlanShape shape{sample.n, sample.n, false, sample.levels, sample.theta, sample.order};
    shape.dimension = kernel.dimension;
    if (kernel.dimension == 3) {
        shape.tree = TreeKind::orthtree;
        shape.roots = sample.roots;
        shape.terms_besides = kernel.terms_besides;
        shape.plane_waves = sample.tolerance > 0;
    }
    return shape;
}

Decision decided_by(const PlanShape& shape, double tolerance) {
    Decision decided;
    decided.info.theta = shape.theta;
    decided.info.order = shape.order;
    decided.info.tree = shape.tree;
    decided.info.roots = shape.roots;
    if (shape.tree == TreeKind::pyramid) {
        decided.info.levels = shape.levels;
    } else {
        decided.info.leaf_size = octree_leaf_size(shape);
    }
    decided.options.order = shape.order; // whatever the points
    if (shape.plane_waves) {
        decided.info.terms = PairTerms::all;
        decided.options.plane_waves = PlaneWaves::always;
        decided.options.tolerance = tolerance;
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
    const Units& expected
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
        decided.push_back(decided_by(shape, sample.tolerance));
        units.push_back(units_of(shape));
    }
    return fit(units, stopwatch.times(sizes, decided), expected);
}

DirectUnits measure_direct(
    Stopwatch& stopwatch, std::span<const std::size_t> sizes, const DirectUnits& expected
) {
    Decision direct;
    direct.info.method = Method::direct;
    std::vector<DirectUnits> units;
    for (const std::size_t n : sizes) {
        units.push_back(direct_units(n, n));
    }
    const std::vector<Decision> decided(sizes.size(), direct);
    return fit(units, stopwatch.times(sizes, decided), expected);
}

UnitCosts measure(Runtime& runtime, KernelSet& kernel, const Samples& samples) {
    Stopwatch stopwatch(runtime, kernel);
    const UnitCosts& expected =
        builtin_costs({runtime.n_cpu(), runtime.n_cuda()}, kernel.traits.dimension);
    UnitCosts costs;
    costs.fmm = measure_fmm(stopwatch, kernel.traits, samples.fmm, expected.fmm);
    costs.direct = measure_direct(stopwatch, samples.direct, expected.direct);
    return costs;
}

} // namespace

MeasuredCosts measure_costs(Runtime& runtime, KernelSet& kernel) {
    if (runtime.n_cuda() > 0) {
        return {measure(runtime, kernel, gpu_samples(kernel.traits.dimension))};
    }
    const PausedWorkers pause;
    Runtime caller({}, Execution::in_order);
    const double start = now(CLOCK_MONOTONIC);
    const double start_of_work = now(CLOCK_THREAD_CPUTIME_ID);
    MeasuredCosts measured{measure(caller, kernel, cpu_samples(kernel.traits.dimension))};
    measured.busy = (now(CLOCK_MONOTONIC) - start) / (now(CLOCK_THREAD_CPUTIME_ID) - start_of_work);
    // StarPU's code for a task is serial, as ours for a plan.
    UnitCosts& costs = measured.costs;
    const UnitCosts& expected = builtin_costs({1, 0}, kernel.traits.dimension);
    costs.task = expected.task * costs.fmm[0] / expected.fmm[0];
    return measured;
}

} // namespace starfmm

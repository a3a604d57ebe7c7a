// SPDX-License-Identifier: BSD-3-Clause
#include "tests/perf/gpu_bench.hpp"

#include "core/expansions/kernels2d.hpp"
#include "examples/cli/driver.hpp"
#include "examples/cli/progress.hpp"
#include "schedulers/plan/user_arrays.hpp"
#include "schedulers/trace/trace.hpp"
#include "tests/perf/bench.hpp"
#include "tests/perf/gpu_floors.hpp"

#include <cstdio>
#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace starfmm {

namespace {

/// A problem's arrays, pageable until lock().
struct BenchProblem {
    Points<2> points;
    Strengths strengths;
    Potentials results;
    std::deque<PageLock> locks;

    explicit BenchProblem(const GpuCase& c)
        : points(make_points<2>(parse_distribution(c.distribution), c.n, 0.1, 1)),
          strengths(make_strengths(c.n, StrengthSign::random, StrengthType::real, 1)) {
        results.re.resize(c.n);
        results.im.resize(c.n);
    }

    void lock() {
        for (std::vector<double>* values : arrays()) {
            locks.emplace_back(values->data(), values->size() * sizeof(double));
        }
    }

    std::vector<std::vector<double>*> arrays() {
        return {&points.x[0], &points.x[1], &strengths.re, &results.re, &results.im};
    }
};

class GpuBench {
public:
    GpuBench(GpuBenchOptions options, const GpuCase& c)
        : options_(std::move(options)), case_(c), problem_(c) {
        options_.plan.tolerance = c.tolerance;
        options_.plan.method = Method::fmm;
        options_.plan.tuning = Tuning::builtin; // the same tree with and without StarPU
    }

    nlohmann::json run() {
        measure_end_to_end(pageable_);
        problem_.lock();
        measure_end_to_end(end_to_end_);
        measure_resident();
        if (options_.gpus == 1) {
            measure_phases();
        }
        print();
        return record();
    }

private:
    KernelSet& kernel() const {
        return case_.precision == Precision::double_precision
                   ? kernel_set<Harmonic<double, false>>()
                   : kernel_set<Harmonic<float, false>>();
    }

    [[nodiscard]] RuntimeOptions workers() const { return {0, options_.gpus, "", false}; }

    void sum(Runtime& runtime) {
        Plan plan(runtime, kernel(), problem_.points, options_.plan);
        plan.evaluate(problem_.strengths, problem_.results);
        info_ = plan.info();
    }

    double time(Runtime& runtime) {
        const double start = now();
        sum(runtime);
        return now() - start;
    }

    void measure_end_to_end(std::vector<double>& times) {
        Runtime tasks(workers());
        for (int round = -5; round < options_.repeat; ++round) {
            const double seconds = time(tasks);
            if (round >= 0) {
                times.push_back(seconds);
            }
        }
    }

    /// With and without StarPU, in turn.
    void measure_resident() {
        Runtime tasks(workers());
        std::optional<Runtime> in_order;
        std::deque<Resident> residents;
        keep_resident(tasks, residents);
        if (options_.gpus == 1) {
            in_order.emplace(workers(), Execution::in_order_cuda);
            keep_resident(*in_order, residents);
        }
        for (int round = -5; round < options_.repeat; ++round) {
            const double with = time(tasks);
            const double without = in_order ? time(*in_order) : 0;
            if (round >= 0) {
                resident_.push_back(with);
                in_order_.push_back(without);
            }
        }
    }

    void keep_resident(Runtime& runtime, std::deque<Resident>& residents) {
        for (std::vector<double>* values : problem_.arrays()) {
            residents.emplace_back(runtime, *values);
        }
    }

    /// Medians over the rounds of each phase's time, by the device's clock.
    void measure_phases() {
        RuntimeOptions profiled = workers();
        profiled.profile = true;
        Runtime in_order(profiled, Execution::in_order_cuda);
        std::deque<Resident> residents;
        keep_resident(in_order, residents);
        std::vector<std::vector<double>> times;
        for (int round = -3; round < options_.repeat; ++round) {
            in_order.clear_records();
            sum(in_order);
            phases_ = phases_of(in_order.records());
            times.resize(phases_.size());
            for (std::size_t i = 0; round >= 0 && i < phases_.size(); ++i) {
                times[i].push_back(phases_[i].time_s);
            }
        }
        for (std::size_t i = 0; i < phases_.size(); ++i) {
            phases_[i].time_s = median(times[i]);
        }
    }

    [[nodiscard]] bool is_double() const { return case_.precision == Precision::double_precision; }

    [[nodiscard]] nlohmann::json record() const {
        nlohmann::json phases = nlohmann::json::object();
        for (const Phase& phase : phases_) {
            phases[phase.name] = {{"time_s", phase.time_s}, {"floor_s", floor_of(phase)}};
        }
        return {
            {"n", case_.n},
            {"tolerance", case_.tolerance},
            {"distribution", case_.distribution},
            {"precision", is_double() ? "double" : "single"},
            {"gpus", options_.gpus},
            {"order", info_.order},
            {"levels", info_.levels},
            {"groups", info_.groups},
            {"pageable_s", pageable_},
            {"end_to_end_s", end_to_end_},
            {"resident_s", resident_},
            {"in_order_s", in_order_},
            {"phases", phases}};
    }

    [[nodiscard]] GpuWork work() const { return {case_.n, info_, case_.precision}; }

    [[nodiscard]] GpuRates rates() const { return GpuRates(case_.precision); }

    [[nodiscard]] double floor_of(const Phase& phase) const {
        return phase_floor(phase.name, work(), rates());
    }

    void print() const {
        std::printf(
            "\n%zu points, %s, tolerance %g, %s precision: order %d, %d levels, %d groups, %d "
            "GPU\n",
            case_.n,
            case_.distribution.c_str(),
            case_.tolerance,
            is_double() ? "double" : "single",
            info_.order,
            info_.levels,
            info_.groups,
            options_.gpus
        );
        double sum = 0;
        double floors = 0;
        for (const Phase& phase : phases_) {
            sum += phase.time_s;
            floors += floor_of(phase);
            print_line(phase.name, phase.time_s, floor_of(phase));
        }
        if (!phases_.empty()) {
            print_line("sum of phases", sum, floors);
            print_line("in order, resident", median(in_order_), floors);
        }
        print_line("StarPU, resident", median(resident_), floors);
        const double least = floors + transfer_floor(work(), rates());
        print_line("StarPU, end to end", median(end_to_end_), least);
        print_line("from pageable arrays", median(pageable_), 0);
        if (!phases_.empty()) {
            std::printf(
                "StarPU / in order, median of ratios: %.3f; difference of medians %.3f ms\n",
                median_ratio(resident_, in_order_),
                1e3 * (median(resident_) - median(in_order_))
            );
        }
    }

    static void print_line(const std::string& what, double seconds, double least) {
        std::printf("%-22s %9.4f ms", what.c_str(), 1e3 * seconds);
        if (least > 0) {
            std::printf("   floor %9.4f   %3.0f %%", 1e3 * least, 100 * least / seconds);
        }
        std::printf("\n");
    }

    GpuBenchOptions options_;
    GpuCase case_;
    BenchProblem problem_;
    PlanInfo info_;
    std::vector<double> pageable_;
    std::vector<double> end_to_end_;
    std::vector<double> resident_;
    std::vector<double> in_order_;
    std::vector<Phase> phases_;
};

} // namespace

nlohmann::json measure_on_gpu(const GpuBenchOptions& options, const GpuCase& c) {
    return GpuBench(options, c).run();
}

} // namespace starfmm

// SPDX-License-Identifier: BSD-3-Clause
#include "tests/perf/gpu/gpu_bench.hpp"

#include "core/expansions/kernels2d.hpp"
#include "core/particles/distributions.hpp"
#include "examples/cli/report.hpp"
#include "tests/perf/gpu/gpu_floors.hpp"
#include "tests/perf/gpu/gpu_sums.hpp"

#include <cstdio>
#include <string>
#include <utility>
#include <vector>

namespace starfmm {

namespace {

PlanOptions plan_of(const GpuBenchOptions& options, const GpuCase& c) {
    PlanOptions plan = options.plan;
    plan.tolerance = c.tolerance;
    plan.method = Method::fmm;
    plan.tuning = Tuning::builtin; // the same tree with and without StarPU
    return plan;
}

class GpuBench {
public:
    GpuBench(GpuBenchOptions options, const GpuCase& c)
        : options_(std::move(options)), case_(c),
          sums_(
              kernel(),
              make_points<2>(parse_distribution(c.distribution), c.n, 0.1, 1),
              make_strengths(c.n, StrengthSign::random, StrengthType::real, 1),
              plan_of(options_, c),
              options_.repeat
          ) {}

    nlohmann::json run() {
        pageable_ = sums_.end_to_end(options_.gpus);
        sums_.lock_pages();
        end_to_end_ = sums_.end_to_end(options_.gpus);
        resident_ = sums_.resident(options_.gpus);
        if (options_.gpus == 1) {
            phases_ = sums_.phases(1, {});
        }
        print();
        return record();
    }

private:
    [[nodiscard]] KernelSet& kernel() const {
        return case_.precision == Precision::double_precision
                   ? kernel_set<Harmonic<double, false>>()
                   : kernel_set<Harmonic<float, false>>();
    }

    [[nodiscard]] const PlanInfo& info() const { return sums_.info(); }

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
            {"order", info().order},
            {"levels", info().levels},
            {"groups", info().groups},
            {"pageable_s", pageable_},
            {"end_to_end_s", end_to_end_},
            {"resident_s", resident_.tasks},
            {"in_order_s", resident_.in_order},
            {"phases", phases}};
    }

    [[nodiscard]] GpuWork work() const { return {case_.n, info(), case_.precision}; }

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
            info().order,
            info().levels,
            info().groups,
            options_.gpus
        );
        double sum = 0;
        double floors = 0;
        for (const Phase& phase : phases_) {
            sum += phase.time_s;
            floors += floor_of(phase);
            print_gpu_line(phase.name, phase.time_s, floor_of(phase));
        }
        if (!phases_.empty()) {
            print_gpu_line("sum of phases", sum, floors);
            print_gpu_line("in order, resident", median(resident_.in_order), floors);
        }
        print_gpu_line("StarPU, resident", median(resident_.tasks), floors);
        const double least = floors + transfer_floor(work(), rates());
        print_gpu_line("StarPU, end to end", median(end_to_end_), least);
        print_gpu_line("from pageable arrays", median(pageable_), 0);
        if (!phases_.empty()) {
            print_gpu_overhead(resident_);
        }
    }

    GpuBenchOptions options_;
    GpuCase case_;
    GpuSums sums_;
    Rounds pageable_;
    Rounds end_to_end_;
    GpuSums::ResidentRounds resident_;
    std::vector<Phase> phases_;
};

} // namespace

nlohmann::json measure_on_gpu(const GpuBenchOptions& options, const GpuCase& c) {
    return GpuBench(options, c).run();
}

} // namespace starfmm

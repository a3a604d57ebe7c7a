// SPDX-License-Identifier: BSD-3-Clause
// This benchmark times Laplace's sums on GPUs: end to end from page-locked arrays, with data
// resident on the GPU, on one GPU resident by the same bodies in order without StarPU, and phase by
// phase.
#include "examples/cli/cli.hpp"
#include "examples/cli/report.hpp"
#include "tests/perf/bench.hpp"
#include "tests/perf/gpu/gpu_sums.hpp"

#include <algorithm>
#include <cstdio>

namespace {

using starfmm::DriverOptions;
using starfmm::GpuSums;
using starfmm::median;
using starfmm::print_gpu_line;

void print_plan(const DriverOptions& options, const GpuSums& sums) {
    const starfmm::PlanInfo& info = sums.info();
    std::printf(
        "%zu points, tolerance %g: order %d, theta %g, %d roots, %llu leaves of %u points at most, "
        "%d GPU\n",
        sums.size(),
        options.plan.tolerance,
        info.order,
        info.theta,
        info.roots,
        static_cast<unsigned long long>(info.leaves),
        info.leaf_size,
        options.runtime.gpus
    );
}

void measure(const DriverOptions& options, const starfmm::Problem& problem) {
    const int gpus = std::max(1, options.runtime.gpus);
    GpuSums sums(
        choose_kernel(options, problem),
        problem.sources,
        problem.strengths[0],
        options.plan,
        options.repeat
    );
    sums.lock_pages();
    const starfmm::Rounds end_to_end = sums.end_to_end(gpus);
    const GpuSums::ResidentRounds resident = sums.resident(gpus);
    print_plan(options, sums);
    print_gpu_line("StarPU, end to end", median(end_to_end), 0);
    print_gpu_line("StarPU, resident", median(resident.tasks), 0);
    print_gpu_line("then the plan is freed", median(resident.freed), 0);
    if (gpus == 1) {
        print_gpu_line("in order, resident", median(resident.in_order), 0);
        print_gpu_overhead(resident);
    }
    double sum = 0;
    for (const starfmm::Phase& phase : sums.phases(gpus, options.trace)) {
        sum += phase.time_s;
        print_gpu_line(phase.name, phase.time_s, 0);
    }
    print_gpu_line("sum of phases", sum, 0);
}

int run(int argc, char** argv) {
    constexpr int rounds = 9;
    auto options = starfmm::parse_bench_options(argc, argv, "laplace3d_gpu", rounds, 3);
    if (!options) {
        return 0;
    }
    options->plan.method = starfmm::Method::fmm;
    options->plan.tuning = starfmm::Tuning::builtin; // the same tree with and without StarPU
    measure(*options, make_problem(*options));
    return 0;
}

} // namespace

int main(int argc, char** argv) {
    return starfmm::run_driver(argc, argv, run);
}

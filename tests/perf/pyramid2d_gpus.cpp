// SPDX-License-Identifier: BSD-3-Clause
// This benchmark runs one sum on 1, 2, 4 .. --gpus GPUs with points, strengths and results resident
// on them: it prints what several GPUs gain, and when each operator ran. --trace writes the trace
// of the sum on the most GPUs.
#include "core/error.hpp"
#include "examples/cli/progress.hpp"
#include "schedulers/plan/user_arrays.hpp"
#include "tests/perf/bench.hpp"

#include <algorithm>
#include <cstdio>
#include <deque>
#include <string>
#include <utility>
#include <vector>

namespace {

using starfmm::now;
using starfmm::Problem;
using starfmm::Runtime;
using starfmm::TaskRecord;

class SeveralGpus {
public:
    SeveralGpus(starfmm::DriverOptions options, Problem& problem)
        : options_(std::move(options)), problem_(problem),
          locks_(starfmm::page_lock(problem, {&results_, 1})) {}

    /// Medians of the rounds, in seconds.
    struct Times {
        double sum;     ///< time from plan to results
        double release; ///< time from results until the plan is gone
    };

    Times measure(int gpus) {
        options_.runtime.gpus = gpus;
        options_.runtime.cpus = 0;
        options_.runtime.profile = false;
        Runtime runtime(options_.runtime);
        std::deque<starfmm::Resident> residents = keep(runtime);
        std::vector<double> sums;
        std::vector<double> releases;
        for (int round = -options_.warmup; round < options_.repeat; ++round) {
            sum(runtime);
            if (round >= 0) {
                sums.push_back(host_times_[2] - host_times_[0]);
                releases.push_back(host_times_[3] - host_times_[2]);
            }
        }
        return {starfmm::median(sums), starfmm::median(releases)};
    }

    /// Prints the operators of one more sum.
    void print_operators(int gpus) {
        options_.runtime.gpus = gpus;
        options_.runtime.profile = true;
        Runtime runtime(options_.runtime);
        std::deque<starfmm::Resident> residents = keep(runtime);
        for (int round = 0; round < options_.warmup; ++round) {
            sum(runtime);
            runtime.clear_records();
        }
        sum(runtime);
        std::printf(
            "%d GPUs, %d groups; the caller's plan %.3f, evaluate %.3f, release %.3f ms\n"
            "  operator       tasks             from        to      busy [ms]\n",
            gpus,
            info_.groups,
            host_ms(0),
            host_ms(1),
            host_ms(2)
        );
        if (!options_.trace.empty()) {
            starfmm::write_trace(options_.trace, runtime);
        }
        const std::vector<TaskRecord>& records = runtime.records();
        const auto first = std::min_element(records.begin(), records.end(), earlier);
        for (const starfmm::Phase& phase : starfmm::phases_of(records)) {
            print_operator(records, phase, first->start_s);
        }
    }

private:
    static bool earlier(const TaskRecord& a, const TaskRecord& b) { return a.start_s < b.start_s; }

    std::deque<starfmm::Resident> keep(Runtime& runtime) {
        std::deque<starfmm::Resident> residents;
        for (std::vector<double>* values :
             {&problem_.sources.x[0],
              &problem_.sources.x[1],
              &problem_.strengths.front().re,
              &results_.re,
              &results_.im}) {
            residents.emplace_back(runtime, *values);
        }
        return residents;
    }

    void sum(Runtime& runtime) {
        starfmm::KernelSet& kernel = starfmm::choose_kernel(options_, problem_);
        host_times_ = {now()};
        {
            starfmm::Plan plan(runtime, kernel, problem_.sources, options_.plan);
            host_times_.push_back(now());
            plan.evaluate(problem_.strengths.front(), results_);
            host_times_.push_back(now());
            info_ = plan.info();
        }
        host_times_.push_back(now());
    }

    [[nodiscard]] double host_ms(std::size_t step) const {
        return 1e3 * (host_times_[step + 1] - host_times_[step]);
    }

    static void print_operator(
        const std::vector<TaskRecord>& records, const starfmm::Phase& phase, double origin
    ) {
        double from = 1e30;
        double to = 0;
        for (const TaskRecord& record : records) {
            if (record.codelet->name() == "starfmm_" + phase.name) {
                from = std::min(from, record.start_s - origin);
                to = std::max(to, record.end_s - origin);
            }
        }
        std::printf(
            "  %-14s %6zu tasks %9.3f %9.3f %9.3f\n",
            phase.name.c_str(),
            phase.tasks,
            1e3 * from,
            1e3 * to,
            1e3 * phase.time_s
        );
    }

    starfmm::DriverOptions options_;
    Problem& problem_;
    starfmm::Potentials results_;
    std::deque<starfmm::PageLock> locks_;
    starfmm::PlanInfo info_;
    std::vector<double> host_times_; ///< times of the last sum: start, planned, evaluated, released
};

int run(int argc, char** argv) {
    constexpr int rounds = 5;
    auto options = starfmm::parse_bench_options(argc, argv, "pyramid2d_gpus", rounds);
    if (!options) {
        return 0;
    }
    if (options->targets > 0) {
        throw starfmm::InputError("--targets: this benchmark's targets are the sources");
    }
    options->plan.method = starfmm::Method::fmm;
    options->plan.tuning = starfmm::Tuning::builtin; // the same tree everywhere
    options->warmup = std::max(options->warmup, 3);
    const int most = std::max(1, options->runtime.gpus);
    Problem problem = starfmm::make_problem(*options);
    SeveralGpus bench(*options, problem);
    double one = 0;
    for (int gpus = 1; gpus <= most; gpus *= 2) {
        const auto times = bench.measure(gpus);
        one = gpus == 1 ? times.sum : one;
        std::printf(
            "%zu points, %d GPUs: %.3f ms resident, %.2f times one; %.3f ms to free the plan\n",
            options->n,
            gpus,
            1e3 * times.sum,
            one / times.sum,
            1e3 * times.release
        );
        static_cast<void>(std::fflush(stdout));
    }
    for (int gpus = 1; gpus <= most; gpus *= 2) {
        bench.print_operators(gpus);
        static_cast<void>(std::fflush(stdout));
    }
    return 0;
}

} // namespace

int main(int argc, char** argv) {
    return starfmm::run_driver(argc, argv, run);
}

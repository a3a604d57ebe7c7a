// SPDX-License-Identifier: BSD-3-Clause
// What a run tells its user: a table on standard output and a JSON record.
#pragma once

#include "core/reference/direct_sum.hpp"
#include "examples/cli/cli.hpp"
#include "schedulers/plan/plan_info.hpp"
#include "schedulers/runtime/runtime.hpp"
#include "schedulers/trace/trace.hpp"
#include "starfmm/kernels.hpp"

#include <optional>
#include <string>
#include <vector>

namespace starfmm {

/// Wall-clock times of the repeats, in seconds: total = topology + evaluate.
struct Times {
    std::vector<double> total;
    std::vector<double> topology;
    std::vector<double> evaluate;
};

/// Who ran the tasks of a run.
struct RunWorkers {
    int n_cpu = 0;
    int n_cuda = 0;
    int n_opencl = 0;
    std::string scheduler;
    std::size_t tasks = 0; ///< tasks of the last repeat

    /// Takes all but the tasks from the runtime.
    void describe(const Runtime& runtime);
};

struct RunReport : RunWorkers {
    std::string driver;
    DriverOptions options;
    KernelShape kernel{};
    std::size_t n = 0;
    std::size_t m = 0;
    PlanInfo plan;
    double tuning_s = 0; ///< spent on costs before the first plan
    Times times;
    std::vector<Phase> phases; ///< phases of the last repeat
    std::optional<ErrorNorms> error;
    std::optional<ErrorNorms> gradient_error; ///< max_rel: of its magnitude at a target
};

[[nodiscard]] double median(std::vector<double> values);

/// `value` with three digits and a prefix of its unit: "1.23 M".
[[nodiscard]] std::string with_prefix(double value);

/// Why this method and this tree, if they were left open.
/// \param tuning_s seconds that costs took; 0: not known
void print_choice(const PlanInfo& plan, double tuning_s = 0);

/// Who makes the sum, where there was a choice, and what each was predicted to take.
void print_team(Team team, const TeamTimes& times);

/// Prints a line of the workers, and what else there is to say of the tasks.
void print_workers(const RunWorkers& run, const std::string& of_tasks = "");

/// A table: time, share, tasks and rate of each operator.
void print_phases(const std::vector<Phase>& phases);

void print_report(const RunReport& report);

/// The record of design "Command line".
/// \throws OutputError naming the file
void write_json(const std::string& path, const RunReport& report);

} // namespace starfmm

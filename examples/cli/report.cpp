// SPDX-License-Identifier: BSD-3-Clause
#include "examples/cli/report.hpp"

#include "codelets/sets/kernel_set.hpp"
#include "examples/cli/option_names.hpp"
#include "schedulers/trace/numbers.hpp"
#include "schedulers/trace/text_table.hpp"

#include <algorithm>
#include <iostream>
#include <string>
#include <utility>

namespace starfmm {

namespace {

/// The costs of a choice by predicted time.
void print_costs(const RunReport& report) {
    const PlanInfo& plan = report.plan;
    if (plan.costs == CostSource::none) {
        return;
    }
    std::cout << "chosen by predicted time; costs " << name_of(cost_names, plan.costs);
    if (plan.costs == CostSource::measured && report.sum.tuning_s > 0) {
        std::cout << " in " << report.sum.tuning_s << " s";
    }
    std::cout << (plan.has_doubtful_costs ? " beside other programs: a later run measures again"
                                          : "")
              << '\n';
}

/// Who makes the sum, where there was a choice, and what each was predicted to take.
void print_team(const PlanInfo& plan) {
    if (plan.team == Team::automatic) {
        return;
    }
    constexpr const char* whose[]{"", "GPUs alone", "cores alone", "GPUs and cores"};
    std::cout << "work is for " << name_of(whose, plan.team) << "; predicted:";
    const char* separator = "";
    for (const auto& [time, name] :
         {std::pair(plan.team_s.gpus, "GPUs"),
          {plan.team_s.cores, "cores"},
          {plan.team_s.all, "together"}}) {
        if (time > 0) {
            std::cout << separator << ' ' << name << ' ' << time << " s";
            separator = ",";
        }
    }
    std::cout << '\n';
}

} // namespace

bool is_gravity(const RunReport& report) {
    return report.kernel.name == "gravity";
}

void print_choices(const RunReport& report, const std::string& of_tasks) {
    const std::streamsize digits = std::cout.precision(3);
    std::cout << report.driver << ": " << report.sum << "workers: " << report.n_cpu << " CPU ("
              << isa_name() << "), " << report.n_cuda << " CUDA";
    if (report.n_opencl > 0) {
        std::cout << ", " << report.n_opencl << " OpenCL";
    }
    std::cout << "; scheduler " << report.scheduler << ", " << report.tasks << " tasks" << of_tasks
              << '\n';
    if (report.plan.heavy_theta > 0) {
        std::cout << "theta " << report.plan.heavy_theta << " of a box of all bodies\n";
    }
    if (report.plan.method == Method::fmm && report.plan.terms == PairTerms::all) {
        std::cout << "order " << report.plan.order << " of all pairs\n";
    }
    print_costs(report);
    print_team(report.plan);
    std::cout.precision(digits);
}

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    const std::size_t n = values.size();
    return n == 0 ? 0 : 0.5 * (values[(n - 1) / 2] + values[n / 2]);
}

namespace {

/// A table: time, share, tasks and rate of each operator.
void print_phases(const std::vector<Phase>& phases) {
    double sum = 0;
    for (const Phase& phase : phases) {
        sum += phase.time_s;
    }
    TextTable table;
    table.add({"phase", "time", "predicted", "share", "tasks", "work", "work/s"});
    for (const Phase& phase : phases) {
        table.add(
            {phase.name,
             time_text(phase.time_s),
             time_text(phase.predicted_s),
             percent_text(phase.time_s / sum),
             std::to_string(phase.tasks),
             prefixed_text(phase.work),
             prefixed_text(phase.work / phase.time_s)}
        );
    }
    std::cout << '\n' << table.text();
}

/// " of 1024 x 4096 points, 4 ranks": what else there is to say of the tasks.
std::string about_tasks(const RunReport& report) {
    const PlanInfo& plan = report.plan;
    std::string text;
    if (plan.method == Method::direct && plan.target_block > 0) {
        text = " of " + std::to_string(plan.target_block) + " x " +
               std::to_string(plan.source_block) + " points";
    }
    return report.n_ranks > 1 ? text + ", " + std::to_string(report.n_ranks) + " ranks" : text;
}

void print_times(const RunReport& report) {
    const Times& times = report.times;
    const double total = median(times.total);
    std::cout << "\nmedian of " << times.total.size() << print_number(": total %.6f s", total);
    if (!is_gravity(report)) {
        std::cout << print_number(" = topology %.6f s", median(times.topology))
                  << print_number(" + evaluate %.6f s", median(times.evaluate));
    }
    const bool is_direct = report.plan.method == Method::direct;
    const WorkCounts& work = report.plan.work;
    const auto m = static_cast<double>(report.sum.n_targets);
    const auto pairs = is_direct ? m * static_cast<double>(report.sum.n_sources)
                                 : static_cast<double>(work.p2p_pairs);
    const double rate = pairs / median(times.evaluate);
    const double shifts = static_cast<double>(work.m2l_shifts) / m;
    std::cout << "; " << prefixed_text(m / total) << " points/s\neach target has "
              << print_number("%.0f pairs and %.1f M2L; ", pairs / m, shifts) << prefixed_text(rate)
              << " pairs/s";
    if (is_direct && is_gravity(report)) {
        constexpr double operations = 26; // of a pair, counted as in [MTM13 sec. 5]
        const double tera = 1e-12 * operations * rate;
        std::cout << print_number(", %.3f TFlop/s at %.0f operations a pair", tera, operations);
    }
    std::cout << '\n';
}

} // namespace

void print_report(const RunReport& report) {
    print_choices(report, about_tasks(report));
    if (report.options.right_hand_sides > 1) {
        std::cout << report.options.right_hand_sides << " right-hand sides, up to four at once\n";
    }
    if (!report.phases.empty()) {
        print_phases(report.phases);
    }
    print_times(report);
    if (report.errors) {
        print_errors(*report.errors);
    }
}

void print_errors(const Errors& errors) {
    for (const PartErrors& part : errors.parts) {
        std::cout << "error of the " << part.name << " against exact sums at " << errors.checked
                  << print_number(" targets: median %.3e, 99th percentile ", part.median)
                  << print_number("%.3e, max %.3e, L2 %.3e\n", part.p99, part.max, part.l2);
    }
}

namespace {

/// Says what exceeds what.
bool is_within(const std::string& what, double error, double tolerance, double allowance = 1) {
    const bool is_met = error <= allowance * tolerance;
    if (!is_met) {
        std::cout << "check failed: " << what << print_number(" %.3e exceeds ", error)
                  << (allowance > 1 ? print_number("%.3g times ", allowance) : "")
                  << print_number("the tolerance %.3e\n", tolerance);
    }
    return is_met;
}

} // namespace

int verdict(const RunReport& report) {
    if (!report.errors) {
        return 0;
    }
    const double tolerance = report.options.plan.tolerance;
    const std::vector<PartErrors>& errors = report.errors->parts;
    bool passes = true;
    if (is_gravity(report)) {
        passes = is_within("median error", errors[0].median, tolerance);
        const bool is_direct = report.plan.method == Method::direct;
        const double tolerance99 = report.options.tolerance99;
        return (is_direct || is_within("99th percentile error", errors[0].p99, tolerance99)) &&
                       passes
                   ? 0
                   : 1;
    }
    for (std::size_t i = 0; i < errors.size(); ++i) {
        const ValuePart& part = report.kernel.values[i];
        // a complex potential vanishes at points alone; real ones cross zero along lines
        const bool is_complex = i == 0 && part.size > 1 && !report.is_judged_in_l2;
        const bool is_met =
            is_complex ? is_within("largest error of the " + part.name, errors[i].max, tolerance)
                       : is_within(
                             "L2 error of the " + part.name, errors[i].l2, tolerance, part.allowance
                         );
        passes = is_met && passes;
    }
    return passes ? 0 : 1;
}

} // namespace starfmm

// SPDX-License-Identifier: BSD-3-Clause
#include "examples/cli/report.hpp"

#include "codelets/sets/kernel_set.hpp"
#include "examples/cli/record.hpp"

#include <algorithm>
#include <cstdio>
#include <sstream>
#include <string>
#include <utility>

namespace starfmm {

std::string with_prefix(double value) {
    constexpr const char* prefixes[] = {"", "k", "M", "G", "T"};
    int i = 0;
    for (; value >= 1000 && i < 4; ++i) {
        value /= 1000;
    }
    char text[32];
    static_cast<void>(std::snprintf(text, sizeof text, "%.3g %s", value, prefixes[i]));
    return text;
}

void print_choice(const PlanInfo& plan, double tuning_s) {
    if (plan.costs == CostSource::none) {
        return;
    }
    std::printf("chosen by predicted time: fmm %.3g s", plan.predicted_fmm_s);
    if (plan.predicted_direct_s > 0) {
        std::printf(", direct %.3g s", plan.predicted_direct_s);
    }
    std::printf("; costs %s", name_of(plan.costs));
    if (plan.costs == CostSource::measured && tuning_s > 0) {
        std::printf(" in %.2f s", tuning_s);
    }
    std::printf(
        "%s\n", plan.has_doubtful_costs ? " beside other programs: a later run measures again" : ""
    );
}

void print_workers(const RunReport& run, const std::string& of_tasks) {
    const std::string opencl =
        run.n_opencl > 0 ? ", " + std::to_string(run.n_opencl) + " OpenCL" : "";
    std::printf(
        "workers: %d CPU (%s), %d CUDA%s; scheduler %s, %zu tasks%s\n",
        run.n_cpu,
        isa_name(),
        run.n_cuda,
        opencl.c_str(),
        run.scheduler.c_str(),
        run.tasks,
        of_tasks.c_str()
    );
}

void print_team(Team team, const TeamTimes& times) {
    if (team == Team::automatic) {
        return;
    }
    constexpr const char* whose[]{"", "GPUs alone", "cores alone", "GPUs and cores"};
    std::printf("work is for %s; predicted:", whose[static_cast<int>(team)]);
    const char* separator = "";
    for (const auto& [time, name] :
         {std::pair(times.gpus, "GPUs"), {times.cores, "cores"}, {times.all, "together"}}) {
        if (time > 0) {
            std::printf("%s %s %.3g s", separator, name, time);
            separator = ",";
        }
    }
    std::printf("\n");
}

void print_phases(const std::vector<Phase>& phases) {
    double sum = 0;
    for (const Phase& phase : phases) {
        sum += phase.time_s;
    }
    std::printf(
        "\n%-14s %10s %10s %7s %6s %10s %12s\n",
        "phase",
        "time [ms]",
        "predicted",
        "share",
        "tasks",
        "work",
        "work/s"
    );
    for (const Phase& phase : phases) {
        std::printf(
            "%-14s %10.3f %10.3f %6.1f%% %6zu %10s %12s\n",
            phase.name.c_str(),
            1e3 * phase.time_s,
            1e3 * phase.predicted_s,
            100 * phase.time_s / sum,
            phase.tasks,
            with_prefix(phase.work).c_str(),
            with_prefix(phase.work / phase.time_s).c_str()
        );
    }
}

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    const std::size_t n = values.size();
    return n == 0 ? 0 : 0.5 * (values[(n - 1) / 2] + values[n / 2]);
}

namespace {

/// "octree of roots 6 and 700 leaves of up to 50 points"
std::string full_tree_name(const RunReport& report) {
    std::string name = name_of(report.plan.tree, report.kernel.dimension);
    if (has_octree(report)) {
        name += " of roots " + std::to_string(report.plan.roots) + " and " +
                std::to_string(report.plan.leaves) + " leaves of up to " +
                std::to_string(report.plan.leaf_size) + " points";
    }
    return name;
}

/// "plummer softening, epsilon 0.001, "; empty for what is not gravity.
std::string softening_of(const RunReport& report) {
    const DriverOptions& options = report.options;
    if (!is_gravity(report)) {
        return "";
    }
    std::ostringstream text;
    text.precision(3);
    text << name_of(options.softening) << " softening, epsilon ";
    if (options.softening == Softening::splines) {
        text << "of each body, ";
    } else {
        text << options.epsilon << ", ";
    }
    return text.str();
}

void print_problem(const RunReport& report) {
    const DriverOptions& options = report.options;
    const char* const values = options.potential ? ", with potentials," : "";
    std::printf(
        "%s: %s%s kernel, %s precision, %s%s, %zu sources, %zu targets\n",
        report.driver.c_str(),
        report.kernel.name.c_str(),
        options.gradient ? ", with gradients," : values,
        name_of(options.precision),
        softening_of(report).c_str(),
        method_of(report, report.plan.method),
        report.n,
        report.m
    );
    if (options.right_hand_sides > 1) {
        std::printf("%zu right-hand sides, up to four at once\n", options.right_hand_sides);
    }
}

void print_tree(const RunReport& report) {
    const PlanInfo& plan = report.plan;
    const double tolerance = report.options.plan.tolerance;
    std::printf(
        "%s, tolerance %.3g, order %d%s, theta %.3g",
        full_tree_name(report).c_str(),
        tolerance,
        plan.order,
        plan.terms == PairTerms::all ? " of all pairs" : "",
        plan.theta
    );
    if (plan.heavy_theta > 0) {
        std::printf(" (of a box of all bodies %.3g)", plan.heavy_theta);
    }
    std::printf(", levels %d, groups %d\n", plan.levels, plan.groups);
    if (plan.reachable_tolerance > tolerance && !is_gravity(report)) {
        std::printf(
            "note: order %d with theta %.3g is for a tolerance of %.1e, not %.1e\n",
            plan.order,
            plan.theta,
            plan.reachable_tolerance,
            tolerance
        );
    }
    if (report.own_error > 0) {
        std::printf(
            "boxes leave out at most %.3g of what attracts each body; lists of the second sum\n",
            report.own_error
        );
    }
}

void print_near_field(const RunReport& report) {
    std::printf(
        "%s of levels %d, %zu leaves with %zu points in each, groups %d, implementation %s\n",
        full_tree_name(report).c_str(),
        report.plan.levels,
        report.plan.leaves,
        report.options.per_box,
        report.plan.groups,
        name_of(report.options.plan.pairs)
    );
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
    const double total = median(report.times.total);
    std::printf("\nmedian of %zu: total %.6f s", report.times.total.size(), total);
    if (!is_gravity(report)) {
        const double topology = median(report.times.topology);
        const double evaluate = median(report.times.evaluate);
        std::printf(" = topology %.6f s + evaluate %.6f s", topology, evaluate);
    }
    std::printf("; %s points/s\n", with_prefix(static_cast<double>(report.m) / total).c_str());
    const bool is_direct = report.plan.method == Method::direct;
    const WorkCounts& work = report.plan.work;
    const auto m = static_cast<double>(report.m);
    const auto pairs =
        is_direct ? m * static_cast<double>(report.n) : static_cast<double>(work.p2p_pairs);
    const double rate = pairs / median(report.times.evaluate);
    std::printf(
        "each target has %.0f pairs and %.1f M2L; %s pairs/s",
        pairs / m,
        static_cast<double>(work.m2l_shifts) / m,
        with_prefix(rate).c_str()
    );
    if (is_direct && is_gravity(report)) {
        constexpr double operations = 26; // of a pair, counted as in [MTM13 sec. 5]
        std::printf(
            ", %.3f TFlop/s at %.0f operations a pair", 1e-12 * operations * rate, operations
        );
    }
    std::printf("\n");
}

} // namespace

void print_report(const RunReport& report) {
    print_problem(report);
    print_workers(report, about_tasks(report));
    if (report.plan.method == Method::fmm) {
        print_tree(report);
    } else if (report.plan.method == Method::near_field && report.options.driver == drivers::near) {
        print_near_field(report);
    } else if (!report.why_direct.empty()) {
        std::printf("direct sums: %s\n", report.why_direct.c_str());
    }
    print_choice(report.plan, report.tuning_s);
    print_team(report.plan.team, report.plan.team_s);
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
        std::printf(
            "error of the %s against exact sums at %zu targets: median %.3e, 99th percentile %.3e, "
            "max %.3e, L2 %.3e\n",
            part.name.c_str(),
            errors.checked,
            part.median,
            part.p99,
            part.max,
            part.l2
        );
    }
}

} // namespace starfmm

// SPDX-License-Identifier: BSD-3-Clause
#include "examples/cli/report.hpp"

#include "codelets/sets/kernel_set.hpp"
#include "core/config.hpp"
#include "examples/cli/record.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <utility>

namespace starfmm {

namespace {

const char* precision_name(Precision precision) {
    constexpr const char* names[]{
        "double", "single", "mixed", "double"}; // the last: not chosen yet
    return names[static_cast<int>(precision)];
}

nlohmann::json error_of(const std::optional<ErrorNorms>& error) {
    if (!error) {
        return nullptr;
    }
    return {{"checked", error->checked}, {"max_rel", error->max_rel}, {"l2_rel", error->l2_rel}};
}

/// What was asked for, as far as it is not found: null where it was left open or means nothing.
nlohmann::json asked_of(const DriverOptions& options) {
    const bool is_made = options.input.empty();
    const Naming naming = options.dimension == 2 ? Naming::plane : Naming::space;
    nlohmann::json asked =
        distribution_of(options.distribution, options.sigma, options.input, naming);
    asked["seed"] = options.seed;
    asked["target_input"] = file_of(options.target_input);
    asked["method_asked"] = name_of(options.plan.method);
    asked["theta_asked"] = nullptr;
    asked["strengths"] = nullptr;
    asked["sign"] = nullptr;
    if (options.plan.theta > 0) {
        asked["theta_asked"] = options.plan.theta;
    }
    if (is_made) {
        asked["strengths"] = options.strength_type == StrengthType::real ? "real" : "complex";
        asked["sign"] = options.strength_sign == StrengthSign::random ? "random" : "positive";
    }
    return asked;
}

} // namespace

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

void RunWorkers::describe(const Runtime& runtime) {
    n_cpu = runtime.n_cpu();
    n_cuda = runtime.n_cuda();
    n_opencl = runtime.n_opencl();
    scheduler = runtime.policy();
}

void print_workers(const RunWorkers& run, const std::string& of_tasks) {
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

const char* kind_of_tree(const RunReport& report) {
    const char* const orthtree = report.options.dimension == 2 ? "quadtree" : "octree";
    return report.plan.tree == TreeKind::pyramid ? "pyramid" : orthtree;
}

bool has_octree(const RunReport& report) {
    return report.options.dimension == 3 && report.plan.method == Method::fmm &&
           report.plan.tree == TreeKind::orthtree;
}

/// "octree of roots 6 and leaves of up to 50 points"
std::string full_tree_name(const RunReport& report) {
    std::string name = kind_of_tree(report);
    if (has_octree(report)) {
        name += " of roots " + std::to_string(report.plan.roots) + " and leaves of up to " +
                std::to_string(report.plan.leaf_size) + " points";
    }
    return name;
}

/// PlanOptions::roots of an octree; else null.
nlohmann::json roots_of(const RunReport& report) {
    return has_octree(report) ? nlohmann::json(report.plan.roots) : nlohmann::json();
}

/// The leaf size of a quadtree or an octree; else null.
nlohmann::json leaf_size_of(const PlanInfo& plan) {
    const bool has_any = plan.method == Method::fmm && plan.leaf_size > 0;
    return has_any ? nlohmann::json(plan.leaf_size) : nlohmann::json();
}

void print_problem(const RunReport& report) {
    const DriverOptions& options = report.options;
    std::printf(
        "%s: %s%s kernel, %s precision, %s, %zu sources, %zu targets\n",
        report.driver.c_str(),
        report.kernel.name.c_str(),
        options.gradient ? ", with gradients," : "",
        precision_name(options.precision),
        name_of(report.plan.method),
        report.n,
        report.m
    );
    if (options.right_hand_sides > 1) {
        std::printf("%zu right-hand sides, up to four at once\n", options.right_hand_sides);
    }
}

void print_setting(const RunReport& report) {
    const DriverOptions& options = report.options;
    print_workers(report);
    if (report.plan.method == Method::fmm) {
        std::printf(
            "%s, tolerance %.3g, order %d%s, theta %.3g, levels %d, groups %d\n",
            full_tree_name(report).c_str(),
            options.plan.tolerance,
            report.plan.order,
            report.plan.terms == PairTerms::all ? " of all pairs" : "",
            report.plan.theta,
            report.plan.levels,
            report.plan.groups
        );
    }
    if (report.plan.reachable_tolerance > options.plan.tolerance) {
        std::printf(
            "note: order %d with theta %.3g is for a tolerance of %.1e, not %.1e\n",
            report.plan.order,
            report.plan.theta,
            report.plan.reachable_tolerance,
            options.plan.tolerance
        );
    }
}

} // namespace

void print_report(const RunReport& report) {
    print_problem(report);
    print_setting(report);
    print_choice(report.plan, report.tuning_s);
    print_team(report.plan.team, report.plan.team_s);
    print_phases(report.phases);
    std::printf(
        "\nmedian of %zu: total %.4f s = topology %.4f s + evaluate %.4f s; %s points/s\n",
        report.times.total.size(),
        median(report.times.total),
        median(report.times.topology),
        median(report.times.evaluate),
        with_prefix(static_cast<double>(report.m) / median(report.times.total)).c_str()
    );
    if (report.error) {
        std::printf(
            "error against the direct sum at %zu targets: max %.3e, L2 %.3e\n",
            report.error->checked,
            report.error->max_rel,
            report.error->l2_rel
        );
    }
    if (report.gradient_error) {
        std::printf(
            "error of the gradient there: max %.3e, L2 %.3e\n",
            report.gradient_error->max_rel,
            report.gradient_error->l2_rel
        );
    }
}

namespace {

/// The tree and the expansions that were chosen.
nlohmann::json json_of_plan(const RunReport& report) {
    const auto leaves = static_cast<double>(std::max<std::size_t>(1, report.plan.leaves));
    return {
        {"order", report.plan.order},
        {"theta", report.plan.theta},
        {"pair_terms", name_of(report.plan.terms)},
        {"tree", kind_of_tree(report)},
        {"roots", roots_of(report)},
        {"leaf_size", leaf_size_of(report.plan)},
        {"levels", report.plan.levels},
        {"leaves", report.plan.leaves},
        {"ndirect", static_cast<double>(report.n) / leaves},
        {"groups", report.plan.groups},
        {"chunks", report.plan.chunks}};
}

} // namespace

void write_json(const std::string& path, const RunReport& report) {
    const DriverOptions& options = report.options;
    nlohmann::json record = {
        {"driver", report.driver},
        {"version", version},
        {"n", report.n},
        {"m", report.m},
        {"kernel", report.kernel.name},
        {"gradient", options.gradient},
        {"right_hand_sides", options.right_hand_sides},
        {"method", name_of(report.plan.method)},
        {"tuning", tuning_of(report.plan)},
        {"precision", precision_name(options.precision)},
        {"tolerance", options.plan.tolerance},
        {"reachable_tolerance", report.plan.reachable_tolerance},
        {"team", name_of(report.plan.team)},
        {"time_s",
         {{"total", report.times.total},
          {"topology", report.times.topology},
          {"evaluate", report.times.evaluate}}},
        {"phase_s", phase_times(report.phases)},
        {"work", work_of(report.plan.work)},
        {"error", error_of(report.error)},
        {"gradient_error", error_of(report.gradient_error)},
        {"peak_rss_bytes", peak_rss_bytes()}};
    record.update(json_of_plan(report));
    record.update(asked_of(options));
    record.update(workers_of(report));
    write_record(path, record);
}

} // namespace starfmm

// SPDX-License-Identifier: BSD-3-Clause
#include "examples/gravity_tree/tree_driver.hpp"

#include "codelets/sets/kernel_set.hpp"
#include "core/config.hpp"
#include "core/io/point_file.hpp"
#include "core/reference/direct_sum.hpp"
#include "examples/cli/progress.hpp"
#include "examples/cli/record.hpp"
#include "examples/cli/report.hpp"
#include "examples/cli/traced_run.hpp"
#include "examples/gravity/gravity_driver.hpp"

#include <nlohmann/json.hpp>

#include <cstdio>

namespace starfmm {

namespace {

nlohmann::json plan_of(const PlanInfo& plan) {
    return {
        {"theta", plan.theta},
        {"heavy_theta", plan.heavy_theta},
        {"order", plan.order},
        {"ncrit", plan.leaf_size},
        {"roots", plan.roots},
        {"levels", plan.levels},
        {"leaves", plan.leaves},
        {"groups", plan.groups},
        {"work",
         {{"p2p_pairs", plan.work.p2p_pairs},
          {"m2l_shifts", plan.work.m2l_shifts},
          {"p2l_pairs", plan.work.p2l_pairs},
          {"m2p_pairs", plan.work.m2p_pairs}}}};
}

nlohmann::json errors_of(const TreeReport& report) {
    nlohmann::json error = error_of(report.error);
    if (report.error) {
        error["p99_rel"] = report.error->p99_rel;
        error["potential_max_rel"] = report.error->potential_max_rel;
    }
    return error;
}

nlohmann::json record_of(const TreeReport& report) {
    const GravityDriverOptions& options = report.options;
    nlohmann::json record = {
        {"driver", "gravity_tree"},
        {"version", version},
        {"n", report.n},
        {"m", report.n},
        {"kernel", "gravity"},
        {"method", report.plan.method == Method::direct ? "direct" : "tree"},
        {"why_direct", report.why_direct},
        {"precision", name_of(options.tree.precision)},
        {"tolerance", report.allowed.median},
        {"tolerance99", report.allowed.p99},
        {"seed", options.seed},
        {"epsilon", options.gravity.epsilon},
        {"softening", name_of(options.tree.softening)},
        {"own_error", report.own_error},
        {"g", options.gravity.g},
        {"workers", workers_of(report.n_cpu, report.n_cuda, report.n_opencl)},
        {"scheduler", report.scheduler},
        {"tasks", report.tasks},
        {"time_s", {{"total", report.total}, {"evaluate", report.total}}},
        {"phase_s", phase_times(report.phases)},
        {"error", errors_of(report)},
        {"peak_rss_bytes", peak_rss_bytes()}};
    record.update(plan_of(report.plan));
    record.update(distribution_of(options.distribution, options.sigma, options.input));
    const char* const masses = options.masses == Masses::equal ? "equal" : "random";
    record["masses"] = options.input.empty() ? nlohmann::json(masses) : nullptr;
    return record;
}

void print_tree(const TreeReport& report) {
    const PlanInfo& plan = report.plan;
    std::printf(
        "octree: theta %.3g (of a box of all bodies %.3g), order %d, %zu leaves of up to %u "
        "bodies, %d levels, %d groups\n",
        plan.theta,
        plan.heavy_theta > 0 ? plan.heavy_theta : plan.theta,
        plan.order,
        plan.leaves,
        plan.leaf_size,
        plan.levels,
        plan.groups
    );
    if (report.own_error > 0) {
        std::printf(
            "boxes leave out at most %.3g of what attracts each body; lists of the second sum\n",
            report.own_error
        );
    }
}

void print_setting(const TreeReport& report) {
    std::printf(
        "gravity_tree: %s precision, %s softening, epsilon %.3g, %zu bodies\n",
        name_of(report.options.tree.precision),
        name_of(report.options.tree.softening),
        report.options.gravity.epsilon,
        report.n
    );
    if (report.plan.method == Method::fmm) {
        print_tree(report);
    } else {
        std::printf("direct sums: %s\n", report.why_direct.c_str());
    }
    std::printf(
        "workers: %d CPU (%s), %d CUDA%s; scheduler %s, %zu tasks\n",
        report.n_cpu,
        isa_name(),
        report.n_cuda,
        opencl_workers(report.n_opencl).c_str(),
        report.scheduler.c_str(),
        report.tasks
    );
}

void print_report(const TreeReport& report) {
    print_setting(report);
    if (!report.phases.empty()) {
        print_phases(report.phases);
    }
    const auto bodies = static_cast<double>(report.n);
    const double time = median(report.total);
    std::printf(
        "\nmedian of %zu: %.6f s; %s bodies/s; a body has %.0f pairs and %.1f M2L\n",
        report.total.size(),
        time,
        with_prefix(bodies / time).c_str(),
        static_cast<double>(report.plan.work.p2p_pairs) / bodies,
        static_cast<double>(report.plan.work.m2l_shifts) / bodies
    );
    if (report.error) {
        std::printf(
            "relative error at %zu bodies: median %.3e, 99th percentile %.3e, max %.3e, L2 %.3e; "
            "potential max %.3e\n",
            report.error->checked,
            report.error->median_rel,
            report.error->p99_rel,
            report.error->max_rel,
            report.error->l2_rel,
            report.error->potential_max_rel
        );
    }
}

/// \returns whether it is no more than allowed
bool check(const char* what, double error, double allowed) {
    const bool is_met = error <= allowed;
    if (!is_met) {
        std::printf("check failed: %s error %.3e exceeds %.3e\n", what, error, allowed);
    }
    return is_met;
}

void fill(TreeReport& report, const Runtime& runtime, const PlanInfo& plan) {
    report.plan = plan;
    report.phases = phases_of(runtime.records());
    report.n_cpu = runtime.n_cpu();
    report.n_cuda = runtime.n_cuda();
    report.n_opencl = runtime.n_opencl();
    report.scheduler = runtime.policy();
}

} // namespace

GravityTreeOptions tree_options(const GravityDriverOptions& options) {
    GravityTreeOptions tree = options.tree;
    tree.epsilon = options.gravity.epsilon;
    tree.g = options.gravity.g;
    if (options.tolerance > 0) {
        tree.plan.tolerance = options.tolerance;
    }
    tree.validate();
    return tree;
}

AccelerationErrors
allowed_errors(const GravityDriverOptions& options, const GravityTreeOptions& tree) {
    AccelerationErrors allowed{tree.plan.tolerance, tree.tolerance99};
    if (options.tree.plan.order > 0 && options.tolerance == 0) {
        const PlanOptions closed = tree.closed();
        allowed.median = cartesian_error(closed.order, closed.theta, closed.heavy_theta).median;
    }
    return allowed;
}

TreeReport
run_gravity_tree(const GravityDriverOptions& options, const Bodies& bodies, Accelerations& out) {
    const GravityTreeOptions tree = tree_options(options);
    TreeReport report;
    report.options = options;
    report.n = bodies.size();
    report.allowed = allowed_errors(options, tree);
    TracedRun traced(options.trace);
    RuntimeOptions runtime_options = options.runtime;
    runtime_options.profile = true;
    Runtime runtime(runtime_options);
    traced.begin(runtime);
    note(options.telling, runtime.notice());
    Progress progress("gravity_tree", options.telling);
    GravityTree gravity(runtime, tree);
    for (int run = -options.warmup; run < options.repeat; ++run) {
        if (run > -options.warmup && traced.must_stop()) {
            break;
        }
        progress.tell("run " + std::to_string(run + 1) + " of " + std::to_string(options.repeat));
        runtime.clear_records();
        const std::size_t tasks_before = runtime.n_tasks();
        const double start = now();
        gravity.evaluate(bodies, out);
        if (run >= 0) {
            report.total.push_back(now() - start);
        }
        report.tasks = runtime.n_tasks() - tasks_before;
    }
    fill(report, runtime, gravity.info());
    report.own_error = gravity.own_error();
    report.why_direct = gravity.why_direct();
    traced.end(runtime);
    progress.tell("checking against extended precision");
    report.error = check_gravity(options, bodies, out);
    return report;
}

int finish(const TreeReport& report, const Accelerations& results) {
    const GravityDriverOptions& options = report.options;
    if (!options.output.empty()) {
        write_accelerations(options.output, results);
    }
    if (!options.json.empty()) {
        write_record(options.json, record_of(report));
    }
    if (!options.telling.quiet) {
        print_report(report);
    }
    if (!report.error) {
        return 0;
    }
    const bool has_median = check("median", report.error->median_rel, report.allowed.median);
    const bool has_p99 = check("99th percentile", report.error->p99_rel, report.allowed.p99);
    return has_median && has_p99 ? 0 : 1;
}

} // namespace starfmm

// SPDX-License-Identifier: BSD-3-Clause
#include "examples/gravity/gravity_driver.hpp"

#include "codelets/sets/kernel_set.hpp"
#include "core/config.hpp"
#include "core/io/point_file.hpp"
#include "core/reference/direct_sum.hpp"
#include "examples/cli/progress.hpp"
#include "examples/cli/record.hpp"
#include "examples/cli/report.hpp"
#include "examples/cli/traced_run.hpp"

#include <nlohmann/json.hpp>

#include <cstdio>

namespace starfmm {

namespace {

constexpr double operations_per_pair = 26; // counted as in [MTM13 sec. 5]

nlohmann::json record_of(const GravityReport& report) {
    const GravityOptions& gravity = report.options.gravity;
    const GravityDriverOptions& options = report.options;
    const bool has_potential = gravity.result == GravityResult::with_potential;
    nlohmann::json error = error_of(report.error);
    if (report.error) {
        error["potential_max_rel"] =
            has_potential ? nlohmann::json(report.error->potential_max_rel) : nullptr;
    }
    nlohmann::json record = {
        {"driver", report.driver},
        {"version", version},
        {"n", report.n},
        {"m", report.n},
        {"kernel", "gravity"},
        {"method", "direct"},
        {"precision", name_of(gravity.precision)},
        {"summation", gravity.order == SummationOrder::any ? "any" : "fixed"},
        {"tolerance", options.allowed_error()},
        {"seed", options.seed},
        {"epsilon", gravity.epsilon},
        {"g", gravity.g},
        {"potential", has_potential},
        {"target_block", report.blocks.targets},
        {"source_block", report.blocks.sources},
        {"workers", workers_of(report.n_cpu, report.n_cuda)},
        {"ranks", report.n_ranks},
        {"scheduler", report.scheduler},
        {"team", name_of(report.team)},
        {"tasks", report.tasks},
        {"time_s", {{"total", report.total}, {"evaluate", report.total}}},
        {"phase_s", phase_times(report.phases)},
        {"work", {{"pairs", report.pairs()}}},
        {"error", error},
        {"peak_rss_bytes", peak_rss_bytes()}};
    record.update(distribution_of(options.distribution, options.sigma, options.input));
    const char* const masses = options.masses == Masses::equal ? "equal" : "random";
    record["masses"] = options.input.empty() ? nlohmann::json(masses) : nullptr;
    return record;
}

void print_setting(const GravityReport& report) {
    std::printf(
        "%s: %s precision, epsilon %.3g, %zu bodies, %s\n",
        report.driver.c_str(),
        name_of(report.options.gravity.precision),
        report.options.gravity.epsilon,
        report.n,
        report.options.gravity.result == GravityResult::acceleration
            ? "accelerations"
            : "accelerations and potentials"
    );
    std::printf(
        "workers: %d CPU (%s), %d CUDA, %d ranks; scheduler %s, %zu tasks of %zu x %zu bodies\n",
        report.n_cpu,
        isa_name(),
        report.n_cuda,
        report.n_ranks,
        report.scheduler.c_str(),
        report.tasks,
        report.blocks.targets,
        report.blocks.sources
    );
}

void print_error(const GravityErrors& error, GravityResult result) {
    std::printf(
        "relative error at %zu bodies: median %.3e, max %.3e, L2 %.3e; potential max ",
        error.checked,
        error.median_rel,
        error.max_rel,
        error.l2_rel
    );
    if (result == GravityResult::with_potential) {
        std::printf("%.3e\n", error.potential_max_rel);
    } else {
        std::printf("-\n");
    }
}

void print_report(const GravityReport& report) {
    print_setting(report);
    print_team(report.team, report.team_s);
    if (!report.phases.empty()) {
        print_phases(report.phases);
    }
    const double time = median(report.total);
    std::printf(
        "\nmedian of %zu: %.6f s; %s pairs/s, %.3f TFlop/s at 26 operations a pair\n",
        report.total.size(),
        time,
        with_prefix(report.pairs() / time).c_str(),
        1e-12 * operations_per_pair * report.pairs() / time
    );
    if (report.error) {
        print_error(*report.error, report.options.gravity.result);
    }
}

} // namespace

GravityReport
run_gravity(const GravityDriverOptions& options, const Bodies& bodies, Accelerations& out) {
    TracedRun traced(options.trace);
    RuntimeOptions runtime_options = options.runtime;
    runtime_options.profile = true;
    Runtime runtime(runtime_options);
    traced.begin(runtime);
    note(options.telling, runtime.notice());
    Progress progress("gravity", options.telling);
    GravitySum gravity(runtime, options.gravity);
    GravityReport report;
    report.driver = "gravity";
    report.options = options;
    report.n = bodies.size();
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
    report.blocks = gravity.blocks();
    report.phases = phases_of(runtime.records());
    report.team = gravity.team();
    report.team_s = gravity.team_times();
    report.n_cpu = runtime.n_cpu();
    report.n_cuda = runtime.n_cuda();
    report.scheduler = runtime.policy();
    traced.end(runtime);
    progress.tell("checking against extended precision");
    report.error = check_gravity(options, bodies, out);
    return report;
}

std::optional<GravityErrors> check_gravity(
    const GravityDriverOptions& options, const Bodies& bodies, const Accelerations& results
) {
    if (options.check == 0) {
        return std::nullopt;
    }
    const auto which = random_targets(bodies.size(), options.check, options.seed);
    const GravityOptions& gravity = options.gravity;
    const auto exact =
        gravity_reference(bodies, gravity.epsilon, gravity.g, which, options.tree.softening);
    return compare(results, exact, which);
}

int finish(const GravityReport& report, const Accelerations& results) {
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
    const double allowed = options.allowed_error();
    if (!report.error || report.error->median_rel <= allowed) {
        return 0;
    }
    std::printf(
        "check failed: median error %.3e exceeds %.3e\n", report.error->median_rel, allowed
    );
    return 1;
}

} // namespace starfmm

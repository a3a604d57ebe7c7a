// SPDX-License-Identifier: BSD-3-Clause
#include "examples/gravity/gravity_driver.hpp"

#include "core/config.hpp"
#include "core/io/point_file.hpp"
#include "core/reference/direct_sum.hpp"
#include "examples/cli/progress.hpp"
#include "examples/cli/record.hpp"
#include "examples/cli/report.hpp"
#include "examples/cli/traced_run.hpp"

#include <nlohmann/json.hpp>

#include <cstdio>
#include <limits>
#include <sstream>
#include <string>

namespace starfmm {

namespace {

constexpr double operations_per_pair = 26; // counted as in [MTM13 sec. 5]

Precision precision_of(const GravityReport& report) {
    const GravityDriverOptions& options = report.options;
    return report.has_tree() ? options.tree.precision : options.direct.precision;
}

bool has_potential(const GravityReport& report) {
    return report.options.direct.result == GravityResult::with_potential;
}

/// Whether each body has a softening length of its own.
bool has_lengths(const GravityReport& report) {
    return report.options.tree.softening == Softening::splines;
}

/// Returns the errors that were asked for, or what the precision, or the order and theta of a tree,
/// should reach.
AccelerationErrors allowed_errors(const GravityReport& report) {
    const GravityDriverOptions& options = report.options;
    if (!report.has_tree()) {
        const double usual = allowed_error(options.direct.precision);
        const double median = options.tolerance > 0 ? options.tolerance : usual;
        return {median, std::numeric_limits<double>::infinity()};
    }
    AccelerationErrors allowed{options.tree.plan.tolerance, options.tree.tolerance99};
    if (options.tree.plan.order > 0 && options.tolerance == 0) {
        const PlanOptions closed = options.tree.closed();
        allowed.median = cartesian_error(closed.order, closed.theta, closed.heavy_theta).median;
    }
    return allowed;
}

nlohmann::json errors_of(const GravityReport& report) {
    nlohmann::json error = error_of(report.error);
    if (report.error) {
        const double potential = report.error->potential_max_rel;
        error["p99_rel"] = report.error->p99_rel;
        error["potential_max_rel"] = has_potential(report) ? nlohmann::json(potential) : nullptr;
    }
    return error;
}

nlohmann::json direct_record(const GravityReport& report) {
    const DirectOptions& direct = report.options.direct.plan.direct;
    return {
        {"method", "direct"},
        {"summation", direct.order == SummationOrder::any ? "any" : "fixed"},
        {"target_block", report.blocks.targets},
        {"source_block", report.blocks.sources},
        {"team", name_of(report.team)},
        {"work", {{"pairs", report.pairs()}}}};
}

nlohmann::json tree_record(const GravityReport& report) {
    const PlanInfo& plan = report.plan;
    return {
        {"method", plan.method == Method::direct ? "direct" : "tree"},
        {"tolerance99", allowed_errors(report).p99},
        {"own_error", report.own_error},
        {"theta", plan.theta},
        {"heavy_theta", plan.heavy_theta},
        {"order", plan.order},
        {"leaf_size", plan.leaf_size},
        {"roots", plan.roots},
        {"levels", plan.levels},
        {"leaves", plan.leaves},
        {"groups", plan.groups},
        {"work", work_of(plan.work)}};
}

nlohmann::json record_of(const GravityReport& report) {
    const GravityDriverOptions& options = report.options;
    nlohmann::json record = {
        {"driver", report.driver},
        {"version", version},
        {"n", report.n},
        {"m", report.n_places},
        {"kernel", "gravity"},
        {"why_direct", report.why_direct},
        {"precision", name_of(precision_of(report))},
        {"tolerance", allowed_errors(report).median},
        {"seed", options.seed},
        {"epsilon", has_lengths(report) ? nullptr : nlohmann::json(options.direct.epsilon)},
        {"softening", name_of(options.tree.softening)},
        {"g", options.direct.g},
        {"potential", has_potential(report)},
        {"ranks", report.n_ranks},
        {"time_s", {{"total", report.total}, {"evaluate", report.total}}},
        {"phase_s", phase_times(report.phases)},
        {"error", errors_of(report)},
        {"peak_rss_bytes", peak_rss_bytes()}};
    record.update(workers_of(report));
    record.update(report.has_tree() ? tree_record(report) : direct_record(report));
    record.update(distribution_of(options.distribution, options.sigma, options.input));
    record["target_input"] = file_of(options.target_input);
    const char* const masses = options.masses == Masses::equal ? "equal" : "random";
    record["masses"] = options.input.empty() ? nlohmann::json(masses) : nullptr;
    return record;
}

/// What results are at.
const char* places_of(const GravityReport& report) {
    return report.options.has_targets() ? "targets" : "bodies";
}

void print_tree(const GravityReport& report) {
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

std::string epsilon_of(const GravityReport& report) {
    if (has_lengths(report)) {
        return "of each body";
    }
    std::ostringstream text;
    text.precision(3);
    text << report.options.direct.epsilon;
    return text.str();
}

void print_setting(const GravityReport& report) {
    const std::string targets =
        report.options.has_targets() ? std::to_string(report.n_places) + " targets, " : "";
    std::printf(
        "%s: %s precision, %s softening, epsilon %s, %zu bodies, %s%s\n",
        report.driver.c_str(),
        name_of(precision_of(report)),
        name_of(report.options.tree.softening),
        epsilon_of(report).c_str(),
        report.n,
        targets.c_str(),
        has_potential(report) ? "accelerations and potentials" : "accelerations"
    );
    if (report.has_tree() && report.plan.method == Method::fmm) {
        print_tree(report);
    } else if (!report.why_direct.empty()) {
        std::printf("direct sums: %s\n", report.why_direct.c_str());
    }
    const auto text = [](auto number) { return std::to_string(number); };
    const std::string blocks =
        " of " + text(report.blocks.targets) + " x " + text(report.blocks.sources) + " bodies";
    const std::string ranks = report.n_ranks > 1 ? ", " + text(report.n_ranks) + " ranks" : "";
    print_workers(report, (report.has_tree() ? "" : blocks) + ranks);
}

void print_speed(const GravityReport& report) {
    const double time = median(report.total);
    std::printf("\nmedian of %zu: %.6f s; ", report.total.size(), time);
    if (report.has_tree()) {
        const auto places = static_cast<double>(report.n_places);
        std::printf(
            "%s %s/s; each has %.0f pairs and %.1f M2L\n",
            with_prefix(places / time).c_str(),
            places_of(report),
            static_cast<double>(report.plan.work.p2p_pairs) / places,
            static_cast<double>(report.plan.work.m2l_shifts) / places
        );
        return;
    }
    std::printf(
        "%s pairs/s, %.3f TFlop/s at 26 operations a pair\n",
        with_prefix(report.pairs() / time).c_str(),
        1e-12 * operations_per_pair * report.pairs() / time
    );
}

void print_error(const GravityErrors& error, const GravityReport& report) {
    std::printf(
        "relative error at %zu %s: median %.3e, 99th percentile %.3e, max %.3e, L2 %.3e; "
        "potential max ",
        error.checked,
        places_of(report),
        error.median_rel,
        error.p99_rel,
        error.max_rel,
        error.l2_rel
    );
    if (has_potential(report)) {
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
    print_speed(report);
    if (report.error) {
        print_error(*report.error, report);
    }
}

/// Says what exceeds what.
/// \returns whether the error is no more than allowed
bool check(const char* what, double error, double allowed) {
    const bool is_met = error <= allowed;
    if (!is_met) {
        std::printf("check failed: %s error %.3e exceeds %.3e\n", what, error, allowed);
    }
    return is_met;
}

/// Says why the automatic method sums directly; empty if it takes a tree. Of splines it leaves
/// that to the tree.
std::string why_direct(const GravityReport& report) {
    constexpr int few_bodies = 2048; // they take no longer directly
    const GravityTreeOptions& tree = report.options.tree;
    if (tree.softening != Softening::plummer) {
        return "";
    }
    if (report.pairs() < 1.0 * few_bodies * few_bodies) {
        const std::string few = "fewer than " + std::to_string(few_bodies);
        return few + (report.options.has_targets() ? " squared pairs" : " bodies");
    }
    return tree.closed().method == Method::direct ? "no tree keeps the tolerances" : "";
}

/// What is known before the sum, with the method that is chosen.
GravityReport report_of(const GravityDriverOptions& options, const GravityProblem& problem) {
    GravityReport report;
    report.options = options;
    report.options.runtime.profile = true;
    report.n = problem.bodies.size();
    report.n_places = problem.n_places();
    if (options.method == GravityMethod::automatic) {
        report.why_direct = why_direct(report);
        report.options.method =
            report.why_direct.empty() ? GravityMethod::tree : GravityMethod::direct;
    }
    return report;
}

void evaluate(GravityTree& gravity, const GravityProblem& problem, Accelerations& out) {
    if (problem.targets) {
        gravity.evaluate(problem.bodies, *problem.targets, out);
    } else {
        gravity.evaluate(problem.bodies, out);
    }
}

void describe(const GravityTree& gravity, GravityReport& report) {
    const PlanInfo& plan = gravity.info();
    if (!report.has_tree()) {
        report.blocks = {plan.target_block, plan.source_block};
        report.team = plan.team;
        report.team_s = plan.team_s;
        return;
    }
    report.plan = plan;
    report.own_error = gravity.own_error();
    report.why_direct = gravity.why_direct();
}

} // namespace

GravityReport run_gravity(
    const GravityDriverOptions& options, const GravityProblem& problem, Accelerations& out
) {
    GravityReport report = report_of(options, problem);
    TracedRun traced(options.trace);
    Runtime runtime(report.options.runtime);
    traced.begin(runtime);
    note(options.telling, runtime.notice());
    Progress progress(report.driver, options.telling);
    GravityTree gravity(runtime, report.has_tree() ? report.options.tree : report.options.direct);
    for (int run = -options.warmup; run < options.repeat; ++run) {
        if (run > -options.warmup && traced.must_stop()) {
            break;
        }
        progress.tell("run " + std::to_string(run + 1) + " of " + std::to_string(options.repeat));
        runtime.clear_records();
        const std::size_t tasks_before = runtime.n_tasks();
        const double start = now();
        evaluate(gravity, problem, out);
        if (run >= 0) {
            report.total.push_back(now() - start);
        }
        report.tasks = runtime.n_tasks() - tasks_before;
    }
    report.describe(runtime);
    report.phases = phases_of(runtime.records());
    describe(gravity, report);
    traced.end(runtime);
    progress.tell("checking against extended precision");
    report.error = check_gravity(options, problem, out);
    return report;
}

std::optional<GravityErrors> check_gravity(
    const GravityDriverOptions& options, const GravityProblem& problem, const Accelerations& results
) {
    if (options.check == 0) {
        return std::nullopt;
    }
    const auto which = random_targets(problem.n_places(), options.check, options.seed);
    const GravityTreeOptions& gravity = options.tree;
    const GravityLaw law{gravity.epsilon, gravity.g, gravity.softening};
    const auto exact = problem.targets
                           ? gravity_reference(problem.bodies, *problem.targets, law, which)
                           : gravity_reference(problem.bodies, law, which);
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
    if (!report.error) {
        return 0;
    }
    const AccelerationErrors allowed = allowed_errors(report);
    const bool has_median = check("median", report.error->median_rel, allowed.median);
    const bool has_p99 = check("99th percentile", report.error->p99_rel, allowed.p99);
    return has_median && has_p99 ? 0 : 1;
}

} // namespace starfmm

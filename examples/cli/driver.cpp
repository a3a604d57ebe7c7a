// SPDX-License-Identifier: BSD-3-Clause
#include "examples/cli/driver.hpp"

#include "core/io/point_file.hpp"
#include "core/io/svg.hpp"
#include "examples/cli/check.hpp"
#include "examples/cli/progress.hpp"
#include "examples/cli/traced_run.hpp"
#include "schedulers/costs/tuning.hpp"
#include "schedulers/plan/inspection/suited_strengths.hpp"
#include "schedulers/trace/trace.hpp"

#include <algorithm>
#include <deque>
#include <iterator>
#include <string>
#include <string_view>

namespace starfmm {

namespace {

std::unique_ptr<Plan>
make_plan(Runtime& runtime, KernelSet& kernel, const Problem& problem, const PlanOptions& options) {
    if (problem.separate_targets) {
        return std::make_unique<Plan>(runtime, kernel, problem.sources, problem.targets, options);
    }
    return std::make_unique<Plan>(runtime, kernel, problem.sources, options);
}

/// The leaves that the plane at `z` across the z-axis meets.
std::vector<MeshLeaf> slice(const std::vector<MeshLeaf>& leaves, double z) {
    std::vector<MeshLeaf> met;
    std::ranges::copy_if(leaves, std::back_inserter(met), [z](const MeshLeaf& leaf) {
        return leaf.z_min <= z && z <= leaf.z_max;
    });
    return met;
}

/// The leaf in the middle of the tree's order, and the others as it sees them; in space those that
/// lie at the height of its middle.
void write_mesh(const DriverOptions& options, Plan& plan) {
    const std::size_t n_leaves = plan.info().leaves;
    const std::size_t own = n_leaves / 2 + n_leaves / 8;
    std::vector<MeshLeaf> leaves = plan.mesh(own);
    std::string title = std::to_string(n_leaves) + " leaves";
    if (options.dimension == 3 && !leaves.empty()) {
        const double z = 0.5 * (leaves[own].z_min + leaves[own].z_max);
        leaves = slice(leaves, z);
        title = std::to_string(leaves.size()) + " of " + title +
                ": a slice at z = " + std::to_string(z);
    }
    std::vector<MeshBox> boxes;
    for (const MeshLeaf& leaf : leaves) {
        constexpr MeshColour colours[] = {
            MeshColour::plain, MeshColour::self, MeshColour::far, MeshColour::near};
        boxes.push_back(
            {leaf.x_min,
             leaf.x_max,
             leaf.y_min,
             leaf.y_max,
             colours[static_cast<int>(leaf.relation)]}
        );
    }
    write_mesh_svg(options.mesh, boxes, title);
}

/// What plans are asked for: what serves the strengths in double precision; a picture of the mesh
/// needs a tree.
PlanOptions
plan_options(const DriverOptions& options, const KernelTraits& kernel, const Problem& problem) {
    const bool is_double = options.precision == Precision::double_precision;
    PlanOptions plan = options.plan;
    if (is_double && options.dimension == 3) {
        const SuitedOptions suited = suited_to_strengths(kernel, plan, problem.cancellation);
        note(options.telling, suited.why_direct.empty() ? "" : "direct sums: " + suited.why_direct);
        plan = suited.plan;
    }
    if (!options.mesh.empty() && plan.method != Method::fmm &&
        options.plan.method == Method::automatic) {
        plan.method = Method::fmm;
    }
    return plan;
}

/// Finds costs before the first plan would, so that no repeat's time holds it.
/// \param notice why they could not be kept; empty if they were
/// \returns seconds
double tune(
    Runtime& runtime,
    KernelSet& kernel,
    const Problem& problem,
    const PlanOptions& options,
    std::string& notice
) {
    const double start = now();
    const std::size_t n_targets = problem.evaluation_points().size();
    const TunedCosts tuned = tuned_costs(
        runtime, kernel, options, {problem.sources.size(), n_targets, problem.separate_targets}
    );
    notice = tuned.notice;
    return now() - start;
}

/// One plan and one evaluation, timed.
std::unique_ptr<Plan> run_once(
    Runtime& runtime,
    KernelSet& kernel,
    const Problem& problem,
    const PlanOptions& options,
    std::span<Potentials> potentials,
    Times& times
) {
    const double start = now();
    auto plan = make_plan(runtime, kernel, problem, options);
    plan->evaluate(problem.strengths, potentials);
    const double total = now() - start;
    times.topology.push_back(plan->info().topology_s);
    times.evaluate.push_back(total - plan->info().topology_s);
    times.total.push_back(total);
    return plan;
}

/// What runs where.
struct RunSetting {
    Runtime& runtime;
    KernelSet& kernel;
    const Problem& problem;
    const TracedRun& traced;
};

/// Plans and evaluates `warmup + repeat` times.
/// \returns the last plan
std::unique_ptr<Plan> repeat(
    const RunSetting& setting,
    std::span<Potentials> potentials,
    RunReport& report,
    Progress& progress
) {
    const auto& [runtime, kernel, problem, traced] = setting;
    const DriverOptions& options = report.options;
    const PlanOptions how = plan_options(options, kernel.traits, problem);
    std::string notice;
    progress.tell("tuning");
    report.tuning_s = tune(runtime, kernel, problem, how, notice);
    progress.tell("");
    note(options.telling, notice);
    std::unique_ptr<Plan> plan;
    for (int run = -options.warmup; run < options.repeat; ++run) {
        if (plan && traced.must_stop()) {
            break;
        }
        progress.tell("run " + std::to_string(run + 1) + " of " + std::to_string(options.repeat));
        plan.reset();
        runtime.clear_records();
        const std::size_t tasks_before = runtime.n_tasks();
        Times warmup;
        plan = run_once(runtime, kernel, problem, how, potentials, run < 0 ? warmup : report.times);
        report.tasks = runtime.n_tasks() - tasks_before;
    }
    return plan;
}

constexpr std::string_view of_the_plane_only[]{"kernel"};

std::span<const std::string_view> lacking_options(int dimension) {
    return dimension == 2 ? std::span<const std::string_view>() : of_the_plane_only;
}

/// Room for `m` gradients of each of `potentials`, where they are asked for.
void make_gradients(
    const DriverOptions& options, std::size_t m, std::vector<Potentials>& potentials
) {
    for (Potentials& each : potentials) {
        for (int d = 0; d < options.dimension; ++d) {
            each.gradient[d].resize(options.gradient ? m : 0);
        }
    }
}

/// What the runtime and the plan say at the end of a run.
void describe_run(const Runtime& runtime, const Plan& plan, RunReport& report) {
    report.plan = plan.info();
    report.phases = phases_of(runtime.records());
    report.describe(runtime);
}

} // namespace

RunReport run_problem(
    const std::string& driver,
    const DriverOptions& options,
    KernelSet& kernel,
    const Problem& problem,
    std::vector<Potentials>& potentials
) {
    TracedRun traced(options.trace);
    RuntimeOptions runtime_options = options.runtime;
    runtime_options.profile = true;
    std::deque<PageLock> locks;
    Runtime runtime(runtime_options);
    traced.begin(runtime);
    note(options.telling, runtime.notice());
    potentials.resize(problem.strengths.size());
    if (runtime.n_cuda() > 0) {
        make_gradients(options, problem.evaluation_points().size(), potentials);
        locks = page_lock(problem, potentials);
    }
    RunReport report;
    report.driver = driver;
    report.options = options;
    report.n = problem.sources.size();
    report.m = problem.evaluation_points().size();
    Progress progress(driver, options.telling);
    const std::unique_ptr<Plan> plan =
        repeat({runtime, kernel, problem, traced}, potentials, report, progress);
    describe_run(runtime, *plan, report);
    traced.end(runtime);
    if (!options.mesh.empty()) {
        write_mesh(options, *plan);
    }
    if (options.check > 0) {
        progress.tell("checking against the direct sum");
        check(kernel.traits.exact(0), problem, potentials, report);
    }
    return report;
}

int finish(
    const RunReport& report, const Problem& problem, std::span<const Potentials> potentials
) {
    const DriverOptions& options = report.options;
    if (!options.output.empty()) {
        write_results(options.output, problem.evaluation_points(), potentials);
    }
    if (!options.json.empty()) {
        write_json(options.json, report);
    }
    if (!options.telling.quiet) {
        print_report(report);
    }
    return verdict(report);
}

Precision choose_precision(const DriverOptions& options, const Problem& problem) {
    return options.precision == Precision::automatic
               ? automatic_precision(problem.cancellation, options.plan.tolerance)
               : options.precision;
}

int run_sums(int argc, char** argv, const DriverText& text, int dimension, KernelChoice choose) {
    auto options = parse_command_line(argc, argv, text, lacking_options(dimension), dimension);
    if (!options) {
        return 0;
    }
    const Problem problem = make_problem(*options);
    options->precision = choose_precision(*options, problem);
    KernelSet& kernel = choose(*options, problem);
    std::vector<Potentials> potentials;
    const auto report = run_problem(text.name, *options, kernel, problem, potentials);
    return finish(report, problem, potentials);
}

} // namespace starfmm

// SPDX-License-Identifier: BSD-3-Clause
#include "examples/cli/driver.hpp"

#include "codelets/task/cuda_devices.hpp"
#include "core/expansions/kernels2d.hpp"
#include "core/io/point_file.hpp"
#include "core/io/svg.hpp"
#include "core/reference/direct_sum.hpp"
#include "examples/cli/progress.hpp"
#include "schedulers/costs/tuning.hpp"
#include "schedulers/trace/trace.hpp"

#include <algorithm>
#include <cstdio>
#include <deque>
#include <string>

namespace starfmm {

namespace {

std::unique_ptr<Plan>
make_plan(Runtime& runtime, KernelSet& kernel, const Problem& problem, const PlanOptions& options) {
    if (problem.separate_targets) {
        return std::make_unique<Plan>(runtime, kernel, problem.sources, problem.targets, options);
    }
    return std::make_unique<Plan>(runtime, kernel, problem.sources, options);
}

/// The leaf in the middle of the tree's order, and the others as it sees them.
void write_mesh(const std::string& path, Plan& plan) {
    const std::size_t n_leaves = plan.info().leaves;
    std::vector<MeshBox> boxes;
    for (const MeshLeaf& leaf : plan.mesh(n_leaves / 2 + n_leaves / 8)) {
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
    write_mesh_svg(path, boxes, std::to_string(n_leaves) + " leaves");
}

/// The largest errors of any right-hand side.
void keep_worst(std::optional<ErrorNorms>& worst, const ErrorNorms& error) {
    if (!worst) {
        worst = error;
    }
    worst->max_rel = std::max(worst->max_rel, error.max_rel);
    worst->l2_rel = std::max(worst->l2_rel, error.l2_rel);
}

void check(const Problem& problem, std::span<const Potentials> potentials, RunReport& report) {
    const DriverOptions& options = report.options;
    const Points<2>& targets = problem.evaluation_points();
    const auto which = random_targets(targets.size(), options.check, options.seed);
    for (std::size_t i = 0; i < potentials.size(); ++i) {
        const auto exact = [&](KernelKind kernel) {
            return direct_sum(kernel, problem.sources, problem.strengths[i], targets, which);
        };
        keep_worst(report.error, compare(potentials[i], exact(options.kernel), which));
        if (options.gradient) {
            const Potentials harmonic = harmonic_of_gradient(potentials[i]);
            const auto error = compare(harmonic, exact(KernelKind::harmonic), which);
            keep_worst(report.gradient_error, error);
        }
    }
}

/// What plans are asked for: a picture of the mesh needs one.
PlanOptions plan_options(const DriverOptions& options) {
    PlanOptions plan = options.plan;
    if (!options.mesh.empty() && plan.method == Method::automatic) {
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

/// Plans and evaluates `warmup + repeat` times.
/// \returns the last plan
std::unique_ptr<Plan> repeat(
    Runtime& runtime,
    KernelSet& kernel,
    const Problem& problem,
    std::span<Potentials> potentials,
    RunReport& report,
    Progress& progress
) {
    const DriverOptions& options = report.options;
    const PlanOptions how = plan_options(options);
    std::string notice;
    progress.tell("tuning");
    report.tuning_s = tune(runtime, kernel, problem, how, notice);
    progress.tell("");
    note(options.telling, notice);
    std::unique_ptr<Plan> plan;
    for (int run = -options.warmup; run < options.repeat; ++run) {
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

} // namespace

Problem make_problem(const DriverOptions& options) {
    Problem problem;
    if (options.input.empty()) {
        problem.sources =
            make_points<2>(options.distribution, options.n, options.sigma, options.seed);
        for (std::size_t i = 0; i < options.right_hand_sides; ++i) {
            problem.strengths.push_back(make_strengths(
                options.n, options.strength_sign, options.strength_type, options.seed + i
            ));
        }
    } else {
        PointFile2D file = read_sources(options.input, options.right_hand_sides);
        problem.sources = std::move(file.points);
        problem.strengths = std::move(file.strengths);
    }
    problem.separate_targets = options.targets > 0 || !options.target_input.empty();
    if (!options.target_input.empty()) {
        problem.targets = read_targets(options.target_input);
    } else if (options.targets > 0) {
        problem.targets =
            make_points<2>(options.distribution, options.targets, options.sigma, options.seed + 1);
    }
    return problem;
}

std::deque<PageLock> page_lock(const Problem& problem, std::span<Potentials> potentials) {
    std::deque<PageLock> locks;
    const auto lock = [&locks](const std::vector<double>& values) {
        locks.emplace_back(const_cast<double*>(values.data()), values.size() * sizeof(double));
    };
    const std::size_t m = problem.evaluation_points().size();
    for (const auto* points : {&problem.sources, &problem.targets}) {
        lock(points->x[0]);
        lock(points->x[1]);
    }
    for (const Strengths& strengths : problem.strengths) {
        lock(strengths.re);
        lock(strengths.im);
    }
    for (Potentials& each : potentials) {
        each.re.resize(m);
        each.im.resize(m);
        lock(each.re);
        lock(each.im);
        lock(each.gradient[0]);
        lock(each.gradient[1]);
    }
    return locks;
}

KernelSet& choose_kernel(const DriverOptions& options, const Problem& problem) {
    const bool single = options.precision == Precision::single_precision;
    if (options.gradient) {
        return single ? kernel_set<LogGradient<float>>() : kernel_set<LogGradient<double>>();
    }
    if (options.kernel == KernelKind::log) {
        return single ? kernel_set<Log<float>>() : kernel_set<Log<double>>();
    }
    if (problem.strengths.front().is_complex()) {
        return single ? kernel_set<Harmonic<float, true>>() : kernel_set<Harmonic<double, true>>();
    }
    return single ? kernel_set<Harmonic<float, false>>() : kernel_set<Harmonic<double, false>>();
}

RunReport run_problem(
    const std::string& driver,
    const DriverOptions& options,
    KernelSet& kernel,
    const Problem& problem,
    std::vector<Potentials>& potentials
) {
    RuntimeOptions runtime_options = options.runtime;
    runtime_options.profile = true;
    std::deque<PageLock> locks;
    Runtime runtime(runtime_options);
    note(options.telling, runtime.notice());
    potentials.resize(problem.strengths.size());
    if (runtime.n_cuda() > 0) {
        const std::size_t m = problem.evaluation_points().size();
        for (Potentials& each : potentials) {
            each.gradient[0].resize(options.gradient ? m : 0);
            each.gradient[1].resize(options.gradient ? m : 0);
        }
        locks = page_lock(problem, potentials);
    }
    RunReport report;
    report.driver = driver;
    report.options = options;
    report.n = problem.sources.size();
    report.m = problem.evaluation_points().size();
    Progress progress(driver, options.telling);
    const std::unique_ptr<Plan> plan =
        repeat(runtime, kernel, problem, potentials, report, progress);
    report.plan = plan->info();
    report.phases = phases_of(runtime.records());
    report.n_cpu = runtime.n_cpu();
    report.n_cuda = runtime.n_cuda();
    report.scheduler = runtime.policy();
    if (!options.trace.empty()) {
        write_trace(options.trace, runtime);
    }
    if (!options.mesh.empty()) {
        write_mesh(options.mesh, *plan);
    }
    if (options.check > 0) {
        progress.tell("checking against the direct sum");
        check(problem, potentials, report);
    }
    return report;
}

int finish(const RunReport& report, std::span<const Potentials> potentials) {
    const DriverOptions& options = report.options;
    if (!options.output.empty()) {
        write_potentials(options.output, potentials);
    }
    if (!options.json.empty()) {
        write_json(options.json, report);
    }
    if (!options.telling.quiet) {
        print_report(report);
    }
    if (!report.error) {
        return 0;
    }
    // The tolerance is on max_rel for harmonic sums, on l2_rel for logarithmic ones, which cross
    // zero.
    const double of_gradient = report.gradient_error ? report.gradient_error->l2_rel : 0;
    const double of_potential =
        options.kernel == KernelKind::harmonic ? report.error->max_rel : report.error->l2_rel;
    const double error = std::max(of_potential, of_gradient);
    if (error <= options.plan.tolerance) {
        return 0;
    }
    std::printf("check failed: %.3e exceeds the tolerance %.3e\n", error, options.plan.tolerance);
    return 1;
}

} // namespace starfmm

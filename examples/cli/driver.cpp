// SPDX-License-Identifier: BSD-3-Clause
#include "examples/cli/driver.hpp"

#include "codelets/task/cuda_devices.hpp"
#include "core/io/point_file.hpp"
#include "core/io/svg.hpp"
#include "examples/cli/option_names.hpp"
#include "examples/cli/run.hpp"
#include "schedulers/starfmm/detail/access.hpp"

#include <algorithm>
#include <deque>
#include <initializer_list>
#include <optional>
#include <string>

namespace starfmm {

namespace {

/// The leaf in the middle of the tree's order, and the others as it sees them; in space those that
/// lie at the height of its middle.
void write_mesh(const DriverOptions& options, const Sum& sum) {
    const std::size_t n_leaves = sum.report().leaves;
    const std::size_t own = n_leaves / 2 + n_leaves / 8;
    std::vector<MeshLeaf> leaves = sum.mesh(own);
    std::string title = std::to_string(n_leaves) + " leaves";
    if (options.dimension == 3 && !leaves.empty()) {
        const double z = 0.5 * (leaves[own].z_min + leaves[own].z_max);
        std::erase_if(leaves, [z](const MeshLeaf& leaf) {
            return leaf.z_min > z || leaf.z_max < z;
        });
        title = std::to_string(leaves.size()) + " of " + title +
                ": a slice at z = " + std::to_string(z);
    }
    write_mesh_svg(options.mesh, leaves, title);
}

/// A picture of the mesh needs a tree.
SumOptions sum_options(const DriverOptions& options, const Problem& problem) {
    const bool draws = !options.mesh.empty() && options.plan.method == Method::automatic;
    SumOptions sum{
        .sources = view_of(problem.sources),
        .targets = problem.separate_targets ? view_of(problem.targets) : ConstArrayView(),
        .tolerance = options.plan.tolerance,
        .method = draws ? Method::fmm : options.plan.method,
        .precision = options.precision,
        .choices = choices_of(options.plan),
        .planning = Planning::on_demand,
        .borrow_points = true};
    if (options.driver == drivers::gravity) {
        sum.tolerance = Median{options.plan.tolerance, options.tolerance99};
    }
    if (options.own_error > 0) {
        sum.choices.own_error = options.own_error;
    }
    if (!problem.lengths.empty()) {
        sum.lengths = ConstArrayView(problem.lengths.data(), {problem.lengths.size()});
    }
    return sum;
}

/// Page-locks arrays for GPUs, as callers do who use them again and again.
std::deque<PageLock> page_lock(std::initializer_list<ConstArrayView> arrays) {
    std::deque<PageLock> locks;
    for (const ConstArrayView& view : arrays) {
        const std::size_t n = view.extent(view.rank() == 3 ? 1 : 0);
        for (const void* const column : view.columns()) {
            locks.emplace_back(const_cast<void*>(column), n * sizeof(double));
        }
    }
    return locks;
}

/// Tells what was chosen, and why.
void take_choices(const Sum& sum, RunReport& report) {
    report.sum = sum.report();
    const Report& found = report.sum;
    const Telling& telling = report.options.telling;
    if (!is_gravity(report) && !found.why_direct.empty()) {
        note(telling, "direct sums: " + found.why_direct);
    }
    if (!found.why_precision.empty()) {
        note(
            telling,
            name_of(precision_names, found.precision) + (" precision: " + found.why_precision)
        );
    }
    note(telling, found.notice);
    report.options.precision = found.precision;
    report.own_error = sum.choices().own_error.value_or(0);
}

/// Evaluates `warmup + repeat` times. Gravity has nothing to tune, and plans with each evaluation.
void evaluate(
    Sum& sum,
    const SumOptions& points,
    ConstArrayView strengths,
    ArrayView values,
    Run& run,
    RunReport& report
) {
    const bool plans_apart = !is_gravity(report);
    if (plans_apart) {
        run.tell("tuning");
        sum.prepare(strengths);
        take_choices(sum, report);
    }
    run.repeat([&] {
        if (plans_apart) {
            sum.move(points.sources, points.targets);
        }
        const double start = now();
        sum(strengths, values);
        return Seconds{now() - start, detail::Access::plan(sum).topology_s};
    });
    report.plan = detail::Access::plan(sum);
    run.end();
    if (plans_apart) {
        report.sum = sum.report();
    } else {
        take_choices(sum, report);
    }
}

} // namespace

Choices choices_of(const PlanOptions& plan) {
    const PlanOptions open;
    const auto given = [](auto value, auto automatic) {
        return value == automatic ? std::nullopt : std::optional(value);
    };
    return {
        .tree = given(plan.tree, open.tree),
        .order = given(plan.order, open.order),
        .theta = given(plan.theta, open.theta),
        .leaf_size = given(plan.leaf_size, open.leaf_size),
        .levels = given(plan.levels, open.levels),
        .roots = given(plan.roots, open.roots),
        .groups = given(plan.groups, open.groups),
        .chunks = given(plan.chunks, open.chunks),
        .heavy_theta = given(plan.heavy_theta, open.heavy_theta),
        .plane_waves = given(plan.plane_waves, open.plane_waves),
        .pairs = given(plan.pairs, open.pairs),
        .tuning = given(plan.tuning, open.tuning),
        .team = given(plan.team, open.team),
        .lists = given(plan.lists, open.lists),
        .summation = given(plan.direct.order, open.direct.order),
        .target_block = given(plan.direct.target_block, open.direct.target_block),
        .source_block = given(plan.direct.source_block, open.direct.source_block)};
}

RunReport run_problem(
    const std::string& driver,
    const DriverOptions& options,
    const Kernel& kernel,
    const Problem& problem,
    std::vector<Potentials>& potentials
) {
    RuntimeOptions workers = options.runtime;
    workers.profile = true;
    Context context = detail::Access::start(workers);
    const SumOptions points = sum_options(options, problem);
    const ConstArrayView strengths = strengths_of(problem, kernel.shape());
    const ArrayView values = room_for(problem, kernel.shape(), potentials);
    std::deque<PageLock> locks;
    if (context.gpus() > 0) {
        locks = page_lock({points.sources, points.targets, strengths, values});
    }
    Sum sum(context, kernel, points);
    RunReport report;
    report.driver = driver;
    report.options = options;
    report.kernel = kernel.shape();
    Run run(report, detail::Access::runtime(context));
    evaluate(sum, points, strengths, values, run, report);
    if (!options.mesh.empty()) {
        write_mesh(options, sum);
    }
    if (options.check > 0) {
        run.tell("checking against exact sums");
        report.errors = sum.check(strengths, values, options.check, options.seed);
    }
    return report;
}

int finish(
    const RunReport& report, const Problem& problem, std::span<const Potentials> potentials
) {
    const DriverOptions& options = report.options;
    if (!options.output.empty() && is_gravity(report)) {
        write_accelerations(options.output, potentials.front());
    } else if (!options.output.empty()) {
        write_results(options.output, problem.evaluation_points(), potentials);
    }
    if (!options.json.empty()) {
        write_record(options.json, record_of(report));
    }
    if (!options.telling.quiet) {
        print_report(report);
    }
    return verdict(report);
}

Kernel
kernel_for(const std::vector<NamedKernel>& kernels, const DriverOptions& options, bool is_complex) {
    const NamedKernel kernel = find_kernel(kernels, options.kernel);
    if (options.gradient && !kernel.defaults.contains("gradient")) {
        throw InputError("--gradient: --kernel " + kernel.name + " has none");
    }
    NamedParameters parameters;
    if (options.gradient) {
        parameters["gradient"] = true;
    }
    if (kernel.defaults.contains("complex_strengths")) {
        parameters["complex_strengths"] = is_complex;
    }
    return kernel.with(parameters);
}

int run_sums(
    int argc,
    char** argv,
    const DriverText& text,
    const DriverOptions& defaults,
    const std::vector<NamedKernel>& kernels
) {
    const auto options = parse_command_line(argc, argv, text, defaults);
    if (!options) {
        return 0;
    }
    static_cast<void>(kernel_for(kernels, *options)); // before files are read
    const Problem problem = make_problem(*options);
    const Kernel kernel = kernel_for(kernels, *options, problem.is_complex());
    std::vector<Potentials> potentials;
    const RunReport report = run_problem(text.name, *options, kernel, problem, potentials);
    return finish(report, problem, potentials);
}

} // namespace starfmm

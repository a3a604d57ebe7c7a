// SPDX-License-Identifier: BSD-3-Clause
#include "examples/gravity/gravity_driver.hpp"

#include "core/io/point_file.hpp"
#include "core/reference/direct_sum.hpp"
#include "core/reference/gravity_reference.hpp"
#include "examples/cli/driver.hpp"
#include "examples/cli/run.hpp"
#include "schedulers/starfmm/detail/errors.hpp"
#include "starfmm/kernels.hpp"

#include <limits>
#include <utility>

namespace starfmm {

namespace {

/// Says why the automatic method sums directly; empty if it takes a tree. Of splines it leaves
/// that to the tree.
std::string why_direct(const DriverOptions& options, double n_pairs) {
    constexpr int few_bodies = 2048; // they take no longer directly
    if (options.softening != Softening::plummer) {
        return "";
    }
    if (n_pairs < 1.0 * few_bodies * few_bodies) {
        const std::string few = "fewer than " + std::to_string(few_bodies);
        return few + (options.has_targets() ? " squared pairs" : " bodies");
    }
    const bool has_tree = tree_options(options).closed().method != Method::direct;
    return has_tree ? "" : "no tree keeps the tolerances";
}

/// Sets the errors that were asked for, or what the precision, or the order and theta of a tree,
/// should reach.
void set_tolerances(DriverOptions& options, const GravityTreeOptions& gravity) {
    const bool is_open = options.plan.tolerance == 0;
    if (gravity.plan.method == Method::direct) {
        options.plan.tolerance =
            is_open ? allowed_error(gravity.precision) : options.plan.tolerance;
        options.tolerance99 = std::numeric_limits<double>::infinity();
        return;
    }
    options.plan.tolerance = gravity.plan.tolerance;
    if (is_open && gravity.plan.order > 0) {
        const PlanOptions closed = gravity.closed();
        options.plan.tolerance =
            cartesian_error(closed.order, closed.theta, closed.heavy_theta).median;
    }
}

/// The options of the method that the report has.
GravityTreeOptions options_of(const RunReport& report) {
    return report.plan.method == Method::direct ? direct_options(report.options)
                                                : tree_options(report.options);
}

double n_pairs(const RunReport& report) {
    return static_cast<double>(report.n) * static_cast<double>(report.m);
}

void evaluate(GravityTree& gravity, const GravityProblem& problem, Accelerations& out) {
    if (problem.targets) {
        gravity.evaluate(problem.bodies, *problem.targets, out);
    } else {
        gravity.evaluate(problem.bodies, out);
    }
}

} // namespace

RunReport gravity_report(const DriverOptions& options, const GravityProblem& problem) {
    RunReport report;
    report.driver = "gravity";
    report.options = options;
    report.kernel = Kernel(Gravity{.potential = options.potential}).shape();
    report.n = problem.bodies.size();
    report.m = problem.n_places();
    report.plan.method = options.plan.method;
    if (options.plan.method == Method::automatic) {
        report.why_direct = why_direct(options, n_pairs(report));
        report.plan.method = report.why_direct.empty() ? Method::fmm : Method::direct;
    }
    const GravityTreeOptions gravity = options_of(report);
    report.options.precision = gravity.precision;
    set_tolerances(report.options, gravity);
    return report;
}

RunReport
run_gravity(const DriverOptions& options, const GravityProblem& problem, Accelerations& out) {
    RunReport report = gravity_report(options, problem);
    const bool has_tree = report.plan.method == Method::fmm;
    RuntimeOptions workers = options.runtime;
    workers.profile = true;
    Runtime runtime(workers);
    Run run(report, runtime);
    GravityTree gravity(runtime, has_tree ? tree_options(options) : direct_options(options));
    run.repeat(
        [] {},
        [&] {
            const double start = now();
            evaluate(gravity, problem, out);
            return Seconds{now() - start};
        }
    );
    report.plan = gravity.info();
    if (has_tree) {
        report.own_error = gravity.own_error();
        report.why_direct = gravity.why_direct();
    }
    run.end();
    if (options.check > 0) {
        run.tell("checking against extended precision");
        report.errors = check_gravity(options, problem, out);
    }
    return report;
}

Errors check_gravity(
    const DriverOptions& options, const GravityProblem& problem, const Accelerations& results
) {
    const auto which = random_targets(problem.n_places(), options.check, options.seed);
    const GravityLaw law{options.epsilon, options.g, options.softening};
    GravityReference exact = problem.targets
                                 ? gravity_reference(problem.bodies, *problem.targets, law, which)
                                 : gravity_reference(problem.bodies, law, which);
    detail::ExactValues values{
        {std::move(exact.a[0]), std::move(exact.a[1]), std::move(exact.a[2])},
        {std::move(exact.magnitude)},
        0};
    detail::Components found{results.a[0], results.a[1], results.a[2]};
    if (options.potential) {
        values.components.push_back(std::move(exact.potential));
        values.magnitudes.push_back(std::move(exact.potential_magnitude));
        found.push_back(results.potential);
    }
    const KernelShape shape = Kernel(Gravity{.potential = options.potential}).shape();
    return detail::errors_of(shape, found, values, which, 1.0);
}

int finish(const RunReport& report, const Accelerations& results) {
    if (!report.options.output.empty()) {
        write_accelerations(report.options.output, results);
    }
    return finish(report);
}

} // namespace starfmm

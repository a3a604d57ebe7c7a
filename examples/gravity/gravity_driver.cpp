// SPDX-License-Identifier: BSD-3-Clause
#include "examples/gravity/gravity_driver.hpp"

#include "core/expansions/cartesian_order.hpp"
#include "core/io/point_file.hpp"
#include "core/reference/direct_sum.hpp"
#include "core/reference/gravity_reference.hpp"
#include "examples/cli/driver.hpp"
#include "schedulers/starfmm/detail/errors.hpp"
#include "starfmm/kernels.hpp"

#include <utility>

namespace starfmm {

namespace {

/// A tree's, where none is asked for.
constexpr double usual_median = 2.6e-3;

Kernel kernel_of(const DriverOptions& options) {
    Gravity gravity{.g = options.g, .potential = options.potential};
    switch (options.softening) {
    case Softening::plummer:
        gravity.softening = Plummer{options.epsilon};
        break;
    case Softening::spline:
        gravity.softening = Spline{options.epsilon};
        break;
    case Softening::splines:
        gravity.softening = Spline{};
    }
    return gravity;
}

/// Sets what is open of the precision of direct sums, and of the tolerance.
DriverOptions with_tolerance(const DriverOptions& options) {
    DriverOptions with = options;
    const bool is_direct = options.plan.method == Method::direct;
    if (is_direct && options.precision == Precision::automatic) {
        with.precision = Precision::double_precision;
    }
    if (options.plan.tolerance == 0) {
        with.plan.tolerance = is_direct ? allowed_error(with.precision) : usual_median;
    }
    return with;
}

Problem problem_of(const GravityProblem& gravity) {
    Problem problem;
    problem.sources = Points<3>{gravity.bodies.x};
    problem.strengths = {{gravity.bodies.mass, {}}};
    problem.lengths = gravity.bodies.epsilon;
    problem.separate_targets = gravity.targets.has_value();
    problem.targets = gravity.targets.value_or(AnyPoints());
    return problem;
}

} // namespace

RunReport
run_gravity(const DriverOptions& options, const GravityProblem& problem, Accelerations& out) {
    std::vector<Potentials> sums;
    RunReport report = run_problem(
        "gravity", with_tolerance(options), kernel_of(options), problem_of(problem), sums
    );
    out = {std::move(sums.front().gradient), std::move(sums.front().re)};
    const PlanInfo& plan = report.plan;
    if (options.plan.tolerance == 0 && options.plan.order > 0 && plan.method == Method::fmm) {
        report.options.plan.tolerance =
            cartesian_error(plan.order, plan.theta, plan.heavy_theta).median;
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
    return detail::errors_of(kernel_of(options).shape(), found, values, which, 1.0);
}

RunReport gravity_report(const DriverOptions& options, const GravityProblem& problem) {
    RunReport report;
    report.driver = "gravity";
    report.options = with_tolerance(options);
    report.kernel = kernel_of(options).shape();
    report.n = problem.bodies.size();
    report.m = problem.n_places();
    report.plan.method = options.plan.method;
    return report;
}

int finish(const RunReport& report, const Accelerations& results) {
    if (!report.options.output.empty()) {
        write_accelerations(report.options.output, results);
    }
    return finish(report);
}

} // namespace starfmm

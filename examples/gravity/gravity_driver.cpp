// SPDX-License-Identifier: BSD-3-Clause
#include "examples/gravity/gravity_driver.hpp"

#include "core/error.hpp"
#include "core/expansions/cartesian_order.hpp"

#include <string>
#include <utility>

namespace starfmm {

namespace {

constexpr Conflict conflicts[]{
    {"input", "n"},
    {"input", "distribution"},
    {"input", "masses"},
    {"target-input", "targets"},
    {"own-error", "targets"},
    {"own-error", "target-input"}};

const std::vector<std::string> of_trees{
    "softening",
    "tol99",
    "theta",
    "heavy-theta",
    "own-error",
    "order",
    "leaf-size",
    "groups",
    "lists",
    "opencl"};
const std::vector<std::string> of_direct_sums{"summation", "target-block", "source-block", "team"};

/// \throws InputError for an option of the method that is not asked for
void check_method(const GivenOptions& given, Method method) {
    if (method == Method::automatic) {
        return;
    }
    const bool is_direct = method == Method::direct;
    for (const NamedFile& option : files_of(given, is_direct ? of_trees : of_direct_sums)) {
        throw InputError(
            option.name + ": needs --method " + (is_direct ? "tree" : "direct") + " or automatic"
        );
    }
}

/// \throws InputError for what ranks cannot do, or for an option of theirs without any
void check_ranks(const GivenOptions& given, Method method, int n_ranks) {
    if (n_ranks == 1) {
        if (given.contains("pattern")) {
            throw InputError("--pattern: needs several ranks: mpirun -np 4 gravity");
        }
        return;
    }
    const std::string over_ranks = ": not over the " + std::to_string(n_ranks) + " ranks of mpirun";
    if (method != Method::direct) {
        throw InputError(
            "--method " + given.at("method") + over_ranks + ", which sum directly: --method direct"
        );
    }
    for (const std::string option : {"targets", "target-input", "trace"}) {
        if (given.contains(option)) {
            throw InputError("--" + option + over_ranks + ": leave out one of the two");
        }
    }
}

/// A given option that bodies with softening lengths of their own do not allow; empty: none.
std::string refusal_of_lengths(const GivenOptions& given) {
    for (const auto& [option, allowed] :
         {std::pair<std::string, std::string>("epsilon", ""),
          {"softening", "spline"},
          {"precision", "double"}}) {
        if (given.contains(option) && given.at(option) != allowed) {
            return "--" + option + (allowed.empty() ? "" : " " + given.at(option));
        }
    }
    return "";
}

} // namespace

GravityTreeOptions direct_options(const DriverOptions& options) {
    GravityTreeOptions gravity = direct_gravity(options.epsilon);
    gravity.g = options.g;
    gravity.softening = options.softening;
    if (options.precision != Precision::automatic) {
        gravity.precision = options.precision;
    }
    gravity.result =
        options.potential ? GravityResult::with_potential : GravityResult::acceleration;
    gravity.plan.direct = options.plan.direct;
    gravity.plan.team = options.plan.team;
    return gravity;
}

double allowed_error(Precision precision) {
    constexpr double errors[]{1e-13, 1e-5, 2e-6, 1e-13}; // the last: double is chosen
    return errors[static_cast<int>(precision)];
}

std::optional<DriverOptions>
parse_gravity_options(int argc, char** argv, const DriverText& driver, int n_ranks) {
    DriverOptions options = default_options(drivers::gravity);
    const auto given = read_options(argc, argv, driver, options, conflicts);
    if (!given) {
        return std::nullopt;
    }
    check_method(*given, options.plan.method);
    check_ranks(*given, options.plan.method, n_ranks);
    if (!given->contains("potential")) { // trees have them at hand
        options.potential = options.plan.method != Method::direct;
    }
    options.refuses_lengths = refusal_of_lengths(*given);
    with_tolerance(options).plan.validate(3); // the sum validates the rest
    options.runtime.validate();
    check_files(*given, options);
    return options;
}

Kernel gravity_kernel(Softening law, double epsilon, double g, bool potential) {
    Gravity gravity{.softening = Plummer{epsilon}, .g = g, .potential = potential};
    if (law != Softening::plummer) { // bodies of lengths of their own have no epsilon
        gravity.softening = law == Softening::spline ? Spline{epsilon} : Spline{};
    }
    return gravity;
}

Kernel gravity_kernel(const DriverOptions& options) {
    return gravity_kernel(options.softening, options.epsilon, options.g, options.potential);
}

DriverOptions with_tolerance(const DriverOptions& options) {
    constexpr double usual_median = 2.6e-3; // a tree's
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

Bodies bodies_of(const Problem& problem) {
    const auto& x = problem.sources.x;
    return {{x[0], x[1], x[2]}, problem.strengths.front().re, problem.lengths};
}

void take_lengths(const Problem& problem, DriverOptions& options) {
    if (problem.lengths.empty()) {
        return;
    }
    if (!options.refuses_lengths.empty()) {
        throw InputError(
            options.refuses_lengths +
            ": the bodies of --input have softening lengths of their own, "
            "of a spline in double precision: leave it out"
        );
    }
    options.epsilon = 0;
    options.softening = Softening::splines;
    options.precision = Precision::double_precision;
}

RunReport run_gravity(
    const DriverOptions& options, const Problem& problem, std::vector<Potentials>& results
) {
    RunReport report =
        run_problem("gravity", with_tolerance(options), gravity_kernel(options), problem, results);
    const PlanInfo& plan = report.plan;
    if (options.plan.tolerance == 0 && options.plan.order > 0 && plan.method == Method::fmm) {
        report.options.plan.tolerance =
            cartesian_error(plan.order, plan.theta, plan.heavy_theta).median;
    }
    return report;
}

} // namespace starfmm

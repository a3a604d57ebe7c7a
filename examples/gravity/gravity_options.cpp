// SPDX-License-Identifier: BSD-3-Clause
#include "core/error.hpp"
#include "core/io/point_file.hpp"
#include "examples/cli/room.hpp"
#include "examples/gravity/gravity_driver.hpp"

#include <utility>

namespace starfmm {

namespace {

constexpr std::pair<const char*, const char*> conflicts[]{
    {"input", "distribution"},
    {"input", "masses"},
    {"own-error", "targets"},
    {"own-error", "target-input"}};

constexpr const char* of_trees[]{
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
constexpr const char* of_direct_sums[]{"summation", "target-block", "source-block", "team"};

/// \throws InputError for an option of the method that is not asked for
void check_method(const GivenOptions& given, Method method) {
    if (method == Method::automatic) {
        return;
    }
    const bool is_direct = method == Method::direct;
    const auto others = is_direct ? std::span<const char* const>(of_trees) : of_direct_sums;
    for (const NamedFile& option : files_of(given, others)) {
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

void validate(const DriverOptions& options) {
    check_range("sigma", options.sigma, 1e-15, 1e3); // as make_points does
    check_range("tolerance", options.plan.tolerance, 0, 1);
    check_range("tolerance99", options.tolerance99, 0, 1);
    check_range("own_error", options.own_error, 0, 1);
    PlanOptions plan = options.plan;
    plan.tolerance = plan.tolerance > 0 ? plan.tolerance : allowed_error(options.precision);
    plan.validate(3);
    options.runtime.validate();
}

/// A given option that bodies with softening lengths of their own do not allow; empty: none.
std::string refusal_of_lengths(const GivenOptions& given) {
    const auto is = [&](const char* name, const char* value) {
        return given.contains(name) && given.at(name) == value;
    };
    if (given.contains("epsilon")) {
        return "--epsilon";
    }
    if (is("softening", "plummer")) {
        return "--softening plummer";
    }
    const bool is_other = given.contains("precision") && !is("precision", "double");
    return is_other ? "--precision " + given.at("precision") : "";
}

/// \param option what asks for `n` points of so many numbers
void check_room_of(const std::string& option, std::size_t n, double numbers) {
    check_room(option + std::to_string(n), numbers * sizeof(double) * static_cast<double>(n));
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

std::optional<DriverOptions> parse_gravity_options(
    int argc,
    char** argv,
    const DriverText& driver,
    std::span<const std::string_view> lacking,
    int n_ranks
) {
    auto read = read_options(argc, argv, driver, drivers::gravity, lacking);
    if (!read) {
        return std::nullopt;
    }
    auto& [given, options] = *read;
    check_exclusive(given, conflicts);
    check_method(given, options.plan.method);
    check_ranks(given, options.plan.method, n_ranks);
    if (!given.contains("potential")) { // trees have them at hand
        options.potential = options.plan.method != Method::direct;
    }
    options.refuses_lengths = refusal_of_lengths(given);
    validate(options);
    check_files(*read);
    return options;
}

Bodies make_bodies(const DriverOptions& options) {
    if (!options.input.empty()) {
        return read_bodies(options.input);
    }
    check_room_of("--n ", options.n, 7); // position, mass and acceleration
    Bodies bodies;
    bodies.x = make_points<3>(options.distribution, options.n, options.sigma, options.seed).x;
    bodies.mass.assign(options.n, 0.5);
    if (options.has_random_masses) {
        bodies.mass =
            make_strengths(options.n, StrengthSign::positive, StrengthType::real, options.seed).re;
    }
    for (double& mass : bodies.mass) {
        mass *= 2 / static_cast<double>(options.n);
    }
    return bodies;
}

void take_lengths(const Bodies& bodies, DriverOptions& options) {
    if (bodies.epsilon.empty()) {
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
    validate(options);
}

GravityProblem make_gravity_problem(const DriverOptions& options) {
    GravityProblem problem{make_bodies(options), std::nullopt};
    if (!options.target_input.empty()) {
        problem.targets = read_targets(options.target_input, 3);
    } else if (options.targets > 0) {
        check_room_of("--targets ", options.targets, 6); // position and acceleration
        problem.targets =
            make_points<3>(options.distribution, options.targets, options.sigma, options.seed + 1);
    }
    return problem;
}

} // namespace starfmm

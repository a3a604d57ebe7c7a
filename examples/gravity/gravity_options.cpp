// SPDX-License-Identifier: BSD-3-Clause
#include "examples/gravity/gravity_options.hpp"

#include "core/error.hpp"
#include "core/io/point_file.hpp"
#include "examples/cli/cli_common.hpp"
#include "examples/cli/room.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace starfmm {

namespace {

using Option = OptionOf<GravityDriverOptions>;
using Section = SectionOf<GravityDriverOptions>;

constexpr Option body_options[]{
    {"n",
     "N",
     "number of bodies, also as 1e6 (default: 65536)",
     [](auto& o, const auto& a) { o.n = a.integer(1, max_points); }},
    {"distribution",
     "NAME",
     "uniform, normal, layer, circle, plummer or lattice, in the unit cube (default: plummer)",
     [](auto& o, const auto& a) { o.distribution = parse_distribution(a.text); }},
    sigma_option<GravityDriverOptions>,
    seed_option<GravityDriverOptions>("seed of positions and masses (default: 1)"),
    {"masses",
     "KIND",
     "equal, or random in (0, 2 / N]; their mean is 1 / N (default: equal)",
     [](auto& o, const auto& a) {
         o.masses = static_cast<Masses>(a.choice({"equal", "random"}));
     }},
};

constexpr Option target_options[]{
    targets_option<GravityDriverOptions>,
    target_input_option<GravityDriverOptions, 3>,
};

constexpr Option file_options[]{
    {"input",
     "FILE",
     "bodies: .npy or .csv with columns x, y, z, m[, epsilon]: then each has a length of its own, "
     "softened as by --softening spline in double precision",
     [](auto& o, const auto& a) { o.input = a.file(); }},
    {"output",
     "FILE",
     "results in the order of the bodies, or of the targets: .npy or .csv with columns ax, ay, "
     "az[, phi]",
     [](auto& o, const auto& a) { o.output = a.file(); }},
    json_option<GravityDriverOptions>,
    trace_option<GravityDriverOptions>,
};

constexpr Option method_options[]{
    {"method",
     "NAME",
     "direct: all pairs; tree: O(N), by an octree and Cartesian Taylor expansions; automatic, or "
     "auto: direct below 2048 bodies or where no tree keeps --tol, else tree (default: direct)",
     [](auto& o, const auto& a) {
         const std::size_t method = a.choice({"direct", "tree", "automatic", "auto"});
         o.method = static_cast<GravityMethod>(std::min<std::size_t>(method, 2));
     }},
    {"epsilon",
     "E",
     "softening length, 0 or larger (default: 1e-3)",
     [](auto& o, const auto& a) { o.direct.epsilon = o.tree.epsilon = a.number(); }},
    {"g",
     "G",
     "gravitational constant (default: 1)",
     [](auto& o, const auto& a) { o.direct.g = o.tree.g = a.number(); }},
    {"precision",
     "NAME",
     "double, single, or mixed: pairs in single, positions and sums beyond (default: double; of "
     "trees single, unless --method automatic is asked for less than --tol 1e-4)",
     [](auto& o, const auto& a) {
         o.direct.precision = o.tree.precision =
             static_cast<Precision>(a.choice({"double", "single", "mixed"}));
     }},
    {"tol",
     "T",
     "median relative error of accelerations that trees keep, and that --check allows (default: "
     "1e-13, mixed 1e-6, single 1e-5; of trees 2.6e-3)",
     [](auto& o, const auto& a) { o.tolerance = o.tree.plan.tolerance = a.number(); }},
    {"potential",
     "WHETHER",
     "no, or yes: potentials too (default: no; of --method tree and automatic yes)",
     [](auto& o, const auto& a) {
         o.direct.result = o.tree.result = static_cast<GravityResult>(a.choice({"no", "yes"}));
     }},
};

constexpr Option direct_options[]{
    {"summation",
     "ORDER",
     "any, or fixed: the same bits in every run (default: any)",
     [](auto& o, const auto& a) {
         o.direct.plan.direct.order = static_cast<SummationOrder>(a.choice({"any", "fixed"}));
     }},
    {"target-block",
     "B",
     "targets a task, or auto (default: auto)",
     [](auto& o, const auto& a) {
         o.direct.plan.direct.target_block =
             static_cast<std::size_t>(a.integer_or_auto(1, std::numeric_limits<int>::max(), 0));
     }},
    {"source-block",
     "B",
     "sources a task, or auto (default: auto)",
     [](auto& o, const auto& a) {
         o.direct.plan.direct.source_block =
             static_cast<std::size_t>(a.integer_or_auto(1, std::numeric_limits<int>::max(), 0));
     }},
    {"team", "WHO", team_text, [](auto& o, const auto& a) { o.direct.plan.team = parse_team(a); }},
    {"model",
     "N",
     "instead of a run, measured and predicted times of 1024 bodies to N (default: 0)",
     [](auto& o, const auto& a) { o.model = a.integer(0, max_points); }},
};

constexpr Option tree_options[]{
    {"softening",
     "LAW",
     "plummer, or spline: Newton's beyond 2.8 epsilon (default: plummer)",
     [](auto& o, const auto& a) {
         o.tree.softening = static_cast<Softening>(a.choice({"plummer", "spline"}));
     }},
    {"tol99",
     "T",
     "error that 99 of 100 bodies keep, besides --tol (default: 1: any)",
     [](auto& o, const auto& a) { o.tree.tolerance99 = a.positive(); }},
    {"theta",
     "T",
     "separation, larger than 0 and less than 1 (default: by the tolerances)",
     [](auto& o, const auto& a) { o.tree.plan.theta = a.positive(); }},
    {"heavy-theta",
     "T",
     "that of a box of all bodies: a share m of them takes T m^(-1/(order + 2)), up to theta "
     "(default: by the tolerances; with theta or order: theta for all)",
     [](auto& o, const auto& a) { o.tree.plan.heavy_theta = a.positive(); }},
    {"own-error",
     "E",
     "most that a pair of boxes leaves out of a body's acceleration, relative to what attracts it "
     "by a first sum, larger than 0 and less than 1 (default: by theta alone where masses are "
     "alike)",
     [](auto& o, const auto& a) { o.tree.own_error = a.positive(); }},
    {"order",
     "P",
     "order of expansions, 1 to 8 (default: by the tolerances)",
     [](auto& o, const auto& a) {
         o.tree.plan.order = static_cast<int>(a.integer(1, largest_cartesian_order));
     }},
    {"leaf-size",
     "N",
     "most bodies of a leaf (default: by the order)",
     [](auto& o, const auto& a) {
         o.tree.plan.leaf_size = static_cast<double>(a.integer(1, 1'000'000));
     }},
    {"groups",
     "K",
     "tasks an operator: 1 to 64, or auto (default: auto)",
     [](auto& o, const auto& a) { o.tree.plan.groups = a.integer_or_auto(1, 64, 0); }},
    {"lists",
     "WHO",
     "with GPUs and cores: gpus or cores find the interaction lists, cores while GPUs sum by those "
     "there are, or auto (default: auto: gpus)",
     [](auto& o, const auto& a) {
         o.tree.plan.lists = static_cast<Team>(a.choice({"auto", "gpus", "cores"}));
     }},
    opencl_option<GravityDriverOptions>,
};

constexpr Option rank_options[]{
    {"pattern",
     "NAME",
     "under mpirun, how ranks exchange bodies: ring, or doubling (default: ring)",
     [](auto& o, const auto& a) {
         o.pattern = static_cast<ExchangePattern>(a.choice({"ring", "doubling"}));
     }},
};

constexpr Option run_options[]{
    cpus_option<GravityDriverOptions>,
    gpus_option<GravityDriverOptions>,
    scheduler_option<GravityDriverOptions>,
    repeat_option<GravityDriverOptions>,
    warmup_option<GravityDriverOptions>,
    check_option<GravityDriverOptions>("compare with extended precision at K random bodies or "
                                       "targets; exit 1 beyond --tol (default: 0)"),
    quiet_option<GravityDriverOptions>,
    heartbeat_option<GravityDriverOptions>,
};

constexpr Section sections[]{
    {"Bodies", body_options},
    {"Targets", target_options},
    {"Files", file_options},
    {"Method", method_options},
    {"Direct sums", direct_options},
    {"Tree", tree_options},
    {"Ranks", rank_options},
    {"Run", run_options}};

constexpr std::pair<const char*, const char*> conflicts[]{
    {"input", "n"},
    {"input", "distribution"},
    {"input", "masses"},
    {"target-input", "targets"},
    {"own-error", "targets"},
    {"own-error", "target-input"},
    {"model", "targets"},
    {"model", "target-input"},
    {"model", "quiet"},
    {"model", "json"},
    {"model", "trace"},
    {"model", "output"}};
constexpr const char* inputs[]{"input", "target-input"};
constexpr const char* outputs[]{"output", "json", "trace"};

/// \throws InputError for an option of the method that is not asked for
void check_method(const GivenOptions& given, GravityMethod method) {
    if (method == GravityMethod::automatic) {
        return;
    }
    const bool is_direct = method == GravityMethod::direct;
    const std::span<const Option> others =
        is_direct ? std::span<const Option>(tree_options) : std::span<const Option>(direct_options);
    for (const Option& option : others) {
        if (given.contains(option.name)) {
            throw InputError(
                std::string("--") + option.name + ": needs --method " +
                (is_direct ? "tree" : "direct") + " or automatic"
            );
        }
    }
}

/// \throws InputError for what ranks cannot do, or for an option of theirs without any
void check_ranks(const GivenOptions& given, GravityMethod method, int n_ranks) {
    if (n_ranks == 1) {
        if (given.contains("pattern")) {
            throw InputError("--pattern: needs several ranks: mpirun -np 4 gravity");
        }
        return;
    }
    const std::string over_ranks = ": not over the " + std::to_string(n_ranks) + " ranks of mpirun";
    if (method != GravityMethod::direct) {
        throw InputError(
            "--method " + given.at("method") + over_ranks + ", which sum directly: --method direct"
        );
    }
    for (const std::string option : {"targets", "target-input", "model", "trace"}) {
        if (given.contains(option)) {
            throw InputError("--" + option + over_ranks + ": leave out one of the two");
        }
    }
}

/// Sets what is left open by the method. Trees have potentials at hand. Their single precision does
/// not reach every tolerance.
void complete(const GivenOptions& given, GravityDriverOptions& options) {
    constexpr double least_of_singles = 1e-4;
    if (options.method != GravityMethod::direct && !given.contains("potential")) {
        options.direct.result = options.tree.result = GravityResult::with_potential;
    }
    if (options.method == GravityMethod::automatic && !given.contains("precision") &&
        options.tree.plan.tolerance < least_of_singles) {
        options.tree.precision = Precision::double_precision;
    }
    const auto is = [&](const char* name, const char* value) {
        return given.contains(name) && given.at(name) == value;
    };
    if (given.contains("epsilon")) {
        options.refuses_lengths = "--epsilon";
    } else if (is("softening", "plummer")) {
        options.refuses_lengths = "--softening plummer";
    } else if (given.contains("precision") && !is("precision", "double")) {
        options.refuses_lengths = "--precision " + given.at("precision");
    }
}

void validate(const GravityDriverOptions& options) {
    check_range("sigma", options.sigma, 1e-15, 1e3); // as make_points does
    check_range("tolerance", options.tolerance, 0, 1);
    options.direct.validate();
    if (options.method != GravityMethod::direct) {
        options.tree.validate();
    }
    options.runtime.validate();
}

/// \param option what asks for `n` points of so many numbers
void check_room_of(const std::string& option, std::size_t n, double numbers) {
    check_room(option + std::to_string(n), numbers * sizeof(double) * static_cast<double>(n));
}

} // namespace

double allowed_error(Precision precision) {
    constexpr double errors[]{1e-13, 1e-5, 1e-6};
    return errors[static_cast<int>(precision)];
}

const char* name_of(Precision precision) {
    constexpr const char* names[]{"double", "single", "mixed"};
    return names[static_cast<int>(precision)];
}

const char* name_of(Softening softening) {
    return softening == Softening::plummer ? "plummer" : "spline";
}

std::optional<GravityDriverOptions> parse_gravity_options(
    int argc,
    char** argv,
    const DriverText& driver,
    std::span<const std::string_view> lacking,
    int n_ranks
) {
    const std::span<const Section> all(sections);
    const auto given = read_command_line(argc, argv, driver, texts_of(all, lacking));
    if (!given) {
        return std::nullopt;
    }
    check_exclusive(*given, conflicts);
    GravityDriverOptions options;
    options.direct.result = options.tree.result = GravityResult::acceleration;
    set_options(all, *given, options);
    check_method(*given, options.method);
    check_ranks(*given, options.method, n_ranks);
    complete(*given, options);
    validate(options);
    for (const std::string name : {"input", "target-input", "output"}) {
        if (given->contains(name)) {
            check_point_file_name(given->at(name));
        }
    }
    check_files(*given, inputs, outputs);
    return options;
}

Bodies make_bodies(const GravityDriverOptions& options) {
    if (!options.input.empty()) {
        return read_bodies(options.input);
    }
    check_room_of("--n ", options.n, 7); // position, mass and acceleration
    Bodies bodies;
    bodies.x = make_points<3>(options.distribution, options.n, options.sigma, options.seed).x;
    bodies.mass.assign(options.n, 0.5);
    if (options.masses == Masses::random) {
        bodies.mass =
            make_strengths(options.n, StrengthSign::positive, StrengthType::real, options.seed).re;
    }
    for (double& mass : bodies.mass) {
        mass *= 2 / static_cast<double>(options.n);
    }
    return bodies;
}

void take_lengths(const Bodies& bodies, GravityDriverOptions& options) {
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
    for (GravityTreeOptions* each : {&options.direct, &options.tree}) {
        each->epsilon = 0;
        each->softening = Softening::splines;
        each->precision = Precision::double_precision;
    }
    static_cast<void>(largest_length(bodies.epsilon, "epsilon"));
    validate(options);
}

GravityProblem make_gravity_problem(const GravityDriverOptions& options) {
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

// SPDX-License-Identifier: BSD-3-Clause
#include "examples/gravity/gravity_options.hpp"

#include "core/error.hpp"
#include "core/io/point_file.hpp"
#include "examples/cli/cli_common.hpp"
#include "examples/cli/room.hpp"

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

constexpr Option file_options[]{
    {"input",
     "FILE",
     "bodies: .npy or .csv with columns x, y, z, m",
     [](auto& o, const auto& a) { o.input = a.file(); }},
    {"output",
     "FILE",
     "results in the bodies' order: .npy or .csv with columns ax, ay, az[, phi]",
     [](auto& o, const auto& a) { o.output = a.file(); }},
    json_option<GravityDriverOptions>,
    trace_option<GravityDriverOptions>,
};

constexpr Option method_options[]{
    {"epsilon",
     "E",
     "softening length, 0 or larger (default: 1e-3)",
     [](auto& o, const auto& a) { o.gravity.epsilon = a.number(); }},
    {"g",
     "G",
     "gravitational constant (default: 1)",
     [](auto& o, const auto& a) { o.gravity.g = a.number(); }},
    {"precision",
     "NAME",
     "double, single, or mixed: pairs in single, positions and sums beyond (default: double)",
     [](auto& o, const auto& a) {
         o.gravity.precision =
             static_cast<GravityPrecision>(a.choice({"double", "single", "mixed"}));
     }},
    {"potential",
     "WHETHER",
     "no, or yes: potentials too (default: no)",
     [](auto& o, const auto& a) {
         o.gravity.result = static_cast<GravityResult>(a.choice({"no", "yes"}));
     }},
    {"summation",
     "ORDER",
     "any, or fixed: the same bits in every run (default: any)",
     [](auto& o, const auto& a) {
         o.gravity.order = static_cast<SummationOrder>(a.choice({"any", "fixed"}));
     }},
    {"target-block",
     "B",
     "targets a task, or auto (default: auto)",
     [](auto& o, const auto& a) {
         o.gravity.target_block =
             static_cast<std::size_t>(a.integer_or_auto(1, std::numeric_limits<int>::max(), 0));
     }},
    {"source-block",
     "B",
     "sources a task, or auto (default: auto)",
     [](auto& o, const auto& a) {
         o.gravity.source_block =
             static_cast<std::size_t>(a.integer_or_auto(1, std::numeric_limits<int>::max(), 0));
     }},
};

constexpr Option run_options[]{
    cpus_option<GravityDriverOptions>,
    gpus_option<GravityDriverOptions>,
    scheduler_option<GravityDriverOptions>,
    {"team", "WHO", team_text, [](auto& o, const auto& a) { o.gravity.team = parse_team(a); }},
    repeat_option<GravityDriverOptions>,
    warmup_option<GravityDriverOptions>,
    check_option<GravityDriverOptions>(
        "compare with extended precision at K random bodies; exit 1 beyond --tol (default: 0)"
    ),
    {"tol",
     "T",
     "largest median relative error (default: 1e-13, mixed 1e-6, single 1e-5)",
     [](auto& o, const auto& a) { o.tolerance = a.number(); }},
    quiet_option<GravityDriverOptions>,
    heartbeat_option<GravityDriverOptions>,
};

constexpr Section sections[]{
    {"Bodies", body_options},
    {"Files", file_options},
    {"Method", method_options},
    {"Run", run_options}};

constexpr std::pair<const char*, const char*> conflicts[]{
    {"input", "n"},
    {"input", "distribution"},
    {"input", "masses"},
    {"model", "quiet"},
    {"model", "json"},
    {"model", "trace"},
    {"model", "output"}};
constexpr const char* inputs[]{"input"};
constexpr const char* outputs[]{"output", "json", "trace"};

void validate(const GravityDriverOptions& options) {
    check_range("sigma", options.sigma, 1e-15, 1e3); // as make_points does
    check_range("tolerance", options.tolerance, 0, 1);
    options.gravity.validate();
    options.runtime.validate();
}

} // namespace

double GravityDriverOptions::allowed_error() const {
    return tolerance > 0 ? tolerance : starfmm::allowed_error(gravity.precision);
}

double allowed_error(GravityPrecision precision) {
    switch (precision) {
    case GravityPrecision::single_precision:
        return 1e-5;
    case GravityPrecision::mixed_precision:
        return 1e-6;
    case GravityPrecision::double_precision:
        break;
    }
    return 1e-13;
}

const char* name_of(GravityPrecision precision) {
    switch (precision) {
    case GravityPrecision::single_precision:
        return "single";
    case GravityPrecision::mixed_precision:
        return "mixed";
    case GravityPrecision::double_precision:
        break;
    }
    return "double";
}

const char* name_of(Softening softening) {
    return softening == Softening::spline ? "spline" : "plummer";
}

std::optional<GravityDriverOptions> parse_gravity_options(
    int argc,
    char** argv,
    const DriverText& driver,
    const GravitySections& more,
    std::span<const std::string_view> lacking
) {
    const auto common = without<GravityDriverOptions>(sections, lacking);
    std::vector<Section> all = common.sections();
    all.insert(all.end(), more.begin(), more.end());
    const std::span<const Section> table(all);
    const auto given = read_command_line(argc, argv, driver, texts_of(table));
    if (!given) {
        return std::nullopt;
    }
    check_exclusive(*given, conflicts);
    GravityDriverOptions options;
    set_options(table, *given, options);
    validate(options);
    for (const std::string name : {"input", "output"}) {
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
    constexpr double numbers_a_body = 7; // position, mass and acceleration
    const auto n = static_cast<double>(options.n);
    check_room("--n " + std::to_string(options.n), numbers_a_body * sizeof(double) * n);
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

} // namespace starfmm

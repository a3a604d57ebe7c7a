// SPDX-License-Identifier: BSD-3-Clause
#include "examples/nearfield/near_options.hpp"

#include "core/error.hpp"
#include "examples/cli/cli_common.hpp"
#include "examples/cli/cli_parse.hpp"
#include "examples/cli/room.hpp"

#include <limits>
#include <span>
#include <utility>

namespace starfmm {

namespace {

using NearOption = OptionOf<NearOptions>;

constexpr NearOption near_options[]{
    {"dimension",
     "D",
     "2 or 3 (default: 2)",
     [](auto& o, const auto& a) { o.dimension = static_cast<int>(a.integer(2, 3)); }},
    {"height",
     "H",
     "of the tree: 2^H boxes a side (default: 7 in the plane, 4 in space)",
     [](auto& o, const auto& a) { o.height = static_cast<int>(a.integer(0, 12)); }},
    {"per-box",
     "P",
     "points in every box (default: 64)",
     [](auto& o, const auto& a) { o.per_box = a.integer(1, max_points); }},
    {"law",
     "NAME",
     "harmonic or log in the plane; gravity (accelerations, which are the gradient of laplace), "
     "laplace or laplace_gradient in space (default: the first)",
     [](auto& o, const auto& a) {
         static_cast<void>(a.choice({"harmonic", "log", "gravity", "laplace", "laplace_gradient"}));
         o.law = a.text;
     }},
    {"precision",
     "NAME",
     "double or single (default: single)",
     [](auto& o, const auto& a) {
         o.precision = static_cast<Precision>(a.choice({"double", "single"}));
     }},
    {"implementation",
     "NAME",
     "on GPUs: bpb: one box per block; improved: Newton's third law; auto: the faster one by the "
     "number of boxes (default: auto)",
     [](auto& o, const auto& a) {
         o.implementation = static_cast<PairScheme>(a.choice({"auto", "bpb", "improved"}));
     }},
    {"table",
     "NAME",
     "sl13: [SL13 Table III], 8 to 512 points a box, in place of --per-box and --implementation",
     [](auto& o, const auto& a) { o.table = a.choice({"sl13"}) == 0; }},
    {"groups",
     "K",
     "groups of boxes, a task each: 1, 4, 16 or 64, in space any number up to 64, or auto "
     "(default: auto)",
     [](auto& o, const auto& a) { o.groups = a.integer_or_auto(1, 64, 0); }},
    seed_option<NearOptions>("seed of points and strengths (default: 1)"),
    cpus_option<NearOptions>,
    gpus_option<NearOptions>,
    scheduler_option<NearOptions>,
    repeat_option<NearOptions>,
    warmup_option<NearOptions>,
    check_option<NearOptions>(
        "compare with the exact near field at K random points; exit 1 beyond --tol (default: 0)"
    ),
    {"tol",
     "T",
     "relative error that --check allows (default: 1e-3 single, 1e-11 double)",
     [](auto& o, const auto& a) { o.tolerance = a.number(); }},
    json_option<NearOptions>,
    trace_option<NearOptions>,
    quiet_option<NearOptions>,
    heartbeat_option<NearOptions>,
};

constexpr SectionOf<NearOptions> near_sections[]{{"Options", near_options}};

DriverText driver_text() {
    return {
        "nearfield",
        "Near fields of a uniform quadtree or octree: every point with those of its box and of the "
        "boxes that touch it.",
        {"--per-box 512 --check 100",
         "--dimension 3 --height 4 --law gravity --implementation improved",
         "--table sl13 --warmup 3 --repeat 20"}};
}

double usual_tolerance(Precision precision) {
    return precision == Precision::double_precision ? 1e-11 : 1e-3;
}

/// The table chooses these itself, and is itself the output.
constexpr std::pair<const char*, const char*> conflicts[]{
    {"table", "per-box"}, {"table", "implementation"}, {"table", "trace"}, {"table", "quiet"}};

void check(const NearOptions& options) {
    const bool is_plane = options.law_name() == "harmonic" || options.law_name() == "log";
    if (is_plane != (options.dimension == 2)) {
        throw InputError(
            "--law " + options.law_name() + ": is not of dimension " +
            std::to_string(options.dimension)
        );
    }
    check_range("height", options.tree_height(), 0, options.dimension == 2 ? 12 : 8);
    options.plan().validate(options.dimension);
    const std::size_t n_boxes = std::size_t(1) << (options.dimension * options.tree_height());
    if (options.per_box > max_points / n_boxes) {
        throw InputError(
            "--per-box " + std::to_string(options.per_box) +
            ": must be <= " + std::to_string(max_points / n_boxes) + " in " +
            std::to_string(n_boxes) + " boxes (indices are 32 bits)"
        );
    }
    const double numbers_a_point = options.dimension + 1;
    const auto n = static_cast<double>(n_boxes * options.per_box);
    check_room(
        "--per-box " + std::to_string(options.per_box), numbers_a_point * sizeof(double) * n
    );
    options.runtime.validate();
}

} // namespace

std::string NearOptions::law_name() const {
    return !law.empty() ? law : dimension == 2 ? "harmonic" : "gravity";
}

int NearOptions::tree_height() const {
    return height >= 0 ? height : dimension == 2 ? 7 : 4;
}

PlanOptions NearOptions::plan() const {
    PlanOptions plan{.method = Method::near_field, .levels = tree_height(), .groups = groups};
    plan.tolerance = usual_tolerance(precision);
    plan.pairs = implementation;
    return plan;
}

double NearOptions::relative_tolerance() const {
    return tolerance > 0 ? tolerance : usual_tolerance(precision);
}

std::optional<NearOptions> parse_near_options(int argc, char** argv) {
    const std::span<const SectionOf<NearOptions>> sections = near_sections;
    const auto given = read_command_line(argc, argv, driver_text(), texts_of(sections));
    if (!given) {
        return std::nullopt;
    }
    check_exclusive(*given, conflicts);
    NearOptions options;
    set_options(sections, *given, options);
    check(options);
    constexpr const char* outputs[]{"json", "trace"};
    check_files(*given, {}, outputs);
    return options;
}

} // namespace starfmm

// SPDX-License-Identifier: BSD-3-Clause
// Every option of the command line, of sums in the plane (D = 2) and in space (D = 3): its name,
// its help, what it changes. Part of cli.cpp.
#pragma once

#include "core/tree/domain.hpp"
#include "examples/cli/cli.hpp"
#include "examples/cli/cli_argument.hpp"
#include "examples/cli/cli_common.hpp"
#include "examples/cli/cli_parse.hpp"

#include <string_view>

namespace starfmm {

using Option = OptionOf<DriverOptions>;
using Section = SectionOf<DriverOptions>;

template <int D>
inline constexpr Naming naming = D == 2 ? Naming::plane : Naming::space;

template <int D>
inline constexpr std::string_view tree_name = D == 2 ? "quadtree" : "octree";

/// Number of groups: in the plane these are the boxes of a level.
template <int D>
int parse_groups(const Argument& argument) {
    if constexpr (D == 2) {
        constexpr int groups[]{0, 1, 4, 16, 64};
        return groups[argument.choice({"auto", "1", "4", "16", "64"})];
    } else {
        return static_cast<int>(argument.integer_or_auto(1, 64, 0));
    }
}

template <int D>
inline constexpr Option point_options[]{
    {"n",
     "N",
     "number of sources, also as 1e6 (default: 1e6)",
     [](auto& o, const auto& a) { o.n = a.integer(1, max_points); }},
    targets_option<DriverOptions>,
    {"distribution",
     "NAME",
     D == 2 ? "uniform, normal, layer, circle, plummer or lattice, in the unit square (default: "
              "uniform)"
            : "uniform, normal, layer, sphere, plummer or lattice, in the unit cube (default: "
              "uniform)",
     [](auto& o, const auto& a) { o.distribution = parse_distribution(a.text, naming<D>); }},
    sigma_option<DriverOptions>,
    seed_option<DriverOptions>("seed of points and strengths (default: 1)"),
    {"strengths",
     "TYPE",
     "real or complex (default: real)",
     [](auto& o, const auto& a) {
         o.strength_type = static_cast<StrengthType>(a.choice({"real", "complex"}));
     }},
    {"sign",
     "SIGN",
     "random: in [-1, 1); positive: in (0, 1] (default: random)",
     [](auto& o, const auto& a) {
         o.strength_sign = static_cast<StrengthSign>(a.choice({"random", "positive"}));
     }},
    {"rhs",
     "K",
     "right-hand sides: sets of strengths, in the input's columns q1 ... qK, or random ones; "
     "1 to 64 (default: 1)",
     [](auto& o, const auto& a) { o.right_hand_sides = a.integer(1, 64); }},
};

template <int D>
inline constexpr Option file_options[]{
    {"input",
     "FILE",
     D == 2 ? "sources: .npy or .csv with columns x, y, q or x, y, q_re, q_im; with --rhs K q1 ... "
              "qK or q1_re, q1_im ..."
            : "sources: .npy or .csv with columns x, y, z, q or x, y, z, q_re, q_im; with --rhs K "
              "q1 ... qK or q1_re, q1_im ...",
     [](auto& o, const auto& a) { o.input = a.file(); }},
    target_input_option<DriverOptions, D>,
    {"output",
     "FILE",
     D == 2
         ? "potentials in the targets' order: .npy or .csv"
         : "potentials in the targets' order: .npy or .csv; .vtp: with the targets, for ParaView",
     [](auto& o, const auto& a) { o.output = a.file(); }},
    json_option<DriverOptions>,
    trace_option<DriverOptions>,
    {"mesh",
     "FILE",
     D == 2 ? "SVG picture of boxes and interaction lists"
            : "SVG picture of boxes and interaction lists, a slice across z",
     [](auto& o, const auto& a) { o.mesh = a.file(); }},
};

template <int D>
inline constexpr Option method_options[]{
    {"kernel",
     "NAME",
     "harmonic2d: sum of q_j / (z_j - z_i); log2d: sum of q_j log|z_i - z_j| (default: harmonic2d)",
     [](auto& o, const auto& a) { o.kernel = a.text; }},
    {"gradient",
     nullptr,
     D == 2 ? "potentials and gradients, of log2d with real strengths"
            : "potentials and gradients, with real strengths",
     [](auto& o, const auto& /*a*/) { o.gradient = true; }},
    {"method",
     "NAME",
     "fmm: O(N); direct: O(N^2); auto: the faster (default: auto)",
     [](auto& o, const auto& a) {
         o.plan.method = static_cast<Method>(a.choice({"fmm", "direct", "auto"}));
     }},
    {"tree",
     "NAME",
     D == 2 ? "pyramid: boxes split at medians; quadtree: in the middle, while they hold more than "
              "--leaf-size points (default: pyramid)"
            : "octree, the tree of space: boxes split in the middle, while they hold more than "
              "--leaf-size points",
     [](auto& o, const auto& a) {
         o.plan.tree = static_cast<TreeKind>(a.choice({"pyramid", tree_name<D>}));
     }},
    {"precision",
     "NAME",
     D == 2 ? "double or single (default: double)"
            : "double, single, mixed: pairs in single, all else in double, or auto: mixed for "
              "tolerances from 1e-6 on, unless sums cancel (default: auto)",
     [](auto& o, const auto& a) {
         o.precision = static_cast<Precision>(
             D == 2 ? a.choice({"double", "single"})
                    : a.choice({"double", "single", "mixed", "auto"})
         );
     }},
    {"tol",
     "T",
     "relative error, in (0, 1) (default: 1e-6)",
     [](auto& o, const auto& a) { o.plan.tolerance = a.number(); }},
    {"order",
     "P",
     D == 2 ? "terms of expansions, 1 to 64, or auto: from --tol and --theta (default: auto)"
            : "number of degrees of expansions, 1 to 40, or auto: from --tol and --theta (default: "
              "auto)",
     [](auto& o, const auto& a) { o.plan.order = a.integer_or_auto(1, D == 2 ? 64 : 40, 0); }},
    {"theta",
     "T",
     D == 2 ? "separation of boxes, in (0, 1), or auto: 0.5 to 0.65 (default: auto)"
            : "separation of boxes, in (0, 1), or auto: 0.4 to 0.75 (default: auto)",
     [](auto& o, const auto& a) { o.plan.theta = a.positive_or_auto(-1); }},
    {"leaf-size",
     "N",
     D == 2 ? "sources wanted in a finest box of the pyramid, most sources and most targets of a "
              "quadtree's, at least 1 (default: automatic)"
            : "most sources and most targets of an octree's leaf, at least 1 (default: automatic)",
     [](auto& o, const auto& a) { o.plan.leaf_size = a.number_from(1); }},
    {"levels",
     "L",
     D == 2 ? "finest level, the root being 0, up to 15 (default: from --leaf-size)"
            : "of a pyramid, which is of the plane: an octree is as deep as --leaf-size makes it",
     [](auto& o, const auto& a) { o.plan.levels = static_cast<int>(a.integer(0, 15)); }},
    {"tune",
     "HOW",
     "what automatic choices rest on: auto: times measured here once, for large N; off: built in; "
     "again: measured anew (default: auto)",
     [](auto& o, const auto& a) {
         o.plan.tuning = static_cast<Tuning>(a.choice({"auto", "off", "again"}));
     }},
};

inline constexpr Option octree_options[]{
    {"roots",
     "M",
     "the cube of all points is M boxes of some level wide, 4 to 7, or auto (default: auto)",
     [](auto& o, const auto& a) { o.plan.roots = a.integer_or_auto(min_roots, max_roots, 0); }},
    {"plane-waves",
     "WHEN",
     "with --groups 1, translate between neighbouring cubes by plane waves: on; off; auto: of many "
     "boxes on GPUs alone (default: auto)",
     [](auto& o, const auto& a) {
         o.plan.plane_waves = static_cast<PlaneWaves>(a.choice({"auto", "on", "off"}));
     }},
};

template <int D>
inline constexpr Option run_options[]{
    cpus_option<DriverOptions>,
    gpus_option<DriverOptions>,
    opencl_option<DriverOptions>,
    scheduler_option<DriverOptions>,
    {"team", "WHO", team_text, [](auto& o, const auto& a) { o.plan.team = parse_team(a); }},
    {"groups",
     "K",
     D == 2 ? "groups of boxes, a task each: auto, 1, 4, 16 or 64 (default: auto)"
            : "groups of boxes, a task each: auto, or 1 to 64 (default: auto)",
     [](auto& o, const auto& a) { o.plan.groups = parse_groups<D>(a); }},
    {"chunks",
     "K",
     "parts that sources are cut into on their way to groups: auto, or 1 to 64 (default: auto)",
     [](auto& o, const auto& a) { o.plan.chunks = a.integer_or_auto(1, 64, 0); }},
    repeat_option<DriverOptions>,
    warmup_option<DriverOptions>,
    check_option<DriverOptions>(
        "compare with the direct sum at K random targets; exit 1 beyond --tol (default: 0)"
    ),
    quiet_option<DriverOptions>,
    heartbeat_option<DriverOptions>,
};

inline constexpr Section sections_in_plane[]{
    {"Points", point_options<2>},
    {"Files", file_options<2>},
    {"Method", method_options<2>},
    {"Run", run_options<2>}};

inline constexpr Section sections_in_space[]{
    {"Points", point_options<3>},
    {"Files", file_options<3>},
    {"Method", method_options<3>},
    {"Octree", octree_options},
    {"Run", run_options<3>}};

} // namespace starfmm

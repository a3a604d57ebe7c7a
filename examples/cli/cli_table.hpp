// SPDX-License-Identifier: BSD-3-Clause
// Every option of the command line: its name, its help, what it changes. Part of cli.cpp.
#pragma once

#include "examples/cli/cli.hpp"
#include "examples/cli/cli_argument.hpp"
#include "examples/cli/cli_common.hpp"
#include "examples/cli/cli_parse.hpp"

#include <cstdint>
#include <limits>

namespace starfmm {

using Option = OptionOf<DriverOptions>;
using Section = SectionOf<DriverOptions>;

inline constexpr Option point_options[]{
    {"n",
     "N",
     "number of sources, also as 1e6 (default: 1e6)",
     [](auto& o, const auto& a) { o.n = a.integer(1, max_points); }},
    {"targets",
     "M",
     "number of targets; 0: the sources (default: 0)",
     [](auto& o, const auto& a) { o.targets = a.integer(0, max_points); }},
    {"distribution",
     "NAME",
     "uniform, normal, layer, circle, plummer or lattice, in the unit square (default: uniform)",
     [](auto& o, const auto& a) { o.distribution = parse_distribution(a.text); }},
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

inline constexpr Option file_options[]{
    {"input",
     "FILE",
     "sources: .npy or .csv with columns x, y, q or x, y, q_re, q_im; with --rhs K q1 ... qK or "
     "q1_re, "
     "q1_im ...",
     [](auto& o, const auto& a) { o.input = a.file(); }},
    {"target-input",
     "FILE",
     "targets: .npy or .csv with columns x, y",
     [](auto& o, const auto& a) { o.target_input = a.file(); }},
    {"output",
     "FILE",
     "potentials in the targets' order: .npy or .csv",
     [](auto& o, const auto& a) { o.output = a.file(); }},
    json_option<DriverOptions>,
    trace_option<DriverOptions>,
    {"mesh",
     "FILE",
     "SVG picture of boxes and interaction lists",
     [](auto& o, const auto& a) { o.mesh = a.file(); }},
};

inline constexpr Option method_options[]{
    {"kernel",
     "NAME",
     "harmonic: sum of q_j / (z_j - z_i); log: sum of q_j log|z_i - z_j| (default: harmonic)",
     [](auto& o, const auto& a) {
         o.kernel = static_cast<KernelKind>(a.choice({"harmonic", "log"}));
     }},
    {"gradient",
     nullptr,
     "potentials and gradients, of the log kernel with real strengths",
     [](auto& o, const auto& /*a*/) { o.gradient = true; }},
    {"method",
     "NAME",
     "fmm: O(N); direct: O(N^2); auto: the faster (default: auto)",
     [](auto& o, const auto& a) {
         o.plan.method = static_cast<Method>(a.choice({"fmm", "direct", "auto"}));
     }},
    {"tree",
     "NAME",
     "pyramid: boxes split at medians; quadtree: in the middle, while they hold more than "
     "--ndirect "
     "points (default: pyramid)",
     [](auto& o, const auto& a) {
         o.plan.tree = static_cast<TreeKind>(a.choice({"pyramid", "quadtree"}));
     }},
    {"precision",
     "NAME",
     "double or single (default: double)",
     [](auto& o, const auto& a) {
         o.precision = static_cast<Precision>(a.choice({"double", "single"}));
     }},
    {"tol",
     "T",
     "relative error, in (0, 1) (default: 1e-6)",
     [](auto& o, const auto& a) { o.plan.tolerance = a.number(); }},
    {"order",
     "P",
     "terms of expansions, 1 to 64, or auto: from --tol and --theta (default: auto)",
     [](auto& o, const auto& a) { o.plan.order = a.integer_or_auto(1, 64, 0); }},
    {"theta",
     "T",
     "separation of boxes, in (0, 1), or auto: 0.5 to 0.65 (default: auto)",
     [](auto& o, const auto& a) { o.plan.theta = a.positive_or_auto(-1); }},
    {"ndirect",
     "ND",
     "sources wanted in a finest box of the pyramid, most sources and most targets of a "
     "quadtree's, "
     "at least 1 (default: automatic)",
     [](auto& o, const auto& a) { o.plan.leaf_size = a.number_from(1); }},
    {"levels",
     "L",
     "finest level, the root being 0, up to 15 (default: from --ndirect)",
     [](auto& o, const auto& a) { o.plan.levels = static_cast<int>(a.integer(0, 15)); }},
    {"tune",
     "HOW",
     "what automatic choices rest on: auto: times measured here once, for large N; off: built in; "
     "again: measured anew (default: auto)",
     [](auto& o, const auto& a) {
         o.plan.tuning = static_cast<Tuning>(a.choice({"auto", "off", "again"}));
     }},
};

inline constexpr Option run_options[]{
    cpus_option<DriverOptions>,
    gpus_option<DriverOptions>,
    scheduler_option<DriverOptions>,
    {"groups",
     "K",
     "groups of boxes, a task each: auto, 1, 4, 16 or 64 (default: auto)",
     [](auto& o, const auto& a) {
         constexpr int groups[]{0, 1, 4, 16, 64};
         o.plan.groups = groups[a.choice({"auto", "1", "4", "16", "64"})];
     }},
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

inline constexpr Section sections[]{
    {"Points", point_options},
    {"Files", file_options},
    {"Method", method_options},
    {"Run", run_options}};

} // namespace starfmm

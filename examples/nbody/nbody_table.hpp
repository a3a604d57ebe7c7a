// SPDX-License-Identifier: BSD-3-Clause
// Every option of the N-body driver. Part of nbody_options.cpp.
#pragma once

#include "examples/cli/cli_argument.hpp"
#include "examples/cli/cli_common.hpp"
#include "examples/cli/cli_parse.hpp"
#include "examples/nbody/nbody_options.hpp"

#include <cstdint>
#include <limits>

namespace starfmm {

using NbodyOption = OptionOf<NbodyOptions>;

inline constexpr std::uint64_t most_steps = std::uint64_t{1} << 53U; // exact as a number

inline constexpr NbodyOption model_options[]{
    {"n",
     "N",
     "number of bodies, also as 1e4 (default: 1e4)",
     [](auto& o, const auto& a) { o.n = a.integer(1, max_points); }},
    {"ic",
     "NAME",
     "plummer: a star cluster in equilibrium; galaxies: two of them meeting (default: plummer)",
     [](auto& o, const auto& a) {
         o.initial_conditions = static_cast<InitialConditions>(a.choice({"plummer", "galaxies"}));
     }},
    {"mass-ratio",
     "Q",
     "galaxies: second mass over the first, which is 1 (default: 1)",
     [](auto& o, const auto& a) { o.encounter.mass_ratio = a.number(); }},
    {"separation",
     "D",
     "galaxies: distance at the start (default: 8)",
     [](auto& o, const auto& a) { o.encounter.separation = a.number(); }},
    {"pericentre",
     "P",
     "galaxies: closest approach of the parabola they start on (default: 1)",
     [](auto& o, const auto& a) { o.encounter.pericentre = a.number(); }},
    seed_option<NbodyOptions>("seed of the bodies (default: 1)"),
    {"input",
     "FILE",
     "start a new run from the bodies of a Gadget snapshot in HDF5",
     [](auto& o, const auto& a) { o.input = a.file(); }},
    {"open",
     nullptr,
     "take the input's bodies and numbers as they are, in open space, though its header says that "
     "they are of a periodic box, or expand",
     [](auto& o, const auto& /*a*/) { o.space = Space::open; }},
    {"restart",
     "FILE",
     "go on from a snapshot of this driver, with the parameters it was made with",
     [](auto& o, const auto& a) { o.restart = a.file(); }},
};

inline constexpr NbodyOption integration_options[]{
    {"steps",
     "K",
     "step to end at, counted from the very start (default: 1000; of the snapshot restarted from)",
     [](auto& o, const auto& a) {
         o.run.steps = a.integer(0, most_steps);
         o.has_steps = true;
     }},
    {"dt",
     "T",
     "length of a step (default: 1/128)",
     [](auto& o, const auto& a) { o.run.time_step = a.positive(); }},
    {"epsilon",
     "E",
     "softening length (default: 0.05)",
     [](auto& o, const auto& a) { o.run.epsilon = a.number_from(0); }},
    {"softening",
     "LAW",
     "plummer, or of --method tree spline: Newton's beyond 2.8 epsilon (default: plummer)",
     [](auto& o, const auto& a) {
         o.run.softening = static_cast<Softening>(a.choice({"plummer", "spline"}));
     }},
    {"g",
     "G",
     "gravitational constant (default: 1)",
     [](auto& o, const auto& a) { o.run.g = a.positive(); }},
    {"precision",
     "NAME",
     "of pairs: double, single or mixed: sums in double (default: double)",
     [](auto& o, const auto& a) {
         o.run.precision = static_cast<Precision>(a.choice({"double", "single", "mixed"}));
     }},
    {"method",
     "NAME",
     "direct: all pairs; fmm: O(N), needs --epsilon 0; auto: the faster of these, direct where "
     "there is softening; tree: O(N), softened (default: direct)",
     [](auto& o, const auto& a) {
         constexpr int tree = 3;
         const int method = a.choice({"fmm", "direct", "auto", "tree"});
         o.run.sums.method = method == tree ? Method::fmm : static_cast<Method>(method);
         o.run.far_field = method == tree ? FarField::taylor : FarField::harmonics;
     }},
    {"own-error",
     "E",
     "of --method tree: most that a pair of boxes leaves out of a body's acceleration, relative to "
     "what attracted it a step before, larger than 0 and less than 1 (default: by theta alone)",
     [](auto& o, const auto& a) { o.run.own_error = a.positive(); }},
    {"tol",
     "T",
     "relative error of sums by fmm (default: 1e-6, single 1e-5), whose checked accelerations may "
     "have 30 times it; median one of accelerations by tree (default: 1e-3); of direct ones the "
     "largest that --check allows (default: 1e-13, mixed "
     "1e-6, single 1e-5)",
     [](auto& o, const auto& a) { o.tolerance = a.positive(); }},
};

inline constexpr NbodyOption output_options[]{
    {"snapshot",
     "FILE",
     "HDF5 snapshot after the last step; %d or %06d in its name is the step",
     [](auto& o, const auto& a) { o.snapshot.file = a.file(); }},
    {"snapshot-every",
     "K",
     "also at the start and after every K steps; a name without %d is replaced (default: 0: not)",
     [](auto& o, const auto& a) { o.snapshot.every = a.integer(0, most_steps); }},
    {"picture",
     "FILE",
     "PNG of the bodies after the last step, named like snapshots",
     [](auto& o, const auto& a) { o.picture.file = a.file(); }},
    {"picture-every",
     "K",
     "also at the start and after every K steps (default: 0: not)",
     [](auto& o, const auto& a) { o.picture.every = a.integer(0, most_steps); }},
    {"picture-width",
     "W",
     "side of the square shown, about the origin; 0: fitting each picture (default: 0)",
     [](auto& o, const auto& a) { o.picture_width = a.number_from(0); }},
    {"picture-pixels",
     "P",
     "pixels along a side, 16 to 16384 (default: 800)",
     [](auto& o, const auto& a) { o.picture_pixels = static_cast<int>(a.integer(16, 16384)); }},
    {"log",
     "FILE",
     "CSV of energies and drifts; a restart goes on with it",
     [](auto& o, const auto& a) { o.log.file = a.file(); }},
    {"log-every",
     "K",
     "steps from one line, and look at the drift, to the next (default: 1)",
     [](auto& o, const auto& a) { o.log.every = a.integer(1, most_steps); }},
    json_option<NbodyOptions>,
    trace_option<NbodyOptions>,
};

inline constexpr NbodyOption nbody_run_options[]{
    cpus_option<NbodyOptions>,
    gpus_option<NbodyOptions>,
    scheduler_option<NbodyOptions>,
    check_option<NbodyOptions>(
        "compare the last accelerations of K random bodies with exact ones; exit 1 if their median "
        "error is beyond --tol (default: 0)"
    ),
    {"max-drift",
     "D",
     "exit 1 if the energy drifts further, relative to its start (default: any drift is fine)",
     [](auto& o, const auto& a) { o.max_drift = a.positive(); }},
    quiet_option<NbodyOptions>,
    heartbeat_option<NbodyOptions>,
};

inline constexpr SectionOf<NbodyOptions> nbody_sections[]{
    {"Bodies", model_options},
    {"Integration", integration_options},
    {"Output", output_options},
    {"Run", nbody_run_options}};

} // namespace starfmm

// SPDX-License-Identifier: BSD-3-Clause
// Every option of the drivers, but for those of runs of bodies alone.
#include "core/tree/domain.hpp"
#include "examples/cli/cli.hpp"
#include "examples/cli/option_names.hpp"
#include "schedulers/trace/trace.hpp"

#include <limits>

namespace starfmm {

namespace {

using O = DriverOptions;
using A = const Argument&;
using Option = OptionOf<O>;

constexpr int max_repeats = 1'000'000;
constexpr std::size_t max_block = std::numeric_limits<int>::max();
constexpr std::size_t no_block = 0;
constexpr unsigned P = drivers::plane;
constexpr unsigned S = drivers::space;
constexpr unsigned N = drivers::near;
constexpr unsigned G = drivers::gravity;
constexpr unsigned B = drivers::nbody;
constexpr unsigned all = P | S | N | G | B;

// A row is who has an option, its name, what it changes, and its help.
// clang-format off
constexpr Option point_options[]{
    {P | S | G | B, "n N", [](O& o, A a) { o.n = a.integer(1, max_points); },
     "number of sources or bodies, also as 1e6 (default: 1e6, gravity 65536, nbody 1e4)"},
    {N, "dimension D", [](O& o, A a) { o.dimension = a.integer<int>(2, 3); },
     "2 or 3 (default: 2)"},
    {N, "height H", [](O& o, A a) { o.plan.levels = a.integer<int>(0, 12); },
     "of the tree: 2^H boxes a side (default: 7 in the plane, 4 in space)"},
    {N, "per-box P", [](O& o, A a) { o.per_box = a.integer(1, max_points); },
     "points in every box (default: 64)"},
    {P | S | G, "targets M", [](O& o, A a) { o.targets = a.integer(0, max_points); },
     "number of targets; 0: the sources (default: 0)"},
    {P | S | G, "distribution NAME",
     [](O& o, A a) { o.distribution = parse_distribution(a.text, o.naming()); },
     "uniform, normal, layer, circle (of laplace3d sphere), plummer or lattice, in the unit square "
     "or cube (default: uniform, gravity plummer)"},
    {P | S | G, "sigma S", [](O& o, A a) { o.sigma = a.number(); },
     "width of normal, layer and plummer (default: 0.1)"},
    {all, "seed S",
     [](O& o, A a) { o.seed = a.integer(0, std::numeric_limits<std::uint64_t>::max()); },
     "seed of what is random: positions, strengths, masses (default: 1)"},
    {G, "masses KIND", [](O& o, A a) { o.has_random_masses = a.choice({"equal", "random"}) == 1; },
     "equal, or random in (0, 2 / N]; their mean is 1 / N (default: equal)"},
    {P | S, "strengths TYPE",
     [](O& o, A a) { o.strength_type = a.choice<StrengthType>(strength_names); },
     "real or complex (default: real)"},
    {P | S, "sign SIGN",
     [](O& o, A a) { o.strength_sign = a.choice<StrengthSign>(sign_names); },
     "random: in [-1, 1); positive: in (0, 1] (default: random)"},
    {P | S, "rhs K", [](O& o, A a) { o.right_hand_sides = a.integer(1, 64); },
     "right-hand sides: sets of strengths, in the input's columns q1 ... qK, or random ones; 1 to "
     "64 (default: 1)"}};

constexpr Option file_options[]{
    {P | S, "input FILE", [](O& o, A a) { o.input = a.file(); },
     "sources: .npy or .csv with columns x, y, in space z, and q or q_re, q_im; with --rhs K q1 ... "
     "qK or q1_re, q1_im ..."},
    {G, "input FILE", [](O& o, A a) { o.input = a.file(); },
     "bodies: .npy or .csv with columns x, y, z, m[, epsilon]: then each has a length of its own, "
     "softened as by --softening spline in double precision"},
    {P | S | G, "target-input FILE", [](O& o, A a) { o.target_input = a.file(); },
     "targets: .npy or .csv with columns x, y, in space x, y, z"},
    {P | S, "output FILE", [](O& o, A a) { o.output = a.file(); },
     "potentials in the targets' order: .npy or .csv; in space .vtp: with the targets, for "
     "ParaView"},
    {G, "output FILE", [](O& o, A a) { o.output = a.file(); },
     "results in the order of the bodies, or of the targets: .npy or .csv with columns ax, ay, "
     "az[, phi]"},
    {all, "json FILE", [](O& o, A a) { o.json = a.file(); }, "one record of the run"},
    {all, "trace FILE",
     [](O& o, A a) { check_trace_file_name(a.name, o.trace = a.file()); },
     "what ran where and when, and why workers waited: .html, .txt or, for Perfetto and "
     "starfmm-trace, .json"},
    {P | S, "mesh FILE", [](O& o, A a) { o.mesh = a.file(); },
     "SVG picture of boxes and interaction lists, in space a slice across z"}};

constexpr Option method_options[]{
    {P | N, "kernel NAME", [](O& o, A a) { o.kernel = a.text; },
     "harmonic2d: sum of q_j / (z_j - z_i); log2d: sum of q_j log|z_i - z_j|; of nearfield in space "
     "laplace3d (default: the first of the dimension)"},
    {P | S | N, "gradient", [](O& o, A /*a*/) { o.gradient = true; },
     "potentials and gradients, with real strengths, of log2d and laplace3d"},
    {P | S, "method NAME",
     [](O& o, A a) { o.plan.method = a.choice<Method>(std::span(method_names).first(3)); },
     "fmm: O(N); direct: O(N^2); auto: the faster (default: auto)"},
    {G, "method NAME",
     [](O& o, A a) {
         constexpr Method methods[]{
             Method::direct, Method::fmm, Method::automatic, Method::automatic};
         o.plan.method = methods[a.choice({"direct", "tree", "automatic", "auto"})];
     },
     "direct: all pairs; tree: O(N), by an octree and Cartesian Taylor expansions; automatic, or "
     "auto: direct below 2048 bodies or where no tree keeps --tol, else tree (default: direct)"},
    {G | B, "epsilon E", [](O& o, A a) { o.epsilon = a.number_from(0); },
     "softening length, 0 or larger (default: 1e-3, nbody 0.05)"},
    {G | B, "softening LAW",
     [](O& o, A a) { o.softening = a.choice<Softening>(std::span(softening_names).first(2)); },
     "plummer, or of --method tree spline: Newton's beyond 2.8 epsilon (default: plummer)"},
    {G | B, "g G", [](O& o, A a) { o.g = o.driver == B ? a.positive() : a.number(); },
     "gravitational constant (default: 1)"},
    {G, "potential WHETHER", [](O& o, A a) { o.potential = a.choice({"no", "yes"}) == 1; },
     "no, or yes: potentials too (default: no; of --method tree and automatic yes)"},
    {P | N, "precision NAME",
     [](O& o, A a) { o.precision = a.choice<Precision>(std::span(precision_names).first(2)); },
     "double or single (default: double, nearfield single)"},
    {S, "precision NAME",
     [](O& o, A a) { o.precision = a.choice<Precision>(precision_names); },
     "double, single, mixed: pairs in single, all else in double, or auto: mixed for tolerances "
     "from 1e-6 on, unless sums cancel (default: auto)"},
    {G | B, "precision NAME",
     [](O& o, A a) { o.precision = a.choice<Precision>(std::span(precision_names).first(3)); },
     "double, single, or mixed: pairs in single, positions and sums beyond; gravity has a finer one "
     "where it does not keep --tol (default: double, of gravity by trees the fastest that keeps it)"},
    {P | S, "tol T", [](O& o, A a) { o.plan.tolerance = a.number(); },
     "relative error, in (0, 1) (default: 1e-6)"},
    {N, "tol T", [](O& o, A a) { o.plan.tolerance = a.positive(); },
     "relative error that --check allows (default: 1e-3 single, 1e-11 double)"},
    {G, "tol T", [](O& o, A a) { o.plan.tolerance = a.positive(); },
     "median relative error of accelerations that trees keep, and that --check allows (default: "
     "1e-13, mixed 2e-6, single 1e-5; of trees 2.6e-3)"},
    {B, "tol T", [](O& o, A a) { o.plan.tolerance = a.positive(); },
     "relative error of sums by fmm (default: 1e-6, single 1e-5), whose checked accelerations may "
     "have 30 times it; median one of accelerations by tree (default: 1e-3); of direct ones the "
     "largest that --check allows (default: 1e-13, mixed 2e-6, single 1e-5)"},
    {G, "tol99 T", [](O& o, A a) { o.tolerance99 = a.positive(); },
     "error that 99 of 100 bodies keep by a tree, besides --tol (default: 1: any)"},
    {N, "implementation NAME", [](O& o, A a) { o.plan.pairs = a.choice<PairScheme>(pair_names); },
     "on GPUs: bpb: one box per block; improved: Newton's third law; auto: the faster one by the "
     "number of boxes (default: auto)"}};

constexpr Option tree_options[]{
    {P | S, "tree NAME",
     [](O& o, A a) {
         o.plan.tree =
             a.choice<TreeKind>({"pyramid", o.dimension == 2 ? "quadtree" : "octree"});
     },
     "pyramid: boxes split at medians; quadtree, the tree of space octree: in the middle, while "
     "they hold more than --leaf-size points (default: pyramid, in space octree)"},
    {P | S | G, "order P",
     [](O& o, A a) {
         const int most = o.driver == G ? 8 : o.driver == S ? 40 : 64;
         o.plan.order = a.integer_or_auto(1, most, 0);
     },
     "terms of expansions, 1 to 64, in space number of degrees, 1 to 40, of gravity order, 1 to 8, "
     "or auto: from --tol and --theta (default: auto)"},
    {P | S | G, "theta T", [](O& o, A a) { o.plan.theta = a.positive_or_auto(-1); },
     "separation of boxes, in (0, 1), or auto: by tolerances and predicted times (default: auto)"},
    {G, "heavy-theta T", [](O& o, A a) { o.plan.heavy_theta = a.positive(); },
     "that of a box of all bodies: a share m of them has T m^(-1/(order + 2)), up to theta "
     "(default: by the tolerances; with theta or order: theta for all)"},
    {G | B, "own-error E", [](O& o, A a) { o.own_error = a.positive(); },
     "most that a pair of boxes leaves out of a body's acceleration, relative to what attracts it "
     "by a sum before, larger than 0 and less than 1 (default: by theta alone where masses are "
     "alike)"},
    {P | S | G, "leaf-size N", [](O& o, A a) { o.plan.leaf_size = a.number_from(1); },
     "most sources and most targets of a leaf, of a pyramid sources wanted in a finest box, at "
     "least 1 (default: automatic)"},
    {P | S, "levels L", [](O& o, A a) { o.plan.levels = a.integer<int>(0, 15); },
     "finest level of a pyramid, the root being 0, up to 15 (default: from --leaf-size)"},
    {G, "lists WHO",
     [](O& o, A a) { o.plan.lists = a.choice<Team>(std::span(team_names).first(3)); },
     "with GPUs and cores: gpus or cores find the interaction lists, cores while GPUs sum by those "
     "there are, or auto (default: auto: gpus)"},
    {S, "roots M", [](O& o, A a) { o.plan.roots = a.integer_or_auto(min_roots, max_roots, 0); },
     "the cube of all points is M boxes of some level wide, 4 to 7, or auto (default: auto)"},
    {S, "plane-waves WHEN",
     [](O& o, A a) { o.plan.plane_waves = a.choice<PlaneWaves>({"auto", "on", "off"}); },
     "translate between neighbouring cubes by plane waves: on, by GPUs; off; auto: of many boxes on "
     "GPUs alone (default: auto)"},
    {P | S, "tune HOW",
     [](O& o, A a) { o.plan.tuning = a.choice<Tuning>({"auto", "off", "again"}); },
     "what automatic choices rest on: auto: times measured here once, for large N; off: built in; "
     "again: measured anew (default: auto)"}};

/// Options of sums of all pairs.
constexpr Option direct_options[]{
    {G, "summation ORDER",
     [](O& o, A a) { o.plan.direct.order = a.choice<SummationOrder>(summation_names); },
     "any, or fixed: the same bits in every run (default: any)"},
    {G, "target-block B",
     [](O& o, A a) { o.plan.direct.target_block = a.integer_or_auto(1, max_block, no_block); },
     "targets a task, or auto (default: auto)"},
    {G, "source-block B",
     [](O& o, A a) { o.plan.direct.source_block = a.integer_or_auto(1, max_block, no_block); },
     "sources a task, or auto (default: auto)"},
    {G, "pattern NAME",
     [](O& o, A a) { o.exchanges_by_doubling = a.choice({"ring", "doubling"}) == 1; },
     "under mpirun, how ranks exchange bodies: ring, or doubling (default: ring)"}};

constexpr Option run_options[]{
    {all, "cpus C", [](O& o, A a) { o.runtime.cpus = a.integer_or_auto(0, 1024, -1); },
     "CPU workers, or auto: STARPU_NCPU, else every core that this process may use, none beside a "
     "GPU (default: auto)"},
    {all, "gpus G", [](O& o, A a) { o.runtime.gpus = a.integer_or_auto(0, 64, -1); },
     "GPU workers, or auto: STARPU_NCUDA, else all (default: auto)"},
    {P | S | G, "opencl N", [](O& o, A a) { o.runtime.opencl = a.integer<int>(0, 8); },
     "OpenCL workers for P2P, direct sums and M2L of gravity, beside cores alone; devices that are "
     "CPUs count if STARPU_OPENCL_ON_CPUS is 1 (default: 0)"},
    {all, "scheduler NAME", [](O& o, A a) { o.runtime.scheduler = a.text; },
     "scheduling policy: starfmm, or one of StarPU's (default: STARPU_SCHED, else by the workers)"},
    {P | S | G, "team WHO",
     [](O& o, A a) { o.plan.team = a.choice<Team>(team_names); },
     "with GPUs and cores: gpus, cores or all make the sum, or auto: who is predicted to end first "
     "(default: auto)"},
    {P, "groups K",
     [](O& o, A a) {
         constexpr int groups[]{0, 1, 4, 16, 64};
         o.plan.groups = groups[a.choice({"auto", "1", "4", "16", "64"})];
     },
     "groups of boxes, a task each: auto, 1, 4, 16 or 64 (default: auto)"},
    {S | N | G, "groups K", [](O& o, A a) { o.plan.groups = a.integer_or_auto(1, 64, 0); },
     "groups of boxes, a task each: auto, or 1 to 64, in the plane 1, 4, 16 or 64 (default: "
     "auto)"},
    {P | S, "chunks K", [](O& o, A a) { o.plan.chunks = a.integer_or_auto(1, 64, 0); },
     "parts that sources are cut into on their way to groups: auto, or 1 to 64 (default: auto)"},
    {P | S | N | G, "repeat R", [](O& o, A a) { o.repeat = a.integer<int>(1, max_repeats); },
     "timed evaluations (default: 1)"},
    {P | S | N | G, "warmup W", [](O& o, A a) { o.warmup = a.integer<int>(0, max_repeats); },
     "evaluations before them, not timed (default: 0)"},
    {all, "check K", [](O& o, A a) { o.check = a.integer(0, max_points); },
     "compare with exact sums at K random targets; exit 1 beyond --tol (default: 0)"},
    {all, "quiet", [](O& o, A /*a*/) { o.telling.quiet = true; },
     "print errors and failed checks only"},
    {all, "heartbeat S", [](O& o, A a) { o.telling.heartbeat_s = a.number_from(0); },
     "where the output is no terminal, say every S seconds on standard error what is being done; "
     "0: never (default: 60)"}};
// clang-format on

constexpr SectionOf<O> sections[]{
    {"Points", point_options},
    {"Files", file_options},
    {"Method", method_options},
    {"Tree", tree_options},
    {"Direct sums", direct_options},
    {"Run", run_options}};

} // namespace

std::span<const SectionOf<DriverOptions>> option_table() {
    return sections;
}

} // namespace starfmm

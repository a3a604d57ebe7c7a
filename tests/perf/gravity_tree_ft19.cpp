// SPDX-License-Identifier: BSD-3-Clause
// This benchmark repeats the measurements of [FT19], with today's numbers beside those that its
// text states; figures that are only drawn are not guessed. It computes forces and potentials of
// 1e7 or --n bodies of Plummer's model in single precision, with theta 0.6 and falcON's order 3.
// Lists are made on cores while GPUs sum, by one core and group and by all of them (Fig 7); further
// rows are cores alone, GPUs alone (Fig 8), and rates of P2P (Fig 6).
#include "examples/cli/report.hpp"
#include "examples/gravity/gravity_driver.hpp"
#include "schedulers/runtime/machine.hpp"
#include "schedulers/trace/numbers.hpp"
#include "tests/perf/gravity/tree_steps.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace {

using starfmm::DriverOptions;
using starfmm::Problem;
using starfmm::Team;

/// Seconds that the text of section 5.1 states of Fig 7.
struct PaperRow {
    const char* machine; ///< null: no figure
    double interaction;  ///< traversal and sums, "final DTT times"
    double unhidden;     ///< part of these without sums, 25 % on either
};

struct Setting {
    double leaf_size; ///< 0: theta, order and leaf size by the default tolerance
    PaperRow paper;
};

/// Leaf sizes of sections 4.3 and 5.1, and those that are best today.
constexpr std::array<Setting, 5> settings{
    {{32, {"Intel P6300, 4 cores", 0.62, 0.16}},
     {48, {"AMD APU, 2 cores", 0.87, 0.22}},
     {64, {}},
     {128, {}},
     {0, {}}}};

enum class Kind { cores, serial, overlapped, gpus };

struct Way {
    Kind kind;
    const char* name;
    int cpus;
    int gpus;
    Team lists = Team::automatic;
    int groups = 0;
};

struct Row {
    Kind kind;
    const char* name;
    starfmm::RunReport report;
    starfmm::TreeStepTimes times;
};

using Rows = std::vector<Row>;

Row row_of(const DriverOptions& options, const Way& way, const Problem& problem) {
    std::vector<starfmm::Potentials> out;
    Row row{way.kind, way.name, starfmm::run_gravity(options, problem, out), {}};
    row.times = starfmm::tree_step_times(options, bodies_of(problem));
    return row;
}

/// Rate of P2P by one worker.
double pairs_per_second(const Row& row) {
    const auto& phases = row.report.phases;
    const auto p2p = std::ranges::find(phases, "p2p", &starfmm::Phase::name);
    return p2p == phases.end() ? 0 : p2p->work / p2p->time_s;
}

/// Returns the ways to divide the work among cores and GPUs.
/// \param asked numbers of workers on the command line
std::vector<Way> ways_of(const starfmm::RuntimeOptions& asked) {
    const int gpus = asked.gpus < 0 ? starfmm::available_gpus() : asked.gpus;
    const int beside = std::max(1, starfmm::default_cores() - gpus); // a GPU's driver takes one
    const int cpus = asked.cpus < 0 && gpus > 0 ? beside : asked.cpus;
    std::vector<Way> ways;
    if (cpus != 0 || gpus == 0) { // neither is refused by the runtime
        ways.push_back({Kind::cores, "cores", asked.cpus, 0});
    }
    if (cpus != 0 && gpus > 0) {
        ways.push_back({Kind::serial, "a core, then GPU", 1, gpus, Team::cores, 1});
        ways.push_back({Kind::overlapped, "cores beside GPU", cpus, gpus, Team::cores, 64});
    }
    if (gpus > 0) {
        ways.push_back({Kind::gpus, "GPU", 0, gpus});
    }
    return ways;
}

DriverOptions options_of(const DriverOptions& asked, const Setting& setting, const Way& way) {
    DriverOptions options = asked;
    options.plan.method = starfmm::Method::fmm;
    options.precision = starfmm::Precision::single_precision;
    options.runtime.cpus = way.cpus;
    options.runtime.gpus = way.gpus;
    starfmm::PlanOptions& plan = options.plan;
    if (setting.leaf_size > 0) {
        plan.leaf_size = setting.leaf_size;
        plan.theta = 0.6;
        plan.order = 3; // 20 terms
    }
    plan.lists = way.lists;
    plan.groups = way.groups;
    options.warmup = 2;
    return options;
}

void print_header(const starfmm::PlanInfo& plan) {
    std::printf(
        "\nleaf size %u, theta %.3g, order %d\n%-28s", plan.leaf_size, plan.theta, plan.order, ""
    );
    for (const char* const name : starfmm::tree_step_names) {
        std::printf(" %10s", name);
    }
    std::printf(
        " %11s %10s %6s %10s %10s %10s\n",
        "interaction",
        "not hidden",
        "share",
        "of shorter",
        "both steps",
        "total"
    );
}

void print_paper(const PaperRow& row) {
    std::printf("[FT19] %-21s %54s", row.machine, "drawn, not stated");
    std::printf(" %11.2f %10.2f %6s\n", row.interaction, row.unhidden, "25 %");
}

void print_row(const Row& row) {
    const std::string workers =
        std::to_string(row.report.n_cpu) + " + " + std::to_string(row.report.n_cuda);
    std::printf("%-20s %7s", row.name, workers.c_str());
    for (const double time : row.times.steps) {
        std::printf(" %10.4f", time);
    }
    std::printf(" %11.4f", row.times.interaction);
    if (row.times.overlap.lists_s > 0) {
        std::printf(
            " %10.4f %4.0f %% %8.0f %%",
            row.times.unhidden,
            100 * row.times.unhidden / row.times.interaction,
            100 * row.times.overlap.unhidden()
        );
    } else {
        std::printf(" %10s %6s %10s", "-", "-", "-");
    }
    std::printf(" %10.4f %10.4f\n", row.times.both, starfmm::median(row.report.times.total));
}

const Row* find(const Rows& rows, Kind kind) {
    const auto row = std::ranges::find(rows, kind, &Row::kind);
    return row == rows.end() ? nullptr : &*row;
}

/// Prints Fig 7 and 8: what overlapping gains, and who is the fastest.
void print_gains(const PaperRow& paper, const Rows& rows) {
    const Row* const overlapped = find(rows, Kind::overlapped);
    if (overlapped == nullptr) {
        return;
    }
    const starfmm::TreeStepTimes& times = overlapped->times;
    const double serial = find(rows, Kind::serial)->times.interaction;
    std::printf(
        "  %s: interaction %.3g of serial lists'", overlapped->name, times.interaction / serial
    );
    if (paper.machine != nullptr) {
        std::printf(", %.3g of the paper's", times.interaction / paper.interaction);
    }
    std::printf(
        "; both steps %.3g of cores' (Intel's: within 7.5 %%), %.3g of a GPU's alone (13 %% faster "
        "than Bonsai on a K40c)\n",
        times.both / find(rows, Kind::cores)->times.both,
        times.both / find(rows, Kind::gpus)->times.both
    );
}

Rows measure(const DriverOptions& asked, const Setting& setting, const Problem& problem) {
    Rows rows;
    const std::vector<Way> ways = ways_of(asked.runtime);
    for (const Way& way : ways) {
        DriverOptions options = options_of(asked, setting, way);
        options.check = &way == &ways.back() ? 500 : 0; // all have the same lists
        rows.push_back(row_of(options, way, problem));
    }
    print_header(rows.back().report.plan);
    if (setting.paper.machine != nullptr) {
        print_paper(setting.paper);
    }
    for (const Row& row : rows) {
        print_row(row);
    }
    print_gains(setting.paper, rows);
    static_cast<void>(std::fflush(stdout)); // output so far survives a time limit
    return rows;
}

struct Figure {
    const char* name;
    const char* paper; ///< figure that the paper states
};

/// Figures of sections 1.1, 2.3, 4.3 twice, which does not say how many operations a pair takes, of
/// the aim of section 1.1, and of Table 1, estimated for a discrete GPU.
constexpr std::array<Figure, 8> figures{
    {{"median error", "1e-3 to 1e-2"},
     {"99 % error", "-"},
     {"interaction", "95 %"},
     {"bodies/leaf", "20 or 25"},
     {"P2P pairs/s", "303.1 Gflop/s"},
     {"both steps", "< 1"},
     {"GB moved", "6.13"},
     {"links", "0.53"}}};

void print_paper_figures(const char* name) {
    std::printf("\n%-8s", name);
    for (const Figure& figure : figures) {
        std::printf(" %13s", figure.name);
    }
    std::printf("\n%-8s", "[FT19]");
    for (const Figure& figure : figures) {
        std::printf(" %13s", figure.paper);
    }
    std::printf("\n");
}

/// Prints the figures of GPUs alone or, without any, of cores.
void print_figures(const Row& row) {
    const starfmm::RunReport& report = row.report;
    std::printf(
        "%-8u %13.1e %13.1e %11.0f %% %13.1f %13s %13.4f %13.3f %13.4f\n",
        report.plan.leaf_size,
        report.errors->parts.front().median,
        report.errors->parts.front().p99,
        100 * row.times.interaction_share(),
        static_cast<double>(report.sum.n_sources) / static_cast<double>(report.plan.leaves),
        starfmm::prefixed_text(pairs_per_second(row)).c_str(),
        row.times.both,
        1e-9 * static_cast<double>(row.times.n_bytes),
        row.times.links
    );
}

/// Options that the benchmark sets itself, or that only others take.
const std::vector<std::string> lacking_options{
    "targets",
    "target-input",
    "method",
    "precision",
    "potential",
    "softening",
    "tol",
    "tol99",
    "opencl",
    "team",
    "groups",
    "Direct sums",
    "Tree",
    "pattern",
    "warmup",
    "check",
    "output",
    "json",
    "trace"};

int run(int argc, char** argv) {
    const starfmm::DriverText text{
        .name = "gravity_tree_ft19",
        .summary = "The measurements of [FT19], and today's.",
        .examples = {"--n 1e7 --repeat 5"},
        .lacking = lacking_options};
    auto asked = starfmm::parse_gravity_options(argc, argv, text);
    if (!asked) {
        return 0;
    }
    if (asked->n == starfmm::default_options(starfmm::drivers::gravity).n) {
        asked->n = 10'000'000;
    }
    const Problem problem = make_problem(*asked);
    std::printf(
        "N = %zu, epsilon %.3g; seconds: steps summed over workers, interaction and both steps "
        "from the first list on; cores + GPUs\n",
        problem.sources.size(),
        asked->epsilon
    );
    std::vector<Rows> all;
    all.reserve(settings.size());
    for (const Setting& setting : settings) {
        all.push_back(measure(*asked, setting, problem));
    }
    print_paper_figures(all[0].back().name);
    for (const Rows& rows : all) {
        print_figures(rows.back());
    }
    return 0;
}

} // namespace

int main(int argc, char** argv) {
    return starfmm::run_driver(argc, argv, run);
}

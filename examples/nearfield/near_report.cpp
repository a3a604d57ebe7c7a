// SPDX-License-Identifier: BSD-3-Clause
#include "examples/nearfield/near_report.hpp"

#include "core/config.hpp"
#include "examples/cli/record.hpp"
#include "examples/cli/report.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <string>

namespace starfmm {

namespace {

const char* implementation_name(PairScheme implementation) {
    switch (implementation) {
    case PairScheme::one_way:
        return "bpb";
    case PairScheme::both_ways:
        return "improved";
    case PairScheme::automatic:
        break;
    }
    return "auto";
}

const char* precision_name(const NearOptions& options) {
    return options.precision == Precision::double_precision ? "double" : "single";
}

/// Number of evaluations of the kernel. With the third law one evaluation serves both points of a
/// pair, but for pairs among 32 neighbours in a box. CPU bodies and BPB evaluate each pair from both
/// its ends; the automatic choice is not known.
double computations(const NearReport& report) {
    const bool halved = report.options.implementation == PairScheme::both_ways && report.n_cpu == 0;
    return halved ? report.n_pairs / 2 : report.n_pairs;
}

/// Rate of the tasks: directed pairs that a worker sums in a second.
double interactions_per_s(const NearReport& report) {
    return report.n_pairs / median(report.times.tasks);
}

/// Milliseconds in [SL13 Table III]: one Tesla C1060, single precision, plane, height 7.
struct PaperRow {
    std::size_t per_box;
    double cpu;
    double bpb;
    double improved;
};

constexpr std::array<PaperRow, 7> paper_rows{
    {{8, 150.846, 79.506, 79.227},
     {16, 581.918, 82.382, 81.446},
     {32, 2291.87, 90.248, 88.130},
     {64, 9106.34, 116.69, 109.707},
     {128, 36426.1, 234.54, 202.768},
     {256, 145100, 644.85, 499.495},
     {512, 579568, 2475.9, 1774.183}}};

/// Writes the worst error, or "-" where nothing was checked.
std::string worst_error(const NearRow& row) {
    double worst = 0;
    for (const NearReport* report : {&row.bpb, &row.improved, &row.automatic}) {
        if (!report->error) {
            return "-";
        }
        worst = std::max(worst, *report->error);
    }
    char text[16];
    static_cast<void>(std::snprintf(text, sizeof text, "%.1e", worst));
    return text;
}

nlohmann::json record_of(const NearReport& report) {
    const NearOptions& options = report.options;
    nlohmann::json error = nullptr;
    if (report.error) {
        error = {{"checked", std::min(options.check, report.n)}, {"l2_rel", *report.error}};
    }
    nlohmann::json record = {
        {"driver", "nearfield"},
        {"version", version},
        {"n", report.n},
        {"m", report.n},
        {"dimension", options.dimension},
        {"height", options.tree_height()},
        {"per_box", options.per_box},
        {"seed", options.seed},
        {"kernel", options.law_name()},
        {"method", "nearfield"},
        {"implementation", implementation_name(options.implementation)},
        {"precision", precision_name(options)},
        {"tolerance", options.relative_tolerance()},
        {"groups", report.n_groups},
        {"time_s", {{"topology", report.times.topology}, {"evaluate", report.times.sum}}},
        {"phase_s", {{"nearfield", report.times.tasks}}},
        {"work", {{"interactions", report.n_pairs}, {"computations", computations(report)}}},
        {"interactions_per_s", interactions_per_s(report)},
        {"error", error},
        {"peak_rss_bytes", peak_rss_bytes()}};
    record.update(workers_of(report));
    return record;
}

} // namespace

void print_near_report(const NearReport& report) {
    const NearOptions& options = report.options;
    std::printf(
        "nearfield: %s law, %s precision, %dD, height %d, %zu points a box, %zu points\n",
        options.law_name().c_str(),
        precision_name(options),
        options.dimension,
        options.tree_height(),
        options.per_box,
        report.n
    );
    const std::string implementation = implementation_name(options.implementation);
    print_workers(
        report, ", " + std::to_string(report.n_groups) + " groups; implementation " + implementation
    );
    std::printf(
        "tree %.3f ms; median of %zu sums %.3f ms, in tasks %.3f ms\n",
        1e3 * report.times.topology,
        report.times.sum.size(),
        1e3 * median(report.times.sum),
        1e3 * median(report.times.tasks)
    );
    std::printf(
        "%.4g interactions by %.4g computations, %.4g interactions/s of a worker\n",
        report.n_pairs,
        computations(report),
        interactions_per_s(report)
    );
    if (report.error) {
        std::printf("error against the exact near field: L2 %.3e\n", *report.error);
    }
}

void print_near_table_head(const NearOptions& options, bool has_gpu) {
    std::printf(
        "%s law, %s precision, %dD, height %d; near-field tasks in ms, medians of %d\n",
        options.law_name().c_str(),
        precision_name(options),
        options.dimension,
        options.tree_height(),
        options.repeat
    );
    if (!has_gpu) {
        std::printf("no GPU: all columns are the CPU's implementation\n");
    }
    std::printf(
        "%7s | %9s %9s %9s | %10s %10s | %10s %10s %9s | %21s\n%7s | %9s %9s %9s | %10s %10s | "
        "%10s %10s %9s | %10s %10s\n",
        "points",
        "",
        "",
        "",
        "interactions/s",
        "",
        "computations",
        "",
        "L2 error",
        "paper, Tesla C1060",
        "a box",
        "BPB",
        "improved",
        "auto",
        "BPB",
        "improved",
        "BPB",
        "improved",
        "worst",
        "BPB",
        "improved"
    );
}

void print_near_row(const NearRow& row) {
    const std::size_t per_box = row.bpb.options.per_box;
    std::printf(
        "%7zu | %9.4f %9.4f %9.4f | %10.3e %10.3e | %10.3e %10.3e %9s",
        per_box,
        1e3 * median(row.bpb.times.tasks),
        1e3 * median(row.improved.times.tasks),
        1e3 * median(row.automatic.times.tasks),
        interactions_per_s(row.bpb),
        interactions_per_s(row.improved),
        computations(row.bpb),
        computations(row.improved),
        worst_error(row).c_str()
    );
    const auto* const paper =
        std::find_if(paper_rows.begin(), paper_rows.end(), [&](const PaperRow& r) {
            return r.per_box == per_box && row.bpb.options.dimension == 2;
        });
    if (paper != paper_rows.end()) {
        std::printf(" | %10.2f %10.2f", paper->bpb, paper->improved);
    }
    std::printf("\n");
}

void write_near_json(const std::string& path, const std::vector<NearReport>& reports) {
    nlohmann::json records = nlohmann::json::array();
    for (const NearReport& report : reports) {
        records.push_back(record_of(report));
    }
    write_record(path, records.size() == 1 ? records.front() : records);
}

} // namespace starfmm

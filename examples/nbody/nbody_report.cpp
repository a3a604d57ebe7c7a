// SPDX-License-Identifier: BSD-3-Clause
#include "examples/cli/option_names.hpp"
#include "examples/cli/record.hpp"
#include "examples/cli/signals.hpp"
#include "examples/nbody/nbody_run.hpp"

#include <nlohmann/json.hpp>

#include <cstdio>
#include <iostream>

namespace starfmm {

namespace {

std::string source_name(const NbodyOptions& options) {
    if (!options.restart.empty()) {
        return options.restart;
    }
    if (!options.input.empty()) {
        return options.input;
    }
    return options.initial_conditions == InitialConditions::plummer ? "plummer" : "galaxies";
}

std::uint64_t steps_done(const NbodyReport& report) {
    return report.last_step - report.first_step;
}

/// Pairs of all steps; a body does not act on itself.
double pairs(const NbodyReport& report) {
    const auto n = static_cast<double>(report.sum.n_sources);
    return n * (n - 1) * static_cast<double>(steps_done(report));
}

/// Bodies of all steps.
double bodies(const NbodyReport& report) {
    return static_cast<double>(report.sum.n_sources) * static_cast<double>(steps_done(report));
}

/// `work` a second.
double rate(const NbodyReport& report, double work) {
    return report.seconds.steps > 0 ? work / report.seconds.steps : 0;
}

nlohmann::json json_of(const Drift& drift) {
    return {
        {"energy", drift.energy},
        {"momentum", drift.momentum},
        {"angular_momentum", drift.angular}};
}

bool has_fmm(const NbodyReport& report) {
    return report.run.sums.method == Method::fmm;
}

/// The name of the method: sums by a tree are softened.
const char* method_of(const NbodyReport& report, Method method) {
    return report.run.has_tree() ? "tree" : name_of(method_names, method);
}

/// What sums by expansions keep; of direct sums what their check allows.
double tolerance_of(const NbodyReport& report) {
    return has_fmm(report) ? report.run.sums.tolerance : report.options.plan.tolerance;
}

/// Pairs of all steps, of direct sums.
nlohmann::json work_of(const NbodyReport& report) {
    if (has_fmm(report)) {
        return {{"pairs", nullptr}, {"pairs_per_s", nullptr}};
    }
    return {{"pairs", pairs(report)}, {"pairs_per_s", rate(report, pairs(report))}};
}

/// The signal's name, or null.
nlohmann::json stopped_by(const NbodyReport& report) {
    return report.stopped_by > 0 ? nlohmann::json(name_of_signal(report.stopped_by))
                                 : nlohmann::json();
}

/// The record of all drivers, and what became of the run.
void write_json(const std::string& path, const NbodyReport& report) {
    nlohmann::json record = record_of(report);
    const bool is_made = report.asked.input.empty() && report.asked.restart.empty();
    record.update(
        {{"bodies", source_name(report.asked)},
         {"restart", file_of(report.asked.restart)},
         {"seed", is_made ? nlohmann::json(report.asked.seed) : nlohmann::json()},
         {"method", method_of(report, report.plan.method)},
         {"method_asked", method_of(report, report.options.plan.method)},
         {"tolerance", tolerance_of(report)},
         {"work", work_of(report)},
         {"dt", report.run.time_step},
         {"first_step", report.first_step},
         {"steps", report.last_step},
         {"steps_asked", report.run.steps},
         {"stopped_by", stopped_by(report)},
         {"time", report.time},
         {"time_s",
          {{"total", report.seconds.total},
           {"steps", report.seconds.steps},
           {"outputs", report.seconds.outputs}}},
         {"energy",
          {{"start", report.start.energy()},
           {"kinetic", report.end.kinetic},
           {"potential", report.end.potential}}},
         {"drift", json_of(report.drift)},
         {"max_drift", json_of(report.max_drift)}}
    );
    write_record(path, record);
}

void print_drifts(const NbodyReport& report) {
    std::printf("\n%-18s %12s %12s\n", "drift", "at the end", "largest");
    const auto row = [](const char* name, double end, double largest) {
        std::printf("%-18s %12.3e %12.3e\n", name, end, largest);
    };
    row("energy", report.drift.energy, report.max_drift.energy);
    row("momentum", report.drift.momentum, report.max_drift.momentum);
    row("angular momentum", report.drift.angular, report.max_drift.angular);
}

void print(const NbodyReport& report) {
    const RunParameters& run = report.run;
    std::cout << "nbody: " << report.sum.n_sources << " bodies (" << source_name(report.asked)
              << "), " << name_of(precision_names, run.precision) << " precision, "
              << name_of(softening_names, run.softening) << " softening, epsilon " << run.epsilon
              << ", G " << run.g << '\n';
    print_choices(report);
    std::cout << "steps " << report.first_step << " to " << report.last_step << " of "
              << run.time_step << ", to time " << report.time << '\n';
    print_drifts(report);
    std::printf(
        "\ntotal %.3f s = steps %.3f s + outputs %.3f s; %.3g %s/s\n",
        report.seconds.total,
        report.seconds.steps,
        report.seconds.outputs,
        rate(report, has_fmm(report) ? bodies(report) : pairs(report)),
        has_fmm(report) ? "bodies" : "pairs"
    );
    if (report.errors) {
        print_errors(*report.errors);
    }
}

bool print_drift_check(const NbodyReport& report) {
    const double allowed = report.asked.max_drift;
    const double drift = report.max_drift.energy;
    if (allowed > 0 && !(drift <= allowed)) {
        std::printf("check failed: the energy drifts by %.3e, beyond %.3e\n", drift, allowed);
        return false;
    }
    return true;
}

/// Prints where the run ended, and how to go on.
void print_stop(const NbodyReport& report) {
    const Series& snapshot = report.asked.snapshot;
    std::cout << "stopped by " << name_of_signal(report.stopped_by) << " after step "
              << report.last_step << " of " << report.run.steps;
    if (!snapshot.file.empty()) {
        std::cout << "; --restart " << snapshot.name(report.last_step) << " goes on";
    }
    std::cout << '\n';
}

} // namespace

int finish(const NbodyReport& report) {
    if (!report.options.json.empty()) {
        write_json(report.options.json, report);
    }
    if (!report.options.telling.quiet) {
        print(report);
    }
    if (report.stopped_by > 0) {
        print_stop(report);
        constexpr int shells_base = 128;
        return shells_base + report.stopped_by;
    }
    const bool is_close = verdict(report) == 0;
    const bool is_conserved = print_drift_check(report);
    return is_close && is_conserved ? 0 : 1;
}

} // namespace starfmm

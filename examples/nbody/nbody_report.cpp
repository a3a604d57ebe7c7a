// SPDX-License-Identifier: BSD-3-Clause
#include "examples/cli/option_names.hpp"
#include "examples/cli/run.hpp"
#include "examples/nbody/nbody_run.hpp"
#include "schedulers/trace/numbers.hpp"
#include "schedulers/trace/text_table.hpp"

#include <nlohmann/json.hpp>

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

bool has_fmm(const NbodyReport& report) {
    return report.run.sums.method == Method::fmm;
}

/// Pairs of all steps, where a body does not act on itself; by expansions bodies.
double work_of(const NbodyReport& report) {
    const auto n = static_cast<double>(report.sum.n_sources);
    const auto steps = static_cast<double>(report.last_step - report.first_step);
    return n * (has_fmm(report) ? 1 : n - 1) * steps;
}

/// Work a second.
double rate_of(const NbodyReport& report) {
    return report.seconds.steps > 0 ? work_of(report) / report.seconds.steps : 0;
}

nlohmann::json json_of(const Drift& drift) {
    return {
        {"energy", drift.energy},
        {"momentum", drift.momentum},
        {"angular_momentum", drift.angular}};
}

/// The name of the method: sums by a tree are softened.
const char* method_of(const NbodyReport& report, Method method) {
    return report.run.has_tree() ? "tree" : name_of(method_names, method);
}

/// The record of all drivers, and what became of the run.
void write_json(const std::string& path, const NbodyReport& report) {
    nlohmann::json record = record_of(report);
    const bool is_made = report.asked.input.empty() && report.asked.restart.empty();
    record.update(
        {{"bodies", source_name(report.asked)},
         {"restart", known(!report.asked.restart.empty(), report.asked.restart)},
         {"seed", known(is_made, report.asked.seed)},
         {"method", method_of(report, report.plan.method)},
         {"method_asked", method_of(report, report.options.plan.method)},
         {"tolerance", report.sum.tolerance},
         {"work",
          {{"pairs", known(!has_fmm(report), work_of(report))},
           {"pairs_per_s", known(!has_fmm(report), rate_of(report))}}},
         {"dt", report.run.time_step},
         {"first_step", report.first_step},
         {"steps", report.last_step},
         {"steps_asked", report.run.steps},
         {"stopped_by", known(report.stopped_by > 0, name_of_signal(report.stopped_by))},
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
    const Drift& end = report.drift;
    const Drift& largest = report.max_drift;
    TextTable table;
    table.add({"drift", "at the end", "largest"});
    const auto row = [&table](const char* name, double at_end, double most) {
        table.add({name, print_number("%.3e", at_end), print_number("%.3e", most)});
    };
    row("energy", end.energy, largest.energy);
    row("momentum", end.momentum, largest.momentum);
    row("angular momentum", end.angular, largest.angular);
    std::cout << '\n' << table.text();
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
    std::cout << print_number("\ntotal %.3f s", report.seconds.total)
              << print_number(" = steps %.3f s", report.seconds.steps)
              << print_number(" + outputs %.3f s; ", report.seconds.outputs)
              << prefixed_text(rate_of(report)) << (has_fmm(report) ? " bodies/s\n" : " pairs/s\n");
    if (report.errors) {
        print_errors(*report.errors);
    }
}

bool print_drift_check(const NbodyReport& report) {
    const double allowed = report.asked.max_drift;
    const double drift = report.max_drift.energy;
    if (allowed > 0 && !(drift <= allowed)) {
        std::cout << print_number("check failed: the energy drifts by %.3e", drift)
                  << print_number(", beyond %.3e\n", allowed);
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

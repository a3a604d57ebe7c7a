// SPDX-License-Identifier: BSD-3-Clause
#include "examples/cli/record.hpp"
#include "examples/cli/report.hpp"
#include "examples/cli/signals.hpp"
#include "examples/gravity/gravity_driver.hpp"
#include "examples/nbody/nbody_run.hpp"

#include <nlohmann/json.hpp>

#include <cstdio>

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
    const auto n = static_cast<double>(report.n);
    return n * (n - 1) * static_cast<double>(steps_done(report));
}

/// Bodies of all steps.
double bodies(const NbodyReport& report) {
    return static_cast<double>(report.n) * static_cast<double>(steps_done(report));
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
    return report.run.has_tree() ? "tree" : name_of(method);
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

/// Prints how accelerations were summed; nothing of direct sums, unless they were chosen.
void print_sums(const NbodyReport& report) {
    const PlanOptions& sums = report.run.sums;
    if (has_fmm(report)) {
        std::printf(
            "%s: octree of roots %d and leaves of up to %.0f points, tolerance %.3g, order %d, "
            "theta %.3g",
            method_of(report, sums.method),
            sums.roots,
            sums.leaf_size,
            sums.tolerance,
            sums.order,
            sums.theta
        );
        if (sums.heavy_theta > 0) {
            std::printf(" (of a box of all bodies %.3g)", sums.heavy_theta);
        }
        std::printf("\n");
    }
    print_choice(report.plan);
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
    std::printf(
        "nbody: %zu bodies (%s), %s precision, %s softening, epsilon %g, G %g\n",
        report.n,
        source_name(report.asked).c_str(),
        name_of(report.run.precision),
        name_of(report.run.softening),
        report.run.epsilon,
        report.run.g
    );
    print_workers(report);
    print_sums(report);
    std::printf(
        "steps %llu to %llu of %g, to time %g\n",
        static_cast<unsigned long long>(report.first_step),
        static_cast<unsigned long long>(report.last_step),
        report.run.time_step,
        report.time
    );
    print_drifts(report);
    std::printf(
        "\ntotal %.3f s = steps %.3f s + outputs %.3f s; %.3g %s/s\n",
        report.seconds.total,
        report.seconds.steps,
        report.seconds.outputs,
        has_fmm(report) ? rate(report, bodies(report)) : rate(report, pairs(report)),
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
    std::printf(
        "stopped by %s after step %llu of %llu",
        name_of_signal(report.stopped_by),
        static_cast<unsigned long long>(report.last_step),
        static_cast<unsigned long long>(report.run.steps)
    );
    if (!snapshot.file.empty()) {
        std::printf("; --restart %s goes on", snapshot.name(report.last_step).c_str());
    }
    std::printf("\n");
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

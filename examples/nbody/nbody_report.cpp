// SPDX-License-Identifier: BSD-3-Clause
#include "core/config.hpp"
#include "examples/cli/check.hpp"
#include "examples/cli/record.hpp"
#include "examples/cli/report.hpp"
#include "examples/cli/signals.hpp"
#include "examples/gravity/gravity_options.hpp"
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
    return report.times.steps > 0 ? work / report.times.steps : 0;
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

std::string method_name(const NbodyReport& report, Method method) {
    return report.run.has_tree() ? "tree" : name_of(method);
}

/// How accelerations were summed; null what direct sums do not have, nor the other method.
nlohmann::json sums_of(const NbodyReport& report) {
    const PlanOptions& sums = report.run.sums;
    nlohmann::json record{
        {"method", method_name(report, sums.method)},
        {"method_asked", method_name(report, report.method_asked)},
        {"tuning", tuning_of(report.decided)},
        {"tolerance", nullptr},
        {"order", nullptr},
        {"theta", nullptr},
        {"heavy_theta", nullptr},
        {"own_error", nullptr},
        {"pair_terms", nullptr},
        {"leaf_size", nullptr},
        {"roots", nullptr},
        {"work", {{"pairs", pairs(report)}, {"pairs_per_s", rate(report, pairs(report))}}}};
    if (has_fmm(report)) {
        record.update(
            {{"tolerance", sums.tolerance},
             {"order", sums.order},
             {"theta", sums.theta},
             {"heavy_theta", sums.heavy_theta},
             {"own_error", report.run.own_error},
             {"pair_terms", name_of(sums.terms)},
             {"leaf_size", static_cast<std::uint32_t>(sums.leaf_size)},
             {"roots", sums.roots},
             {"work", {{"pairs", nullptr}, {"pairs_per_s", nullptr}}}}
        );
    }
    return record;
}

/// The signal's name, or null.
nlohmann::json stopped_by(const NbodyReport& report) {
    return report.stopped_by > 0 ? nlohmann::json(name_of_signal(report.stopped_by))
                                 : nlohmann::json();
}

void write_json(const std::string& path, const NbodyReport& report) {
    const bool is_made = report.options.input.empty() && report.options.restart.empty();
    const nlohmann::json seed = is_made ? nlohmann::json(report.options.seed) : nlohmann::json();
    nlohmann::json record = {
        {"driver", "nbody"},
        {"version", version},
        {"n", report.n},
        {"bodies", source_name(report.options)},
        {"input", file_of(report.options.input)},
        {"restart", file_of(report.options.restart)},
        {"seed", seed},
        {"precision", name_of(report.run.precision)},
        {"dt", report.run.time_step},
        {"epsilon", report.run.epsilon},
        {"softening", name_of(report.run.softening)},
        {"g", report.run.g},
        {"first_step", report.first_step},
        {"steps", report.last_step},
        {"steps_asked", report.run.steps},
        {"stopped_by", stopped_by(report)},
        {"time", report.time},
        {"time_s",
         {{"total", report.times.total},
          {"steps", report.times.steps},
          {"outputs", report.times.outputs}}},
        {"energy",
         {{"start", report.start.energy()},
          {"kinetic", report.end.kinetic},
          {"potential", report.end.potential}}},
        {"drift", json_of(report.drift)},
        {"max_drift", json_of(report.max_drift)},
        {"error", error_of(report.error)},
        {"peak_rss_bytes", peak_rss_bytes()}};
    record.update(sums_of(report));
    record.update(workers_of(report));
    write_record(path, record);
}

/// Prints how accelerations were summed; nothing of direct sums, unless they were chosen.
void print_sums(const NbodyReport& report) {
    const PlanOptions& sums = report.run.sums;
    if (has_fmm(report)) {
        std::printf(
            "%s: octree of roots %d and leaves of up to %.0f points, tolerance %.3g, order %d, "
            "theta %.3g, %.3g of a box of all bodies\n",
            method_name(report, sums.method).c_str(),
            sums.roots,
            sums.leaf_size,
            sums.tolerance,
            sums.order,
            sums.theta,
            sums.heavy_theta > 0 ? sums.heavy_theta : sums.theta
        );
    }
    print_choice(report.decided);
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
        source_name(report.options).c_str(),
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
        report.times.total,
        report.times.steps,
        report.times.outputs,
        has_fmm(report) ? rate(report, bodies(report)) : rate(report, pairs(report)),
        has_fmm(report) ? "bodies" : "pairs"
    );
}

/// Median error that accelerations may have.
double allowed_error(const NbodyReport& report) {
    if (report.run.has_tree()) {
        return report.run.sums.tolerance;
    }
    if (has_fmm(report)) {
        return gradient_allowance_in_space * report.run.sums.tolerance;
    }
    const double asked = report.options.tolerance;
    return asked > 0 ? asked : allowed_error(report.run.precision);
}

/// Whether the accelerations are as close to the exact ones as asked for.
bool print_check(const NbodyReport& report) {
    if (!report.error) {
        return true;
    }
    const double tolerance = allowed_error(report);
    const double error = report.error->median_rel;
    if (!report.options.telling.quiet) {
        std::printf(
            "error of the accelerations of %zu bodies: median %.3e, max %.3e, L2 %.3e\n",
            report.error->checked,
            error,
            report.error->max_rel,
            report.error->l2_rel
        );
    }
    if (!(error <= tolerance)) {
        std::printf("check failed: %.3e exceeds the tolerance %.3e\n", error, tolerance);
        return false;
    }
    return true;
}

bool print_drift_check(const NbodyReport& report) {
    const double allowed = report.options.max_drift;
    const double drift = report.max_drift.energy;
    if (allowed > 0 && !(drift <= allowed)) {
        std::printf("check failed: the energy drifts by %.3e, beyond %.3e\n", drift, allowed);
        return false;
    }
    return true;
}

/// Prints where the run ended, and how to go on.
void print_stop(const NbodyReport& report) {
    const Series& snapshot = report.options.snapshot;
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
    const bool is_close = print_check(report);
    const bool is_conserved = print_drift_check(report);
    return is_close && is_conserved ? 0 : 1;
}

} // namespace starfmm

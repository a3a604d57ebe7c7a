// SPDX-License-Identifier: BSD-3-Clause
#include "examples/nbody/nbody_run.hpp"

#include "core/error.hpp"
#include "core/io/image.hpp"
#include "core/io/png.hpp"
#include "examples/cli/run.hpp"
#include "examples/gravity/gravity_driver.hpp"
#include "examples/nbody/evolution.hpp"
#include "schedulers/runtime/machine.hpp"
#include "schedulers/runtime/starpu_environment.hpp"
#include "schedulers/starfmm/detail/access.hpp"
#include "schedulers/trace/numbers.hpp"
#include "schedulers/trace/trace.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace starfmm {

namespace {

Particles make_bodies(const NbodyOptions& options) {
    constexpr double numbers_a_body = 12; // position, velocity, mass, id, acceleration, potential
    const auto n = static_cast<double>(options.n);
    check_room("--n " + std::to_string(options.n), numbers_a_body * sizeof(double) * n);
    if (options.initial_conditions == InitialConditions::galaxies) {
        return make_encounter(options.n, options.encounter, options.run.g, options.seed);
    }
    return make_plummer(options.n, options.run.g, options.seed);
}

/// What a new run starts from.
Snapshot new_start(const NbodyOptions& options) {
    Snapshot start;
    if (options.input.empty()) {
        start.particles = make_bodies(options);
    } else {
        start = read_particles(options.input, options.space);
    }
    start.run = options.run;
    return start;
}

void draw(const std::string& path, const NbodyOptions& options, const Bodies& bodies) {
    const double asked = options.picture_width;
    const double width = asked > 0 ? asked : fitting_width(bodies);
    write_png(path, draw(bodies, width, options.picture_pixels));
}

void keep_largest(Drift& largest, const Drift& drift) {
    largest.energy = std::max(largest.energy, drift.energy);
    largest.momentum = std::max(largest.momentum, drift.momentum);
    largest.angular = std::max(largest.angular, drift.angular);
}

/// The outputs of one run, and the drifts seen by the way.
class Observer {
public:
    Observer(const NbodyOptions& options, const Snapshot& start)
        : options_(options), log_(options.log.file, start.step), first_step_(start.step),
          progress_("nbody", options.telling) {}

    /// Logs and writes what is due, after every step and before the first.
    void observe(const Evolution& evolution) {
        const std::uint64_t step = evolution.step();
        const std::uint64_t steps = evolution.run().steps;
        if (step % options_.log.every == 0 || step == steps) {
            const Conserved sums = evolution.conserved();
            see_drift(evolution, sums);
            log_.write(step, evolution.time(), sums, drift_);
        }
        if (options_.picture.is_due(step, steps)) {
            draw(options_.picture.name(step), options_, evolution.snapshot().particles.bodies);
        }
        // the last: who finds a snapshot finds all other outputs up to its step
        if (options_.snapshot.is_due(step, steps)) {
            write_snapshot(options_.snapshot.name(step), evolution.snapshot());
        }
    }

    /// Writes a snapshot after a step that shall be the last although others are left. A run that
    /// goes on makes the other outputs of this step.
    void save(const Evolution& evolution) {
        const Snapshot& now = evolution.snapshot();
        see_drift(evolution, evolution.conserved());
        if (!options_.snapshot.file.empty() && !options_.snapshot.is_due(now.step, now.run.steps)) {
            write_snapshot(options_.snapshot.name(now.step), now);
        }
    }

    void tell(const std::string& text) { progress_.tell(text); }

    /// Tells how far the run is, a few times a second.
    void tell(const Evolution& evolution, double start) {
        constexpr double interval_s = 0.2;
        const double time = now();
        if (time - told_ < interval_s) {
            return;
        }
        told_ = time;
        const std::uint64_t step = evolution.step();
        const std::uint64_t steps = evolution.run().steps;
        const auto done = static_cast<double>(step - first_step_);
        const auto left = static_cast<double>(steps - step);
        const double left_s = done > 0 ? (time - start) / done * left : 0;
        std::string text = "step " + std::to_string(step) + " of " + std::to_string(steps);
        text += print_number(", time %.4g, energy drift %.1e", evolution.time(), drift_.energy);
        text += print_number(", %.0f s left", left_s);
        progress_.tell(text);
    }

    [[nodiscard]] const Drift& last_drift() const { return drift_; }

    [[nodiscard]] const Drift& max_drift() const { return max_drift_; }

private:
    void see_drift(const Evolution& evolution, const Conserved& sums) {
        drift_ = drift(evolution.start(), sums);
        keep_largest(max_drift_, drift_);
    }

    const NbodyOptions& options_;
    NbodyLog log_;
    std::uint64_t first_step_;
    Drift drift_;
    Drift max_drift_;
    double told_ = 0;
    Progress progress_;
};

/// Moves the bodies until the end of the run, or a signal.
NbodyTimes integrate(Evolution& evolution, Observer& observer) {
    NbodyTimes times;
    const double start = now();
    observer.observe(evolution);
    times.outputs = now() - start;
    const std::uint64_t steps = evolution.run().steps;
    while (evolution.step() < steps && StopRequest::signal() == 0) {
        const double before = now();
        evolution.advance();
        const double moved = now();
        observer.observe(evolution);
        times.steps += moved - before;
        times.outputs += now() - moved;
        observer.tell(evolution, start);
    }
    if (evolution.step() < steps) {
        observer.save(evolution);
    }
    times.total = now() - start;
    return times;
}

/// Median error that accelerations may have.
double allowed_median(const NbodyOptions& options, const RunParameters& run) {
    if (run.sums.method == Method::fmm) {
        return (run.has_tree() ? 1 : gradient_allowance_in_space) * run.sums.tolerance;
    }
    const double asked = options.plan.tolerance;
    return asked > 0 ? asked : allowed_error(run.precision);
}

/// Makes the steps, and says of the sums what all drivers say of theirs: a restart has its options
/// from the snapshot.
NbodyReport move(const NbodyOptions& asked, Evolution& evolution, Observer& observer) {
    NbodyReport report;
    report.asked = asked;
    report.first_step = evolution.step();
    {
        const StopRequest stop;
        report.seconds = integrate(evolution, observer);
        report.stopped_by = StopRequest::signal();
    }
    const Snapshot& end = evolution.snapshot();
    const RunParameters& run = end.run;
    if (end.step == run.steps) {
        report.stopped_by = 0; // too late
    }
    report.run = run;
    report.last_step = end.step;
    report.time = end.time;
    report.start = end.start;
    report.end = evolution.conserved();
    report.drift = observer.last_drift();
    report.max_drift = observer.max_drift();
    report.driver = "nbody";
    report.kernel = Kernel(Gravity{}).shape();
    report.sum = evolution.report();
    report.plan = evolution.plan();
    report.own_error = run.own_error;
    report.options = static_cast<const DriverOptions&>(asked);
    report.options.precision = run.precision;
    report.options.epsilon = run.epsilon;
    report.options.softening = run.softening;
    report.options.g = run.g;
    report.options.plan.tolerance = allowed_median(asked, run);
    if (run.sums.method == Method::direct) {
        report.sum.tolerance = report.options.plan.tolerance; // that of the check
    }
    report.options.tolerance99 = std::numeric_limits<double>::infinity();
    return report;
}

} // namespace

Snapshot make_start(const NbodyOptions& options) {
    if (options.restart.empty()) {
        return new_start(options);
    }
    Snapshot start = read_snapshot(options.restart);
    if (options.plan.tolerance > 0 && start.run.sums.method != Method::direct) {
        throw InputError(
            "--restart and --tol: " + options.restart +
            " is of the fast multipole method, whose tolerance it keeps"
        );
    }
    check_method(start.run);
    if (options.has_steps) {
        start.run.steps = options.run.steps;
    }
    if (start.run.steps < start.step) {
        throw InputError(
            "--steps " + std::to_string(start.run.steps) + ": " + options.restart + " is at step " +
            std::to_string(start.step) + " already"
        );
    }
    return start;
}

/// GPUs of a run that was told of no number: with less work than several gain by, one.
int default_gpus(const Snapshot& start) {
    constexpr std::size_t fewest_bodies_of_several = 20'000'000; // by a tree: docs/nbody.md
    const RunParameters& run = start.run;
    const bool gains = run.has_tree() && start.particles.size() >= fewest_bodies_of_several;
    const bool is_told = number_in_environment("STARPU_NCUDA") >= 0;
    const bool takes_one =
        run.sums.method == Method::fmm && !gains && !is_told && available_gpus() > 1;
    return takes_one ? 1 : -1;
}

NbodyReport run_nbody(const NbodyOptions& options, Snapshot start) {
    RuntimeOptions runtime_options = options.runtime;
    runtime_options.profile = !options.trace.empty();
    if (runtime_options.gpus < 0) {
        runtime_options.gpus = default_gpus(start);
    }
    if (may_use_fmm(start.run)) {
        runtime_options.streams = RuntimeOptions{}.streams; // copies hide behind operators
    }
    Context context = detail::Access::start(runtime_options);
    Runtime& runtime = detail::Access::runtime(context);
    runtime.record_details(); // if it records at all
    note(options.telling, runtime.notice());
    Observer observer(options, start);
    const Method method_asked = start.run.sums.method;
    Evolution evolution(context, std::move(start));
    note(options.telling, evolution.report().notice);
    note(options.telling, evolution.report().why_precision);
    NbodyReport report = move(options, evolution, observer);
    report.options.plan.method = method_asked;
    report.tasks = runtime.n_tasks();
    describe(runtime, report);
    if (!options.trace.empty()) {
        write_trace(options.trace, runtime);
    }
    if (options.check > 0 && report.stopped_by == 0) {
        observer.tell("checking against the exact sum");
        report.errors = evolution.check(options.check, options.seed);
    }
    return report;
}

} // namespace starfmm

// SPDX-License-Identifier: BSD-3-Clause
#include "examples/nearfield/near_driver.hpp"

#include "core/laws/pair_laws.hpp"
#include "core/particles/distributions.hpp"
#include "core/reference/direct_sum.hpp"
#include "core/reference/near_sum.hpp"
#include "examples/cli/progress.hpp"
#include "examples/cli/traced_run.hpp"
#include "examples/nearfield/near_report.hpp"
#include "schedulers/trace/trace.hpp"

#include <array>
#include <cmath>
#include <cstdio>
#include <map>
#include <numeric>
#include <random>
#include <string>
#include <utility>

namespace starfmm {

namespace {

RuntimeOptions profiled(RuntimeOptions options) {
    options.profile = true;
    return options;
}

/// Sums the times of the near-field tasks among the records.
double near_task_seconds(const Runtime& runtime) {
    double sum = 0;
    for (const Phase& phase : phases_of(runtime.records())) {
        sum += phase.name.starts_with("nearfield") ? phase.time_s : 0;
    }
    return sum;
}

/// Sums `warmup + repeat` times over the strengths that are set.
template <int D>
void repeat(Runtime& runtime, NearField<D>& field, NearReport& report) {
    for (int run = -report.options.warmup; run < report.options.repeat; ++run) {
        runtime.clear_records();
        const std::size_t tasks_before = runtime.n_tasks();
        const double start = now();
        field.sum();
        if (run >= 0) {
            report.times.sum.push_back(now() - start);
            report.times.tasks.push_back(near_task_seconds(runtime));
        }
        report.tasks = runtime.n_tasks() - tasks_before;
    }
}

template <int D>
double check_values(
    const NearOptions& options,
    const LawSet& law,
    const Points<D>& points,
    const std::vector<double>& strengths,
    const NearValues& values
) {
    const auto which = random_targets(points.size(), options.check, options.seed);
    const ExactLaw exact{law.traits.n_values, law.traits.pair};
    return relative_error(
        values, near_sum<D>(exact, points, strengths, options.tree_height(), which), which
    );
}

/// Runs one number of points a box, for both modes.
template <int D>
class NearRun {
public:
    NearRun(Runtime& runtime, const NearOptions& options)
        : runtime_(runtime), options_(options), law_(choose_law(options)),
          points_(points_in_boxes<D>(options.tree_height(), options.per_box, options.seed)),
          strengths_(
              make_strengths(points_.size(), StrengthSign::random, StrengthType::real, options.seed)
                  .re
          ),
          start_(now()), field_(
                             runtime,
                             law_,
                             points_,
                             {options.tree_height(), options.group_level, options.implementation}
                         ),
          topology_(now() - start_) {}

    NearReport evaluate(NearfieldImplementation implementation) {
        NearReport report;
        report.options = options_;
        report.options.implementation = implementation;
        report.n = points_.size();
        report.n_pairs = field_.n_pairs();
        report.n_groups = field_.n_groups();
        report.describe(runtime_);
        report.times.topology = topology_;
        field_.choose(implementation);
        field_.set_strengths(strengths_);
        repeat(runtime_, field_, report);
        if (options_.check > 0) {
            report.error = check_values<D>(options_, law_, points_, strengths_, field_.values());
        }
        return report;
    }

private:
    Runtime& runtime_;
    NearOptions options_;
    LawSet& law_;
    Points<D> points_;
    std::vector<double> strengths_;
    double start_;
    NearField<D> field_;
    double topology_;
};

template <int D>
NearRow measure_row(Runtime& runtime, NearOptions options, std::size_t per_box) {
    options.per_box = per_box;
    NearRun<D> run(runtime, options);
    return {
        run.evaluate(NearfieldImplementation::bpb),
        run.evaluate(NearfieldImplementation::improved),
        run.evaluate(NearfieldImplementation::any)};
}

bool passes(const NearReport& report) {
    return !report.error || *report.error <= report.options.relative_tolerance();
}

template <class Real>
LawSet& law_of_name(const std::string& name) {
    using Getter = LawSet& (*)();
    static const std::map<std::string, Getter> laws{
        {"harmonic", law_set<HarmonicLaw<Real>>},
        {"log", law_set<LogLaw<Real>>},
        {"gravity", law_set<GravityLaw<Real>>},
        {"laplace", law_set<LaplaceLaw<Real>>},
        {"laplace_gradient", law_set<LaplaceGradientLaw<Real>>}};
    return laws.at(name)();
}

} // namespace

template <int D>
Points<D> points_in_boxes(int height, std::size_t per_box, std::uint64_t seed) {
    const std::size_t n_boxes = UniformTree<D>::n_boxes(height);
    const double side = std::ldexp(1, -height);
    std::mt19937_64 engine(seed);
    std::vector<std::uint32_t> order(n_boxes * per_box);
    std::iota(order.begin(), order.end(), 0U);
    for (std::size_t i = order.size(); i > 1; --i) { // std::shuffle's results differ by library
        std::swap(
            order[i - 1],
            order[static_cast<std::size_t>(uniform01(engine) * static_cast<double>(i))]
        );
    }
    Points<D> points;
    for (int d = 0; d < D; ++d) {
        points.x[d].resize(order.size());
    }
    for (std::size_t i = 0; i < order.size(); ++i) {
        const auto at = z_coordinates<D>(static_cast<ZCode>(i / per_box));
        for (int d = 0; d < D; ++d) {
            points.x[d][order[i]] = side * (at[d] + uniform01(engine));
        }
    }
    for (auto& x : points.x) { // the corners make the tree divide the unit square or cube
        x[order.front()] = 0;
        x[order.back()] = 1;
    }
    return points;
}

LawSet& choose_law(const NearOptions& options) {
    return options.precision == Precision::single_precision
               ? law_of_name<float>(options.law_name())
               : law_of_name<double>(options.law_name());
}

int run_near_field(const NearOptions& options) {
    TracedRun traced(options.trace);
    Runtime runtime(profiled(options.runtime));
    traced.begin(runtime);
    note(options.telling, runtime.notice());
    Progress progress("nearfield", options.telling);
    progress.tell("summing " + std::to_string(options.per_box) + " points a box");
    const NearReport report = options.dimension == 2
                                  ? NearRun<2>(runtime, options).evaluate(options.implementation)
                                  : NearRun<3>(runtime, options).evaluate(options.implementation);
    traced.end(runtime);
    if (!options.json.empty()) {
        write_near_json(options.json, {report});
    }
    if (!options.telling.quiet) {
        print_near_report(report);
    }
    if (passes(report)) {
        return 0;
    }
    const double tolerance = options.relative_tolerance();
    std::printf("check failed: %.3e exceeds the tolerance %.3e\n", *report.error, tolerance);
    return 1;
}

int run_near_table(const NearOptions& options) {
    Runtime runtime(profiled(options.runtime));
    note(options.telling, runtime.notice());
    Progress progress("nearfield", options.telling);
    print_near_table_head(options, runtime.n_cuda() > 0);
    std::vector<NearReport> reports;
    bool all_pass = true;
    for (const std::size_t per_box : {8, 16, 32, 64, 128, 256, 512}) {
        progress.tell(std::to_string(per_box) + " points a box");
        const NearRow row = options.dimension == 2 ? measure_row<2>(runtime, options, per_box)
                                                   : measure_row<3>(runtime, options, per_box);
        progress.tell("");
        print_near_row(row);
        for (const NearReport& report : {row.bpb, row.improved, row.automatic}) {
            all_pass = all_pass && passes(report);
            reports.push_back(report);
        }
    }
    if (!options.json.empty()) {
        write_near_json(options.json, reports);
    }
    return all_pass ? 0 : 1;
}

template Points<2> points_in_boxes<2>(int, std::size_t, std::uint64_t);
template Points<3> points_in_boxes<3>(int, std::size_t, std::uint64_t);

} // namespace starfmm

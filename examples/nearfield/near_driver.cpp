// SPDX-License-Identifier: BSD-3-Clause
#include "examples/nearfield/near_driver.hpp"

#include "core/expansions/kernels2d.hpp"
#include "core/expansions/kernels3d.hpp"
#include "core/particles/distributions.hpp"
#include "core/reference/direct_sum.hpp"
#include "core/tree/morton.hpp"
#include "examples/cli/progress.hpp"
#include "examples/cli/traced_run.hpp"
#include "examples/nearfield/near_report.hpp"
#include "schedulers/trace/trace.hpp"

#include <algorithm>
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
        sum += phase.name.starts_with("p2p") ? phase.time_s : 0;
    }
    return sum;
}

/// The error of what the law names: accelerations are the gradient alone.
double check_values(
    const NearOptions& options,
    const KernelTraits& kernel,
    const PointsRef& points,
    const Strengths& strengths,
    const Potentials& values
) {
    const auto which = random_targets(points.size(), options.check, options.seed);
    const PairFilter near = near_pairs(points, points, options.tree_height());
    const DirectSum exact = direct_sum(kernel.exact(0), points, strengths, points, which, near);
    const double of_potential =
        options.law_name() == "gravity" ? 0 : compare(values, exact, which).l2_rel;
    const double of_gradient =
        kernel.n_values > 2 ? compare_gradient(values, exact, which).l2_rel : 0;
    return std::max(of_potential, of_gradient);
}

/// Runs one number of points a box, for both modes.
class NearRun {
public:
    NearRun(Runtime& runtime, const NearOptions& options)
        : runtime_(runtime), options_(options), points_(points_of(options)),
          strengths_(
              make_strengths(points_.size(), StrengthSign::random, StrengthType::real, options.seed)
          ) {}

    NearReport evaluate(PairScheme implementation) {
        NearReport report;
        report.options = options_;
        report.options.implementation = implementation;
        report.n = points_.size();
        KernelSet& kernel = choose_law(options_);
        Plan plan(runtime_, kernel, points_, report.options.plan());
        report.times.topology = plan.info().topology_s;
        report.n_pairs = static_cast<double>(plan.info().work.p2p_pairs);
        report.n_groups = plan.info().groups;
        report.describe(runtime_);
        const Potentials values = repeat(plan, report);
        if (options_.check > 0) {
            report.error = check_values(options_, kernel.traits, points_, strengths_, values);
        }
        return report;
    }

private:
    static AnyPoints points_of(const NearOptions& options) {
        const int height = options.tree_height();
        return options.dimension == 2
                   ? AnyPoints(points_in_boxes<2>(height, options.per_box, options.seed))
                   : AnyPoints(points_in_boxes<3>(height, options.per_box, options.seed));
    }

    /// Evaluates `warmup + repeat` times.
    Potentials repeat(Plan& plan, NearReport& report) {
        Potentials values;
        for (int run = -options_.warmup; run < options_.repeat; ++run) {
            runtime_.clear_records();
            const std::size_t tasks_before = runtime_.n_tasks();
            const double start = now();
            plan.evaluate(strengths_, values);
            if (run >= 0) {
                report.times.sum.push_back(now() - start);
                report.times.tasks.push_back(near_task_seconds(runtime_));
            }
            report.tasks = runtime_.n_tasks() - tasks_before;
        }
        return values;
    }

    Runtime& runtime_;
    NearOptions options_;
    AnyPoints points_;
    Strengths strengths_;
};

NearRow measure_row(Runtime& runtime, NearOptions options, std::size_t per_box) {
    options.per_box = per_box;
    NearRun run(runtime, options);
    return {
        run.evaluate(PairScheme::one_way),
        run.evaluate(PairScheme::both_ways),
        run.evaluate(PairScheme::automatic)};
}

bool passes(const NearReport& report) {
    return !report.error || *report.error <= report.options.relative_tolerance();
}

template <class Real>
KernelSet& law_of_name(const std::string& name) {
    using Getter = KernelSet& (*)();
    static const std::map<std::string, Getter> laws{
        {"harmonic", kernel_set<Harmonic<Real, false>>},
        {"log", kernel_set<Log<Real>>},
        {"gravity", kernel_set<LaplaceGradient<Real>>},
        {"laplace", kernel_set<Laplace<Real>>},
        {"laplace_gradient", kernel_set<LaplaceGradient<Real>>}};
    return laws.at(name)();
}

} // namespace

template <int D>
Points<D> points_in_boxes(int height, std::size_t per_box, std::uint64_t seed) {
    const std::size_t n_boxes = std::size_t(1) << (D * height);
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

KernelSet& choose_law(const NearOptions& options) {
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
    const NearReport report = NearRun(runtime, options).evaluate(options.implementation);
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
        const NearRow row = measure_row(runtime, options, per_box);
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

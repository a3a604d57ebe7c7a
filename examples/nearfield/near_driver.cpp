// SPDX-License-Identifier: BSD-3-Clause
#include "examples/nearfield/near_driver.hpp"

#include "core/particles/distributions.hpp"
#include "core/tree/morton.hpp"
#include "examples/cli/problem.hpp"
#include "examples/cli/progress.hpp"
#include "examples/cli/traced_run.hpp"
#include "examples/nearfield/near_report.hpp"
#include "schedulers/starfmm/detail/access.hpp"
#include "schedulers/trace/trace.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
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
double error_of(const Errors& errors, const NearOptions& options) {
    double largest = 0;
    for (const PartErrors& part : errors.parts) {
        const bool is_named = options.law_name() != "gravity" || part.name == "gradient";
        largest = is_named ? std::max(largest, part.l2) : largest;
    }
    return largest;
}

Kernel law_of(const NearOptions& options) {
    const std::string law = options.law_name();
    if (options.dimension == 3) {
        return Laplace3d{.gradient = law != "laplace"};
    }
    return law == "log" ? Kernel(Log2d{}) : Kernel(Harmonic2d{});
}

/// Runs one number of points a box, for both modes.
class NearRun {
public:
    NearRun(Context& context, const NearOptions& options)
        : context_(context), options_(options), points_(points_of(options)),
          strengths_(
              make_strengths(points_.size(), StrengthSign::random, StrengthType::real, options.seed)
          ) {}

    NearReport evaluate(PairScheme implementation) {
        NearReport report;
        report.options = options_;
        report.options.implementation = implementation;
        report.n = points_.size();
        Sum sum(context_, law_of(options_), sum_options(report.options));
        const PlanInfo& plan = detail::Access::plan(sum);
        report.times.topology = plan.topology_s;
        report.n_pairs = static_cast<double>(plan.work.p2p_pairs);
        report.n_groups = plan.groups;
        report.describe(detail::Access::runtime(context_));
        const std::size_t n_values = sum.kernel().shape().n_values();
        std::vector<double> values(n_values * report.n); // [v][n]
        const ArrayView view(
            values.data(), {report.n, n_values}, {1, static_cast<std::ptrdiff_t>(report.n)}
        );
        repeat(sum, view, report);
        if (options_.check > 0) {
            const Errors errors = sum.check(strengths_.re, view, options_.check, options_.seed);
            report.error = error_of(errors, options_);
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

    [[nodiscard]] SumOptions sum_options(const NearOptions& options) const {
        const PlanOptions plan = options.plan();
        Choices choices{.levels = plan.levels, .pairs = plan.pairs};
        if (plan.groups > 0) {
            choices.groups = plan.groups;
        }
        return {
            .sources = view_of(points_),
            .tolerance = plan.tolerance,
            .method = plan.method,
            .precision = options.precision,
            .choices = choices,
            .borrow_points = true};
    }

    /// Evaluates `warmup + repeat` times.
    void repeat(Sum& sum, const ArrayView& values, NearReport& report) {
        Runtime& runtime = detail::Access::runtime(context_);
        for (int run = -options_.warmup; run < options_.repeat; ++run) {
            runtime.clear_records();
            const std::size_t tasks_before = runtime.n_tasks();
            const double start = now();
            sum(strengths_.re, values);
            if (run >= 0) {
                report.times.sum.push_back(now() - start);
                report.times.tasks.push_back(near_task_seconds(runtime));
            }
            report.tasks = runtime.n_tasks() - tasks_before;
        }
    }

    Context& context_;
    NearOptions options_;
    AnyPoints points_;
    Strengths strengths_;
};

NearRow measure_row(Context& context, NearOptions options, std::size_t per_box) {
    options.per_box = per_box;
    NearRun run(context, options);
    return {
        run.evaluate(PairScheme::one_way),
        run.evaluate(PairScheme::both_ways),
        run.evaluate(PairScheme::automatic)};
}

bool passes(const NearReport& report) {
    return !report.error || *report.error <= report.options.relative_tolerance();
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

int run_near_field(const NearOptions& options) {
    TracedRun traced(options.trace);
    Context context = detail::Access::start(profiled(options.runtime));
    traced.begin(detail::Access::runtime(context));
    note(options.telling, context.notice());
    Progress progress("nearfield", options.telling);
    progress.tell("summing " + std::to_string(options.per_box) + " points a box");
    const NearReport report = NearRun(context, options).evaluate(options.implementation);
    traced.end(detail::Access::runtime(context));
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
    Context context = detail::Access::start(profiled(options.runtime));
    note(options.telling, context.notice());
    Progress progress("nearfield", options.telling);
    print_near_table_head(options, context.gpus() > 0);
    std::vector<NearReport> reports;
    bool all_pass = true;
    for (const std::size_t per_box : {8, 16, 32, 64, 128, 256, 512}) {
        progress.tell(std::to_string(per_box) + " points a box");
        const NearRow row = measure_row(context, options, per_box);
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

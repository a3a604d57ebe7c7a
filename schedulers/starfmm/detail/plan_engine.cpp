// SPDX-License-Identifier: BSD-3-Clause
#include "starfmm/detail/plan_engine.hpp"

#include "core/error.hpp"
#include "core/reference/direct_sum.hpp"
#include "schedulers/costs/tuning.hpp"

#include <chrono>
#include <string>
#include <utility>

namespace starfmm::detail {

void describe_plan(const PlanInfo& info, Report& report) {
    report.method = info.method;
    report.predicted_fmm_s = info.predicted_fmm_s;
    report.predicted_direct_s = info.predicted_direct_s;
    report.why_direct = report.why_direct.empty() ? info.why_direct : report.why_direct;
    report.reachable_tolerance = info.reachable_tolerance;
    if (info.method == Method::fmm) {
        report.tree = info.tree;
        report.order = info.order;
        report.theta = info.theta;
        report.levels = info.levels;
        report.leaves = info.leaves;
        report.leaf_size = info.tree == TreeKind::orthtree ? info.leaf_size : 0;
        report.roots = info.tree == TreeKind::orthtree ? info.roots : 0;
        report.groups = info.groups;
        report.chunks = info.chunks;
    }
}

void set_choices(const Choices& choices, PlanOptions& plan) {
    const auto set = [](const auto& choice, auto& field) { field = choice.value_or(field); };
    set(choices.tree, plan.tree);
    set(choices.order, plan.order);
    set(choices.theta, plan.theta);
    set(choices.heavy_theta, plan.heavy_theta);
    set(choices.terms, plan.terms);
    set(choices.leaf_size, plan.leaf_size);
    set(choices.levels, plan.levels);
    set(choices.roots, plan.roots);
    set(choices.groups, plan.groups);
    set(choices.chunks, plan.chunks);
    set(choices.plane_waves, plan.plane_waves);
    set(choices.pairs, plan.pairs);
    set(choices.tuning, plan.tuning);
    set(choices.team, plan.team);
    set(choices.lists, plan.lists);
    set(choices.summation, plan.direct.order);
    set(choices.target_block, plan.direct.target_block);
    set(choices.source_block, plan.direct.source_block);
}

PlanOptions plan_options(const SumOptions& options) {
    if (options.tolerance.of() != Tolerance::Of::l2) {
        throw InputError("tolerance: of the median is kept by gravity alone; give it in L2");
    }
    const Choices& choices = options.choices;
    if (options.method == Method::near_field && !choices.levels) {
        throw InputError("levels: a near field is of boxes of one level, which has no default");
    }
    if (choices.own_error || choices.heavy_theta || choices.far_field) {
        const std::string name = choices.own_error     ? "own_error"
                                 : choices.heavy_theta ? "heavy_theta"
                                                       : "far_field";
        throw InputError(name + ": is of gravity alone; leave it out");
    }
    PlanOptions plan;
    plan.method = options.method;
    plan.tolerance = options.tolerance.value();
    set_choices(choices, plan);
    return plan;
}

PlanEngine::PlanEngine(Runtime& runtime, ChoosePlan choose, Planning planning)
    : runtime_(runtime), choose_(std::move(choose)), planning_(planning) {}

void PlanEngine::place(const PlacedPoints& points) {
    points_ = &points;
    try {
        const PlanChoice choice = prepared_ ? *prepared_ : choose_(runtime_, points, {})();
        if (planning_ == Planning::at_once) {
            rebuild(choice);
        } else {
            choice.options.validate(points.sources().dimension());
            plan_.reset();
        }
    } catch (...) {
        points_ = nullptr; // the caller keeps no points that are refused
        throw;
    }
}

void PlanEngine::check_points() const {
    if (points_ == nullptr) {
        throw InputError("the sum has no points: those of its last move were refused");
    }
}

void PlanEngine::prepare(std::span<const StrengthsRef> strengths) {
    check_points();
    static_cast<void>(choose_(runtime_, *points_, {})()); // for the points may be new
    prepared_ = choose_(runtime_, *points_, strengths)();
    if (!plan_) {
        chosen_ = *prepared_;
    }
    const KernelTraits& kernel = prepared_->kernel->traits;
    if (prepared_->options.method == Method::near_field || kernel.order == nullptr) {
        return; // which leave nothing to choose by costs
    }
    const auto start = std::chrono::steady_clock::now();
    const std::size_t n_sources = points_->sources().size();
    const std::size_t n_targets = points_->evaluation_points().size();
    notice_ = tuned_costs(
                  runtime_,
                  *prepared_->kernel,
                  prepared_->options,
                  {n_sources, n_targets, points_->has_targets()}
    )
                  .notice;
    tuning_s_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void PlanEngine::rebuild(const PlanChoice& choice) {
    const bool is_same = plan_ && choice == chosen_;
    try {
        is_same ? replace_points() : make_plan(choice);
        runtime_.wait(); // errors of tasks are this call's
    } catch (...) {
        plan_.reset(); // its points may be missing
        throw;
    }
}

void PlanEngine::replace_points() {
    if (points_->has_targets()) {
        plan_->rebuild(points_->sources(), points_->evaluation_points());
    } else {
        plan_->rebuild(points_->sources());
    }
}

void PlanEngine::make_plan(const PlanChoice& choice) {
    const PointsRef sources = points_->sources();
    const PointsRef targets = points_->evaluation_points();
    plan_.reset(); // its memory first
    plan_ = points_->has_targets()
                ? std::make_unique<Plan>(runtime_, *choice.kernel, sources, targets, choice.options)
                : std::make_unique<Plan>(runtime_, *choice.kernel, sources, choice.options);
    chosen_ = choice;
}

void PlanEngine::evaluate(
    std::span<const StrengthsRef> strengths, std::span<const ResultsRef> values
) {
    check_points();
    std::optional<PlanChoice> choice = prepared_;
    const FinishChoice finish = choice ? nullptr : choose_(runtime_, *points_, strengths);
    if (plan_ && !choice && runtime_.n_cuda() > 0) { // which sum while the host looks
        sum(strengths, values, [&] { choice = finish(); });
        choice = choice ? choice : finish();
        if (*choice == chosen_) {
            return;
        }
    }
    choice = choice ? choice : finish();
    if (!plan_ || *choice != chosen_) {
        make_plan(*choice); // the evaluation waits for it
    }
    sum(strengths, values, {});
}

void PlanEngine::sum(
    std::span<const StrengthsRef> strengths,
    std::span<const ResultsRef> values,
    const WhileSumming& meanwhile
) {
    try {
        plan_->evaluate(strengths, values, meanwhile);
    } catch (const InputError&) { // of the strengths: the plan is whole
        throw;
    } catch (...) {
        plan_.reset();
        throw;
    }
}

void PlanEngine::describe(Report& report) {
    report.precision = chosen_.precision;
    report.why_direct = chosen_.why_direct;
    report.why_precision = chosen_.why_precision;
    report.tuning_s = tuning_s_;
    report.notice = notice_;
    if (!plan_) {
        return;
    }
    describe_plan(plan_->info(), report);
    if (report.method == Method::near_field) {
        report.levels = chosen_.options.levels;
    }
}

Choices PlanEngine::choices() {
    Choices choices;
    if (!plan_) {
        return choices;
    }
    const PlanInfo& info = plan_->info();
    if (info.method == Method::near_field) {
        choices.levels = chosen_.options.levels;
    }
    if (info.method != Method::fmm) {
        return choices;
    }
    choices.tree = info.tree;
    choices.order = info.order;
    choices.theta = info.theta;
    if (info.tree == TreeKind::pyramid) {
        choices.levels = info.levels;
    } else {
        choices.leaf_size = info.leaf_size;
        choices.roots = info.roots;
    }
    return choices;
}

std::vector<MeshLeaf> PlanEngine::mesh(std::size_t leaf) {
    if (!plan_ || plan_->info().method != Method::fmm) {
        return {};
    }
    const std::size_t n = plan_->info().leaves;
    if (leaf >= n) {
        throw InputError(
            "leaf = " + std::to_string(leaf) + ": the tree has " + std::to_string(n) + " leaves"
        );
    }
    return plan_->mesh(leaf);
}

const PlanInfo* PlanEngine::plan_info() {
    return plan_ ? &plan_->info() : nullptr;
}

namespace {

ExactValues exact_values(
    const ExactKernel& kernel,
    const PlacedPoints& points,
    const Components& strengths,
    const std::vector<std::size_t>& which,
    const PairFilter& acts
) {
    const StrengthsRef given(
        strengths[0], strengths.size() > 1 ? strengths[1] : std::span<const double>()
    );
    DirectSum sum =
        direct_sum(kernel, points.sources(), given, points.evaluation_points(), which, acts);
    ExactValues exact{{std::move(sum.re)}, {std::move(sum.magnitude)}};
    if (kernel.n_values == 2) {
        exact.components.push_back(std::move(sum.im));
    }
    if (kernel.n_values > 2) {
        exact.magnitudes.push_back(std::move(sum.gradient_magnitude));
        for (int d = 0; d < kernel.dimension; ++d) {
            exact.components.push_back(std::move(sum.gradient[d]));
        }
    }
    return exact;
}

} // namespace

KernelEntry plan_entry(
    KernelShape shape,
    const KernelTraits& kernel,
    double epsilon,
    std::function<ChoosePlan(const SumOptions& options)> choose
) {
    const auto make = [choose = std::move(choose)](
                          Runtime& runtime, const SumOptions& options
                      ) -> std::unique_ptr<SumEngine> {
        return std::make_unique<PlanEngine>(runtime, choose(options), options.planning);
    };
    const auto exact = [exact = kernel.exact(epsilon)](
                           const PlacedPoints& points,
                           const Components& strengths,
                           const std::vector<std::size_t>& which,
                           const PairFilter& acts
                       ) { return exact_values(exact, points, strengths, which, acts); };
    return {std::move(shape), make, exact};
}

} // namespace starfmm::detail

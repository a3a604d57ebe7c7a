// SPDX-License-Identifier: BSD-3-Clause
#include "starfmm/detail/plan_engine.hpp"

#include "core/error.hpp"

#include <utility>

namespace starfmm::detail {

namespace {

void fill(const PlanInfo& info, Report& report) {
    report.method = info.method;
    report.predicted_fmm_s = info.predicted_fmm_s;
    report.predicted_direct_s = info.predicted_direct_s;
    report.reachable_tolerance = info.reachable_tolerance;
    if (info.method == Method::fmm) {
        report.tree = info.tree;
        report.order = info.order;
        report.theta = info.theta;
        report.levels = info.levels;
        report.leaves = info.leaves;
    }
}

} // namespace

PlanOptions plan_options(const SumOptions& options) {
    if (options.tolerance.of() != Tolerance::Of::l2) {
        throw InputError("tolerance: of the median is kept by gravity alone; give it in L2");
    }
    const Choices& choices = options.choices;
    if (choices.own_error) {
        throw InputError("own_error: is of gravity alone; leave it out");
    }
    PlanOptions plan;
    plan.method = options.method;
    plan.tolerance = options.tolerance.value();
    plan.tree = choices.tree.value_or(plan.tree);
    plan.order = choices.order.value_or(plan.order);
    plan.theta = choices.theta.value_or(plan.theta);
    plan.leaf_size = choices.leaf_size.value_or(plan.leaf_size);
    plan.levels = choices.levels.value_or(plan.levels);
    plan.roots = choices.roots.value_or(plan.roots);
    plan.groups = choices.groups.value_or(plan.groups);
    plan.chunks = choices.chunks.value_or(plan.chunks);
    plan.plane_waves = choices.plane_waves.value_or(plan.plane_waves);
    plan.tuning = choices.tuning.value_or(plan.tuning);
    plan.team = choices.team.value_or(plan.team);
    return plan;
}

PlanEngine::PlanEngine(Runtime& runtime, ChoosePlan choose)
    : runtime_(runtime), choose_(std::move(choose)) {}

void PlanEngine::place(const PlacedPoints& points) {
    points_ = &points;
    rebuild(choose_(points, {}));
}

void PlanEngine::rebuild(const PlanChoice& choice) {
    const PointsRef sources = points_->sources;
    const PointsRef targets = points_->evaluation_points();
    const bool are_one = points_->targets.x.empty();
    if (plan_ && choice == chosen_) {
        are_one ? plan_->rebuild(sources) : plan_->rebuild(sources, targets);
        return;
    }
    plan_.reset(); // its memory first
    plan_ =
        are_one
            ? std::make_unique<Plan>(runtime_, *choice.kernel, sources, choice.options)
            : std::make_unique<Plan>(runtime_, *choice.kernel, sources, targets, choice.options);
    chosen_ = choice;
}

std::vector<Components> PlanEngine::evaluate(std::span<const Components> strengths) {
    std::vector<Strengths> all;
    for (const Components& each : strengths) {
        all.push_back(strengths_of(each));
    }
    const PlanChoice choice = choose_(*points_, all);
    if (!plan_ || choice != chosen_) {
        rebuild(choice);
    }
    std::vector<Components> values;
    for (Potentials& each : plan_->evaluate(all)) {
        values.push_back(components_of(std::move(each)));
    }
    return values;
}

void PlanEngine::describe(Report& report) {
    report.precision = chosen_.precision;
    report.why_direct = chosen_.why_direct;
    fill(plan_->info(), report);
}

Choices PlanEngine::choices() {
    const PlanInfo& info = plan_->info();
    Choices choices;
    if (info.method == Method::direct) {
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

Strengths strengths_of(const Components& components) {
    return {components[0], components.size() > 1 ? components[1] : std::vector<double>()};
}

Components components_of(Potentials&& potentials) {
    Components components;
    components.push_back(std::move(potentials.re));
    if (!potentials.im.empty()) {
        components.push_back(std::move(potentials.im));
    }
    for (std::vector<double>& derivative : potentials.gradient) {
        if (!derivative.empty()) {
            components.push_back(std::move(derivative));
        }
    }
    return components;
}

} // namespace starfmm::detail

// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/plan/plan.hpp"

#include "core/error.hpp"
#include "schedulers/costs/tuning.hpp"
#include "schedulers/plan/mesh.hpp"
#include "schedulers/plan/plan_input.hpp"
#include "schedulers/plan/plan_state.hpp"
#include "schedulers/plan/reach.hpp"

#include <string>

namespace starfmm {

namespace {

/// Method, theta, order and levels.
PlanInfo
decide(Runtime& runtime, KernelSet& kernel, const PlanOptions& options, const ProblemSize& size) {
    check_precision(kernel.traits, options.tolerance);
    const WorkerCounts workers{runtime.n_cpu(), runtime.n_cuda()};
    const TunedCosts tuned = tuned_costs(runtime, kernel, options, size);
    const Choice choice = choose(options, kernel.traits, size, tuned.costs, workers);
    if (choice.method == Method::fmm && options.order == 0) {
        check_order(kernel.traits, options.tolerance, choice.theta);
    }
    PlanInfo chosen;
    chosen.method = choice.method;
    chosen.theta = choice.theta;
    chosen.order = choice.order;
    chosen.tree = options.tree;
    chosen.levels = options.tree == TreeKind::pyramid ? choice.levels : 0;
    chosen.leaf_size = options.tree == TreeKind::orthtree ? choice.leaf_size : 0;
    chosen.predicted_fmm_s = choice.fmm_s;
    chosen.predicted_direct_s = choice.direct_s;
    chosen.costs = is_automatic(options, kernel.traits.dimension) ? tuned.source : CostSource::none;
    chosen.tuning_notice = tuned.notice;
    return chosen;
}

void check_dimension(const KernelTraits& kernel, const PointsRef& points) {
    if (points.dimension() != kernel.dimension) {
        throw InputError(
            "kernel " + kernel.name + ": takes points of " + std::to_string(kernel.dimension) +
            " dimensions, not of " + std::to_string(points.dimension())
        );
    }
}

void rebuild_state(
    PlanState& state, const PointsRef& sources, const PointsRef& targets, PointSets sets
) {
    check_dimension(state.kernel.traits, sources);
    check_dimension(state.kernel.traits, targets);
    check_sizes(sources, "sources");
    check_sizes(targets, "targets");
    const ProblemSize size{sources.size(), targets.size(), sets == PointSets::two};
    const PlanInfo decided = decide(state.runtime, state.kernel, state.options, size);
    state.build(decided, sources, targets, sets);
}

} // namespace

Plan::Plan(
    Runtime& runtime, KernelSet& kernel, const Points<2>& sources, const PlanOptions& options
)
    : Plan(runtime, kernel, PointsRef(sources), options) {}

Plan::Plan(
    Runtime& runtime,
    KernelSet& kernel,
    const Points<2>& sources,
    const Points<2>& targets,
    const PlanOptions& options
)
    : Plan(runtime, kernel, PointsRef(sources), PointsRef(targets), options) {}

Plan::Plan(
    Runtime& runtime, KernelSet& kernel, const PointsRef& sources, const PlanOptions& options
)
    : state_(new PlanState{runtime, kernel, options, {}, 0, 0, nullptr, nullptr, nullptr}) {
    options.validate(kernel.traits.dimension);
    rebuild(sources);
}

Plan::Plan(
    Runtime& runtime,
    KernelSet& kernel,
    const PointsRef& sources,
    const PointsRef& targets,
    const PlanOptions& options
)
    : state_(new PlanState{runtime, kernel, options, {}, 0, 0, nullptr, nullptr, nullptr}) {
    options.validate(kernel.traits.dimension);
    rebuild(sources, targets);
}

Plan::~Plan() = default;

void Plan::rebuild(const Points<2>& sources) {
    rebuild(PointsRef(sources));
}

void Plan::rebuild(const Points<2>& sources, const Points<2>& targets) {
    rebuild(PointsRef(sources), PointsRef(targets));
}

void Plan::rebuild(const PointsRef& sources) {
    rebuild_state(*state_, sources, sources, PointSets::one);
}

void Plan::rebuild(const PointsRef& sources, const PointsRef& targets) {
    rebuild_state(*state_, sources, targets, PointSets::two);
}

const PlanInfo& Plan::info() const {
    state_->describe();
    state_->find_reach();
    return state_->info;
}

Potentials Plan::evaluate(const Strengths& strengths) {
    Potentials out;
    evaluate(strengths, out);
    return out;
}

void Plan::evaluate(const Strengths& strengths, Potentials& out) {
    evaluate({&strengths, 1}, {&out, 1});
}

std::vector<Potentials> Plan::evaluate(std::span<const Strengths> strengths) {
    std::vector<Potentials> out(strengths.size());
    evaluate(strengths, out);
    return out;
}

void Plan::evaluate(std::span<const Strengths> strengths, std::span<Potentials> out) {
    if (!state_->tree && !state_->direct) {
        throw InputError("the plan has no points: its last rebuild or evaluation failed");
    }
    if (strengths.size() != out.size()) {
        throw InputError(
            std::to_string(strengths.size()) + " right-hand sides, but room for " +
            std::to_string(out.size()) + " results"
        );
    }
    state_->check_strengths(strengths);
    try {
        state_->evaluate(strengths, out);
    } catch (const InputError&) { // strengths that are not finite
        throw;
    } catch (...) {
        state_->drop();
        throw;
    }
}

std::vector<MeshLeaf> Plan::mesh(std::size_t leaf) {
    if (state_->kernel.traits.dimension != 2) {
        throw InputError("mesh: a picture of points of the plane only");
    }
    state_->describe();
    auto leaves = state_->tree ? mesh_of(*state_->tree, leaf) : std::vector<MeshLeaf>();
    for (MeshLeaf& each : leaves) {
        for (double* bound : {&each.x_min, &each.x_max, &each.y_min, &each.y_max}) {
            *bound = state_->scaling.to_users(*bound);
        }
    }
    return leaves;
}

} // namespace starfmm

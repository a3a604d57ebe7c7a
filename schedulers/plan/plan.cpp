// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/plan/plan.hpp"

#include "core/error.hpp"
#include "schedulers/plan/decide.hpp"
#include "schedulers/plan/mesh.hpp"
#include "schedulers/plan/plan_input.hpp"
#include "schedulers/plan/plan_state.hpp"

#include <string>

namespace starfmm {

namespace {

void check_dimension(const KernelTraits& kernel, const PointsRef& points) {
    if (points.dimension() != kernel.dimension) {
        throw InputError(
            "kernel " + kernel.name + ": takes points of " + std::to_string(kernel.dimension) +
            " dimensions, not of " + std::to_string(points.dimension())
        );
    }
}

void rebuild_state(
    PlanState& state,
    const PointsRef& sources,
    const PointsRef& targets,
    PointSets sets,
    const LastField* field = nullptr
) {
    check_dimension(state.kernel.traits, sources);
    check_dimension(state.kernel.traits, targets);
    check_sizes(sources, "sources");
    check_sizes(targets, "targets");
    check_lengths(state.kernel.traits, sources, targets, sets);
    const ProblemSize size{sources.size(), targets.size(), sets == PointSets::two};
    state.field = field;
    const PlanInfo decided = decide(state.runtime, state.kernel, state.options, size);
    if (decided.method != Method::direct && sets == PointSets::two && !targets.lengths.empty()) {
        throw InputError("lengths of targets: are of direct sums alone");
    }
    state.build(decided, sources, targets, sets);
}

/// Evaluates; after a failure the plan has no points, unless strengths were refused.
template <class Evaluate>
void evaluate_checked(
    PlanState& state,
    std::span<const StrengthsRef> strengths,
    std::size_t n_results,
    const Evaluate& evaluate
) {
    if (!state.tree && !state.direct) {
        throw InputError("the plan has no points: its last rebuild or evaluation failed");
    }
    if (strengths.size() != n_results) {
        throw InputError(
            std::to_string(strengths.size()) + " right-hand sides, but room for " +
            std::to_string(n_results) + " results"
        );
    }
    state.check_strengths(strengths);
    try {
        evaluate();
    } catch (const InputError&) { // strengths that are refused, perhaps while tasks read them
        state.runtime.wait();
        throw;
    } catch (...) {
        state.drop();
        throw;
    }
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
    : state_(new PlanState{runtime, kernel, options.with_tree(kernel.traits.dimension)}) {
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
    : state_(new PlanState{runtime, kernel, options.with_tree(kernel.traits.dimension)}) {
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

void Plan::rebuild(const PointsRef& sources, const LastField& field) {
    check_field(state_->kernel.traits, state_->options, sources, field);
    rebuild_state(*state_, sources, sources, PointSets::one, &field);
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
    const std::vector<StrengthsRef> views(strengths.begin(), strengths.end());
    evaluate_checked(*state_, views, out.size(), [&] { state_->evaluate(views, out); });
}

void Plan::evaluate(
    std::span<const StrengthsRef> strengths,
    std::span<const ResultsRef> out,
    const WhileSumming& meanwhile
) {
    evaluate_checked(*state_, strengths, out.size(), [&] {
        state_->evaluate(strengths, out, meanwhile);
    });
}

std::vector<MeshLeaf> Plan::mesh(std::size_t leaf) {
    state_->describe();
    auto leaves = state_->tree ? mesh_of(*state_->tree, leaf) : std::vector<MeshLeaf>();
    for (MeshLeaf& each : leaves) {
        for (double* bound :
             {&each.x_min, &each.x_max, &each.y_min, &each.y_max, &each.z_min, &each.z_max}) {
            *bound = state_->scaling.to_users(*bound);
        }
    }
    return leaves;
}

} // namespace starfmm

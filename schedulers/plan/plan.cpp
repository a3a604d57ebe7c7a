// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/plan/plan.hpp"

#include "core/error.hpp"
#include "schedulers/plan/mesh.hpp"
#include "schedulers/plan/plan_state.hpp"

#include <string>

namespace starfmm {

Plan::Plan(
    Runtime& runtime, KernelSet& kernel, const Points<2>& sources, const PlanOptions& options
)
    : state_(new State{runtime, kernel, options, {}, 0, 0, nullptr, nullptr}) {
    options.validate();
    rebuild(sources);
}

Plan::Plan(
    Runtime& runtime,
    KernelSet& kernel,
    const Points<2>& sources,
    const Points<2>& targets,
    const PlanOptions& options
)
    : state_(new State{runtime, kernel, options, {}, 0, 0, nullptr, nullptr}) {
    options.validate();
    rebuild(sources, targets);
}

Plan::~Plan() = default;

void Plan::rebuild(const Points<2>& sources) {
    state_->build(sources, sources, PointSets::one);
}

void Plan::rebuild(const Points<2>& sources, const Points<2>& targets) {
    state_->build(sources, targets, PointSets::two);
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

// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/plan/simulation.hpp"

#include "core/error.hpp"
#include "schedulers/plan/decide.hpp"
#include "schedulers/plan/plan_input.hpp"

#include <algorithm>
#include <sstream>
#include <string>
#include <utility>

namespace starfmm {

namespace {

GravityTreeOptions direct_options(const RunParameters& run) {
    GravityTreeOptions options = direct_gravity(run.epsilon);
    options.g = run.g;
    options.precision = run.precision;
    options.plan.direct.order = SummationOrder::fixed;
    return options;
}

GravityTreeOptions fmm_options(const RunParameters& run) {
    GravityTreeOptions options;
    options.g = run.g;
    options.precision = run.precision;
    options.plan = run.sums;
    options.far_field = FarField::harmonics;
    return options;
}

/// Leaves nothing of the method open.
GravityTreeOptions tree_options(const RunParameters& run) {
    GravityTreeOptions options;
    options.epsilon = run.epsilon;
    options.softening = run.softening;
    options.g = run.g;
    options.precision = run.precision;
    options.plan = run.sums;
    options.own_error = run.own_error;
    return options;
}

/// Options of a tree of one leaf, in which all bodies are near, for where no tree of boxes serves.
PlanOptions one_leaf(PlanOptions options, std::size_t n) {
    constexpr double largest_leaf = 1e6;
    const CartesianChoice last = cartesian_choices(CartesianSeparation::by_theta).back();
    options.theta = last.theta;
    options.order = last.order;
    options.heavy_theta = 0;
    options.leaf_size = std::min(static_cast<double>(n), largest_leaf);
    options.roots = min_roots;
    return options;
}

/// Roots are chosen for boxes of the order that others would take, which is looked at again for
/// them.
GravityTreeOptions
close_tree(Runtime& runtime, const GravityTreeOptions& options, const Bodies& bodies) {
    GravityTreeOptions chosen = GravityTree(runtime, options).choose(bodies);
    if (options.plan.roots == 0 && chosen.plan.method == Method::fmm) {
        GravityTreeOptions with = options;
        with.plan.roots = choose_roots(runtime, chosen, bodies);
        chosen = GravityTree(runtime, with).choose(bodies);
    }
    if (chosen.plan.method == Method::direct) {
        chosen.plan = one_leaf(options.plan, bodies.size());
    }
    return chosen;
}

PlanInfo decide_method(Runtime& runtime, Snapshot& state) {
    RunParameters& run = state.run;
    check_particles(state.particles);
    check_method(run);
    PlanInfo decided;
    decided.method = may_use_fmm(run) ? run.sums.method : Method::direct;
    if (run.has_tree()) {
        const auto chosen = close_tree(runtime, tree_options(run), state.particles.bodies);
        run.sums = chosen.plan;
        run.own_error = chosen.own_error;
        return decided;
    }
    if (may_use_fmm(run) && is_automatic(run.sums)) {
        check_sizes(PointsRef(state.particles.bodies.x), "bodies");
        const std::size_t n = state.particles.size();
        KernelSet& kernel = gravity_kernel(run.softening, run.precision, FarField::harmonics);
        decided = decide(runtime, kernel, run.sums, {n, n, false});
        run.sums = as_decided(run.sums, decided);
    }
    run.sums.method = decided.method;
    return decided;
}

} // namespace

bool may_use_fmm(const RunParameters& run) {
    return run.sums.method == Method::fmm ||
           (run.sums.method == Method::automatic && run.epsilon == 0);
}

void check_method(const RunParameters& run) {
    if (run.softening == Softening::splines) {
        throw InputError("softening: of runs all bodies have one length: use spline or plummer");
    }
    if (run.has_tree()) {
        tree_options(run).validate();
        return;
    }
    if (run.own_error != 0) {
        throw InputError("own_error: of a tree's sums: use method = tree");
    }
    if (run.softening != Softening::plummer) {
        constexpr const char* names[]{"fmm", "direct", "auto"}; // in the order of Method
        throw InputError(
            std::string("method = ") + names[static_cast<int>(run.sums.method)] +
            " and softening = spline: only a tree's sums are softened so: use softening = plummer, "
            "or method = tree"
        );
    }
    if (run.sums.method == Method::fmm && run.epsilon != 0) {
        std::ostringstream message;
        message << "method = fmm and epsilon = " << run.epsilon
                << ": the fast multipole method sums without softening: use epsilon = 0, or "
                   "method = direct";
        throw InputError(message.str());
    }
    if (may_use_fmm(run)) {
        fmm_options(run).validate();
    }
}

Simulation::Simulation(Runtime& runtime, Snapshot start)
    : state_(std::move(start)), decided_(decide_method(runtime, state_)),
      gravity_(make_gravity(runtime, state_.run)), motion_(start_motion(runtime)) {
    if (state_.step == 0) {
        state_.start = conserved();
    }
}

GravityTree Simulation::make_gravity(Runtime& runtime, const RunParameters& run) {
    if (run.has_tree()) {
        return {runtime, tree_options(run)};
    }
    return {runtime, run.sums.method == Method::fmm ? fmm_options(run) : direct_options(run)};
}

/// Sums of a plan that keeps its unit need not go home between steps.
std::unique_ptr<Motion> Simulation::start_by_tasks(Runtime& runtime) {
    GravityTree& gravity = gravity_;
    auto motion = std::make_unique<TaskMotion>(
        runtime,
        state_.particles,
        accelerations_,
        [&gravity](const BodiesRef& bodies, const AccelerationsRef& out) {
            const SumFactors factors = gravity.sum(bodies, out);
            return PlannedSums{factors, gravity.n_parts()};
        }
    );
    motion->evaluate();
    return gravity.keeps_unit() ? std::move(motion) : nullptr;
}

std::unique_ptr<Motion> Simulation::start_motion(Runtime& runtime) {
    std::unique_ptr<Motion> motion;
    if (state_.run.sums.method != Method::direct) {
        motion = start_by_tasks(runtime);
    }
    if (!motion) {
        motion = std::make_unique<HostMotion>(
            state_.particles,
            accelerations_,
            [this](const Bodies& bodies, Accelerations& out) { gravity_.evaluate(bodies, out); }
        );
        motion->evaluate();
    }
    return motion;
}

void Simulation::advance() {
    motion_->step(state_.run.time_step);
    ++state_.step;
    state_.time += state_.run.time_step;
}

const Snapshot& Simulation::snapshot() const {
    motion_->bring_home();
    return state_;
}

const Accelerations& Simulation::accelerations() const {
    motion_->bring_home();
    return accelerations_;
}

Conserved Simulation::conserved() const {
    return motion_->conserved();
}

} // namespace starfmm

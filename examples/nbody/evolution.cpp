// SPDX-License-Identifier: BSD-3-Clause
#include "examples/nbody/evolution.hpp"

#include "core/error.hpp"
#include "examples/cli/option_names.hpp"
#include "examples/gravity/gravity_driver.hpp"
#include "schedulers/plan/gravity_tree.hpp"
#include "schedulers/starfmm/detail/access.hpp"
#include "schedulers/trace/numbers.hpp"

#include <algorithm>
#include <utility>

namespace starfmm {

namespace {

using detail::Access;

/// What is asked of expansions.
GravityTreeOptions gravity_options(const RunParameters& run) {
    GravityTreeOptions options;
    options.epsilon = run.epsilon;
    options.softening = run.softening;
    options.g = run.g;
    options.precision = run.precision;
    options.plan = run.sums;
    options.own_error = run.own_error;
    options.far_field = run.far_field;
    return options;
}

SumOptions sum_options(const Snapshot& state) {
    constexpr double any = 0.5; // of direct sums the precision says all
    const RunParameters& run = state.run;
    const auto& x = state.particles.bodies.x;
    SumOptions options{
        .sources = ConstArrayView::of_columns({x[0], x[1], x[2]}),
        .tolerance = Median{any},
        .method = Method::direct,
        .precision = run.precision,
        .borrow_points = true};
    if (may_use_fmm(run)) {
        options.tolerance = Median{run.sums.tolerance};
        options.method = run.sums.method;
        options.choices = choices_of(run.sums);
        options.choices.far_field = run.far_field;
        options.choices.terms = run.sums.terms;
        if (run.own_error > 0) {
            options.choices.own_error = run.own_error;
        }
    }
    options.choices.summation = SummationOrder::fixed;
    return options;
}

/// Choices for a tree of one leaf, in which all bodies are near, for where no tree of boxes serves.
Choices one_leaf(Choices choices, std::size_t n) {
    constexpr double largest_leaf = 1e6;
    const CartesianChoice last = cartesian_choices(CartesianSeparation::by_theta).back();
    choices.theta = last.theta;
    choices.order = last.order;
    choices.heavy_theta.reset();
    choices.leaf_size = std::min(static_cast<double>(n), largest_leaf);
    choices.roots = min_roots;
    return choices;
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
    if (!run.has_tree() && run.own_error != 0) {
        throw InputError("own_error: of a tree's sums: use method = tree");
    }
    if (!run.has_tree() && run.softening != Softening::plummer) {
        throw InputError(
            std::string("method = ") + name_of(method_names, run.sums.method) +
            " and softening = spline: only a tree's sums are softened so: use softening = plummer, "
            "or method = tree"
        );
    }
    if (!run.has_tree() && run.sums.method == Method::fmm && run.epsilon != 0) {
        throw InputError(
            print_number("method = fmm and epsilon = %g", run.epsilon) +
            ": the fast multipole method sums without softening: use epsilon = 0, or method = "
            "direct"
        );
    }
    if (may_use_fmm(run)) {
        gravity_options(run).validate();
    }
}

Evolution::Evolution(Context& context, Snapshot start) : state_(std::move(start)) {
    check_particles(state_.particles);
    check_method(state_.run);
    if (state_.particles.size() == 0) {
        throw InputError("no bodies: at least one is needed");
    }
    SumOptions options = sum_options(state_);
    begin(context, options);
    if (state_.run.has_tree() && sum_->report().method == Method::direct) {
        options.choices = one_leaf(options.choices, state_.particles.size());
        begin(context, options);
    }
    close();
    if (state_.step == 0) {
        state_.start = conserved();
    }
}

void Evolution::begin(Context& context, const SumOptions& options) {
    leapfrog_.reset();
    sum_.reset();
    const RunParameters& run = state_.run;
    const Kernel kernel = gravity_kernel(run.softening, run.epsilon, run.g, true);
    sum_.emplace(context, kernel, options);
    leapfrog_.emplace(Access::leapfrog(*sum_, state_.particles, run.time_step));
}

void Evolution::close() {
    report_ = sum_->report();
    plan_ = Access::plan(*sum_);
    plan_.leaves = 0; // other ones at each step
    plan_.reachable_tolerance = 0;
    RunParameters& run = state_.run;
    run.precision = report_.precision;
    PlanOptions& sums = run.sums;
    sums.method = report_.method;
    if (sums.method == Method::fmm) {
        const Choices chosen = sum_->choices();
        sums.order = chosen.order.value();
        sums.theta = chosen.theta.value();
        sums.leaf_size = chosen.leaf_size.value();
        sums.roots = chosen.roots.value();
        sums.terms = chosen.terms.value();
        sums.heavy_theta = chosen.heavy_theta.value_or(0);
        run.own_error = chosen.own_error.value_or(0);
    }
}

void Evolution::advance() {
    leapfrog_->step();
    ++state_.step;
    state_.time += state_.run.time_step;
}

const Snapshot& Evolution::snapshot() const {
    static_cast<void>(accelerations());
    return state_;
}

const Accelerations& Evolution::accelerations() const {
    return Access::bring_home(*leapfrog_);
}

Errors Evolution::check(std::size_t n, std::uint64_t seed) const {
    const auto& [a, potential] = accelerations();
    const auto values = ConstArrayView::of_columns({a[0], a[1], a[2], potential});
    Errors errors = sum_->check(state_.particles.bodies.mass, values, n, seed);
    errors.parts.pop_back(); // potentials
    return errors;
}

} // namespace starfmm

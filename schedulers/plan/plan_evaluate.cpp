// SPDX-License-Identifier: BSD-3-Clause
#include "core/error.hpp"
#include "schedulers/graphs/evaluation_graph.hpp"
#include "schedulers/plan/plan_state.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace starfmm {

namespace {

/// Of the arrays that results_of() names.
std::array<ArrayRole, most_components> result_roles(int n_components) {
    using Staging = ArrayRole;
    if (n_components == 3) {
        return {Staging::potential_re, Staging::gradient_x, Staging::gradient_y};
    }
    return {Staging::potential_re, Staging::potential_im};
}

} // namespace

void PlanState::evaluate_once(
    const std::vector<double>& re, const std::vector<double>& im, Potentials& out
) {
    resize(out);
    if (scaling.is_users() && evaluate_from(re, im, out)) {
        return;
    }
    const int exponent = strength_exponent(re, im, is_single());
    if (scaling.is_users() && exponent == 0) {
        return; // a few tiny strengths among others
    }
    Potentials own;
    resize(own);
    static_cast<void>(evaluate_from(scaled(re, exponent), scaled(im, exponent), own));
    scaling.to_users(re, exponent, own);
    const auto results = results_of(own, kernel.traits.n_values);
    for (int c = 0; c < kernel.traits.n_values; ++c) {
        write_output(runtime, *results[c], *results_of(out, kernel.traits.n_values)[c]);
    }
}

void PlanState::resize(Potentials& out) const {
    const int n = kernel.traits.n_values;
    out.im.resize(n == 2 ? n_targets : 0);
    for (std::vector<double>& derivative : out.gradient) {
        derivative.resize(n == 3 ? n_targets : 0);
    }
    out.re.resize(n_targets);
}

bool PlanState::evaluate_from(
    const std::vector<double>& re, const std::vector<double>& im, Potentials& out
) {
    using Staging = ArrayRole;
    InputCheck check{strength_range(is_single())};
    if (direct) {
        check.all_in &= are_in(check.range, re, "strengths");
        check.all_in &= are_in(check.range, im, "imaginary strengths");
        direct->evaluate(re, im, out);
        return check.all_in;
    }
    // CPU workers write the results group by group: they go home when all have.
    const auto when = runtime.n_cuda() > 0 ? Results::at_once : Results::at_the_end;
    const std::size_t n = std::max<std::size_t>(1, tree->chunks.size());
    EvaluationArrays arrays{
        {user_input(runtime, re, Staging::strength_re, "strengths", check, n),
         user_input(runtime, im, Staging::strength_im, "imaginary strengths", check, n)},
        {}};
    const auto results = results_of(out, kernel.traits.n_values);
    const auto roles = result_roles(kernel.traits.n_values);
    for (int c = 0; c < kernel.traits.n_values; ++c) {
        arrays.potentials[c] = user_output(runtime, *results[c], roles[c], when, n);
    }
    if (!check.all_in && strength_exponent(re, im, is_single()) != 0) {
        return false;
    }
    submit_evaluation(runtime, kernel, *tree, arrays);
    check_user_input(runtime, re, "strengths", check);
    check_user_input(runtime, im, "imaginary strengths", check);
    runtime.wait();
    for (int c = 0; c < kernel.traits.n_values; ++c) {
        finish_output(runtime, std::move(arrays.potentials[c]), *results[c], roles[c]);
    }
    describe();
    return check.all_in;
}

void PlanState::evaluate(const Strengths& strengths, Potentials& out) {
    if (kernel.traits.n_values == 3 && strengths.is_complex()) {
        throw InputError(
            "kernel " + kernel.traits.name +
            ": takes real strengths: sum real and imaginary parts one "
            "after the other"
        );
    }
    if (kernel.traits.complex_strength && !strengths.is_complex()) {
        evaluate_once(strengths.re, std::vector<double>(n_sources, 0.0), out);
        return;
    }
    evaluate_once(strengths.re, strengths.im, out);
    if (kernel.traits.complex_strength || !strengths.is_complex()) {
        return;
    }
    // Linear in the strengths: Phi(q) = Phi(Re q) + i Phi(Im q).
    Potentials other;
    evaluate_once(strengths.im, {}, other);
    out.im.resize(n_targets, 0.0);
    for (std::size_t i = 0; i < n_targets; ++i) {
        out.im[i] += other.re[i];
        out.re[i] -= other.im.empty() ? 0.0 : other.im[i];
    }
}

} // namespace starfmm

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
    if (n_components == 3) {
        return {ArrayRole::potential_re, ArrayRole::gradient_x, ArrayRole::gradient_y};
    }
    return {ArrayRole::potential_re, ArrayRole::potential_im};
}

std::vector<UserOutput>
user_outputs(Runtime& runtime, Potentials& out, int n_components, Results when) {
    std::vector<UserOutput> outputs;
    for (int c = 0; c < n_components; ++c) {
        std::vector<double>& values = *results_of(out, n_components)[c];
        outputs.emplace_back(runtime, values, result_roles(n_components)[c], when);
    }
    return outputs;
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
    const int n = kernel.traits.n_values;
    const std::vector<UserOutput> outputs = user_outputs(runtime, out, n, Results::at_the_end);
    for (std::size_t c = 0; c < outputs.size(); ++c) {
        outputs[c].write(*results_of(own, n)[c]);
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
    const ValueRange range = strength_range(is_single());
    UserInput inputs[]{
        {runtime, re, ArrayRole::strength_re, "strengths", range},
        {runtime, im, ArrayRole::strength_im, "imaginary strengths", range}};
    if (direct) {
        const bool all_in = check_all(inputs);
        direct->evaluate(re, im, out);
        return all_in;
    }
    // CPU workers write the results group by group: they go home when all have.
    const auto when = runtime.n_cuda() > 0 ? Results::at_once : Results::at_the_end;
    const std::size_t n = std::max<std::size_t>(1, tree->chunks.size());
    EvaluationArrays arrays{{inputs[0].parts(n), inputs[1].parts(n)}, {}};
    const std::vector<UserOutput> outputs =
        user_outputs(runtime, out, kernel.traits.n_values, when);
    for (std::size_t c = 0; c < outputs.size(); ++c) {
        arrays.potentials[c] = outputs[c].parts(n);
    }
    if ((inputs[0].is_known_out() || inputs[1].is_known_out()) &&
        strength_exponent(re, im, is_single()) != 0) {
        return false;
    }
    submit_evaluation(runtime, kernel, *tree, arrays);
    const bool all_in = check_all(inputs);
    runtime.wait();
    for (std::size_t c = 0; c < outputs.size(); ++c) {
        outputs[c].finish(std::move(arrays.potentials[c]));
    }
    describe();
    return all_in;
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

// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/graphs/evaluation_graph.hpp"
#include "schedulers/plan/plan_state.hpp"

#include <algorithm>
#include <utility>

namespace starfmm {

void Plan::State::evaluate_once(
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
    write_output(runtime, own.re, out.re);
    write_output(runtime, own.im, out.im);
}

void Plan::State::resize(Potentials& out) const {
    out.re.resize(n_targets);
    out.im.resize(kernel.traits.complex_value ? n_targets : 0);
}

bool Plan::State::evaluate_from(
    const std::vector<double>& re, const std::vector<double>& im, Potentials& out
) {
    using Staging = Runtime::Staging;
    InputCheck check{strength_range(is_single())};
    if (direct) {
        check.all_in &= are_in(check.range, re, "strengths");
        check.all_in &= are_in(check.range, im, "imaginary strengths");
        direct->evaluate(re, im, out);
        return check.all_in;
    }
    // CPU workers write the results group by group: they go home when all have.
    const auto when = runtime.n_cuda() > 0 ? Results::at_once : Results::at_the_end;
    const std::size_t n = std::max<std::size_t>(1, pyramid->chunks.size());
    EvaluationArrays arrays{
        {user_input(runtime, re, Staging::strength_re, "strengths", check, n),
         user_input(runtime, im, Staging::strength_im, "imaginary strengths", check, n)},
        {user_output(runtime, out.re, Staging::potential_re, when, n),
         user_output(runtime, out.im, Staging::potential_im, when, n)}};
    if (!check.all_in && strength_exponent(re, im, is_single()) != 0) {
        return false;
    }
    submit_evaluation(runtime, kernel, *pyramid, arrays);
    check_user_input(runtime, re, "strengths", check);
    check_user_input(runtime, im, "imaginary strengths", check);
    runtime.wait();
    finish_output(runtime, std::move(arrays.potentials[0]), out.re, Staging::potential_re);
    finish_output(runtime, std::move(arrays.potentials[1]), out.im, Staging::potential_im);
    describe();
    return check.all_in;
}

void Plan::State::evaluate(const Strengths& strengths, Potentials& out) {
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

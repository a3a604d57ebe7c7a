// SPDX-License-Identifier: BSD-3-Clause
#include "core/error.hpp"
#include "core/expansions/columns.hpp"
#include "schedulers/graphs/evaluation_graph.hpp"
#include "schedulers/plan/plan_state.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <utility>

namespace starfmm {

namespace {

using Staging = Runtime::Staging;

/// Of the arrays that results_of() names.
std::array<Staging, most_components> result_roles(int n_components) {
    if (n_components == 3) {
        return {Staging::potential_re, Staging::gradient_x, Staging::gradient_y};
    }
    return {Staging::potential_re, Staging::potential_im};
}

/// In messages.
std::string name_of(std::span<const Strengths> strengths, std::size_t i) {
    const std::string name = "strengths";
    return strengths.size() == 1 ? name : name + " of right-hand side " + std::to_string(i + 1);
}

/// A right-hand side's arrays on their way to tasks and back.
class ColumnArrays {
public:
    ColumnArrays(Runtime& runtime, const KernelTraits& kernel, std::span<const Column> columns)
        : runtime_(runtime), kernel_(kernel), columns_(columns), roles_(result_roles(n_values())) {}

    std::vector<EvaluationArrays> stage(InputCheck& check, std::size_t n_parts) const {
        std::vector<EvaluationArrays> all(columns_.size());
        for (std::uint32_t c = 0; c < all.size(); ++c) {
            const auto take = [&](const auto& values, Staging role, const std::string& what) {
                return user_input(runtime_, values, {role, c}, what, check, n_parts);
            };
            const Column& column = columns_[c];
            all[c].strengths = {
                take(column.re, Staging::strength_re, column.name),
                take(column.im, Staging::strength_im, "imaginary " + column.name)};
            stage_results(c, n_parts, all[c]);
        }
        return all;
    }

    /// What stage() left out, while tasks run.
    void check(InputCheck& check) const {
        for (const Column& column : columns_) {
            check_user_input(runtime_, column.re, column.name, check);
            check_user_input(runtime_, column.im, "imaginary " + column.name, check);
        }
    }

    void finish(std::span<EvaluationArrays> all) const {
        for (std::uint32_t c = 0; c < all.size(); ++c) {
            const auto results = results_of(columns_[c].out, n_values());
            for (int k = 0; k < n_values(); ++k) {
                finish_output(
                    runtime_, std::move(all[c].potentials[k]), *results[k], {roles_[k], c}
                );
            }
        }
    }

private:
    [[nodiscard]] int n_values() const { return kernel_.n_values; }

    void stage_results(std::uint32_t c, std::size_t n_parts, EvaluationArrays& arrays) const {
        // CPU workers write the results group by group: they go home when all have.
        const auto when = runtime_.n_cuda() > 0 ? Results::at_once : Results::at_the_end;
        const auto results = results_of(columns_[c].out, n_values());
        for (int k = 0; k < n_values(); ++k) {
            arrays.potentials[k] =
                user_output(runtime_, *results[k], {roles_[k], c}, when, n_parts);
        }
    }

    Runtime& runtime_;
    const KernelTraits& kernel_;
    std::span<const Column> columns_;
    std::array<Staging, most_components> roles_;
};

} // namespace

void Plan::State::evaluate_columns(std::span<const Column> columns) {
    for (const Column& column : columns) {
        resize(column.out);
    }
    if (scaling.is_users() && evaluate_from(columns)) {
        return;
    }
    for (const Column& column : columns) {
        evaluate_scaled(column);
    }
}

void Plan::State::evaluate_scaled(const Column& column) {
    const int exponent = strength_exponent(column.re, column.im, is_single());
    if (scaling.is_users() && exponent == 0) {
        return; // a few tiny strengths among others
    }
    Potentials own;
    resize(own);
    const auto re = scaled(column.re, exponent);
    const auto im = scaled(column.im, exponent);
    const Column only{re, im, own, column.name};
    static_cast<void>(evaluate_from({&only, 1}));
    scaling.to_users(column.re, exponent, own);
    const auto results = results_of(own, kernel.traits.n_values);
    for (int c = 0; c < kernel.traits.n_values; ++c) {
        write_output(runtime, *results[c], *results_of(column.out, kernel.traits.n_values)[c]);
    }
}

void Plan::State::resize(Potentials& out) const {
    const int n = kernel.traits.n_values;
    out.im.resize(n == 2 ? n_targets : 0);
    for (std::vector<double>& derivative : out.gradient) {
        derivative.resize(n == 3 ? n_targets : 0);
    }
    out.re.resize(n_targets);
}

bool Plan::State::evaluate_from(std::span<const Column> columns) {
    InputCheck check{strength_range(is_single())};
    if (direct) {
        for (const Column& column : columns) {
            check.all_in &= are_in(check.range, column.re, column.name);
            check.all_in &= are_in(check.range, column.im, "imaginary " + column.name);
            direct->evaluate(column.re, column.im, column.out);
        }
        return check.all_in;
    }
    const ColumnArrays users(runtime, kernel.traits, columns);
    auto arrays = users.stage(check, std::max<std::size_t>(1, tree->chunks.size()));
    const Column& first = columns.front();
    if (!check.all_in && columns.size() == 1 &&
        strength_exponent(first.re, first.im, is_single()) != 0) {
        return false;
    }
    if (columns.size() > 1) {
        runtime.check_memory(tree->n_bytes(kernel.traits, columns.size()));
    }
    submit_evaluation(runtime, kernel, *tree, arrays);
    users.check(check);
    runtime.wait();
    users.finish(arrays);
    describe();
    return check.all_in;
}

void Plan::State::check_strengths(std::span<const Strengths> strengths) const {
    for (std::size_t i = 0; i < strengths.size(); ++i) {
        check_sizes(strengths[i], n_sources, name_of(strengths, i));
        if (kernel.traits.n_values == 3 && strengths[i].is_complex()) {
            throw InputError(
                "kernel " + kernel.traits.name +
                ": takes real strengths: sum real and imaginary parts one "
                "after the other"
            );
        }
    }
}

void Plan::State::evaluate(std::span<const Strengths> strengths, std::span<Potentials> out) {
    const std::vector<double> none;
    std::vector<double> zeros;
    std::vector<Potentials> imaginary(strengths.size());
    std::vector<Column> columns;
    for (std::size_t i = 0; i < strengths.size(); ++i) {
        const Strengths& q = strengths[i];
        if (kernel.traits.complex_strength) {
            zeros.resize(q.is_complex() ? zeros.size() : n_sources);
            columns.push_back({q.re, q.is_complex() ? q.im : zeros, out[i], name_of(strengths, i)});
            continue;
        }
        columns.push_back({q.re, none, out[i], name_of(strengths, i)});
        if (q.is_complex()) { // linear in the strengths: Phi(q) = Phi(Re q) + i Phi(Im q)
            columns.push_back({q.im, none, imaginary[i], "imaginary " + name_of(strengths, i)});
        }
    }
    for (std::size_t first = 0; first < columns.size(); first += max_columns) {
        const std::size_t n = std::min<std::size_t>(max_columns, columns.size() - first);
        evaluate_columns(std::span(columns).subspan(first, n));
    }
    for (std::size_t i = 0; i < strengths.size(); ++i) {
        if (!imaginary[i].re.empty()) {
            add_imaginary(imaginary[i], out[i]);
        }
    }
}

void Plan::State::add_imaginary(const Potentials& imaginary, Potentials& out) const {
    out.im.resize(n_targets, 0.0);
    for (std::size_t i = 0; i < n_targets; ++i) {
        out.im[i] += imaginary.re[i];
        out.re[i] -= imaginary.im.empty() ? 0.0 : imaginary.im[i];
    }
}

} // namespace starfmm

// SPDX-License-Identifier: BSD-3-Clause
#include "core/error.hpp"
#include "core/expansions/columns.hpp"
#include "schedulers/costs/tuning.hpp"
#include "schedulers/graphs/evaluation_graph.hpp"
#include "schedulers/plan/plan_input.hpp"
#include "schedulers/plan/plan_state.hpp"
#include "schedulers/runtime/gpu_array.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <utility>

namespace starfmm {

namespace {

constexpr ValueRange any_values{0, std::numeric_limits<double>::max()};

/// Returns the roles of the arrays that results_of() names.
std::array<ArrayRole, most_components> result_roles(int n_components) {
    if (n_components >= 3) {
        return {
            ArrayRole::potential_re,
            ArrayRole::gradient_x,
            ArrayRole::gradient_y,
            ArrayRole::gradient_z};
    }
    return {ArrayRole::potential_re, ArrayRole::potential_im};
}

std::vector<UserOutput> user_outputs(
    Runtime& runtime, const ResultsRef& out, int n_components, std::uint32_t column, Results when
) {
    std::vector<UserOutput> outputs;
    for (int c = 0; c < n_components; ++c) {
        const ArrayPlace place{result_roles(n_components)[c], column};
        outputs.emplace_back(runtime, out[c], place, when);
    }
    return outputs;
}

/// Writes results where tasks have left the user's arrays, and in the user's memory.
void write_results(std::span<const UserOutput> outputs, const ResultsRef& results) {
    for (std::size_t c = 0; c < outputs.size(); ++c) {
        outputs[c].write(results[c]);
    }
}

/// Names a right-hand side in messages.
std::string name_of(std::span<const StrengthsRef> strengths, std::size_t i) {
    const std::string name = "strengths";
    return strengths.size() == 1 ? name : name + " of right-hand side " + std::to_string(i + 1);
}

/// A right-hand side's arrays on their way to tasks and back.
class ColumnArrays {
public:
    ColumnArrays(
        Runtime& runtime,
        const Column& column,
        std::uint32_t index,
        int n_values,
        const ValueRange& range
    )
        : strengths_{
              UserInput(runtime, column.re, {ArrayRole::strength_re, index}, column.name, range),
              UserInput(
                  runtime,
                  column.im,
                  {ArrayRole::strength_im, index},
                  "imaginary " + column.name,
                  range
              )} {
        // CPU workers write the results group by group: they go home when all have.
        const auto when = runtime.engaged().n_cuda > 0 ? Results::at_once : Results::at_the_end;
        results_ = user_outputs(runtime, column.out, n_values, index, when);
        look_on_gpus(runtime, strengths_);
    }

    [[nodiscard]] EvaluationArrays parts(std::size_t n_parts) {
        EvaluationArrays arrays{{strengths_[0].parts(n_parts), strengths_[1].parts(n_parts)}, {}};
        for (std::size_t c = 0; c < results_.size(); ++c) {
            arrays.potentials[c] = results_[c].parts(n_parts);
        }
        return arrays;
    }

    [[nodiscard]] bool is_known_out() const {
        return strengths_[0].is_known_out() || strengths_[1].is_known_out();
    }

    [[nodiscard]] bool has_resident_results() const {
        return std::ranges::any_of(results_, &UserOutput::is_resident);
    }

    /// Looks at values that parts() left out, while tasks run.
    bool check() { return check_all(strengths_); }

    /// Writes results that no task has written.
    void write(const ResultsRef& results) const { write_results(results_, results); }

    void finish(EvaluationArrays& arrays) const {
        for (std::size_t c = 0; c < results_.size(); ++c) {
            results_[c].finish(std::move(arrays.potentials[c]));
        }
    }

private:
    std::array<UserInput, 2> strengths_;
    std::vector<UserOutput> results_;
};

/// Sums every pair, in host memory.
void sum_directly(PlanState& state, const Column& column, const ColumnArrays& arrays) {
    const HostArray re(state.runtime, column.re);
    const HostArray im(state.runtime, column.im);
    if (!arrays.has_resident_results()) {
        state.direct->evaluate(re.values(), im.values(), column.out);
        return;
    }
    state.resize(state.direct_sums);
    const ResultsRef results = results_ref(state.direct_sums, state.kernel.traits.n_values);
    state.direct->evaluate(re.values(), im.values(), results);
    arrays.write(results);
}

/// Looks at all values, and returns whether all are in range.
bool check_columns(std::span<ColumnArrays> columns) {
    bool all_in = true;
    for (ColumnArrays& column : columns) {
        all_in = column.check() && all_in;
    }
    return all_in;
}

} // namespace

void PlanState::evaluate_columns(std::span<const Column> columns, const WhileSumming& meanwhile) {
    runtime.engage(info.team);
    const auto start = std::chrono::steady_clock::now();
    const std::size_t n_records = runtime.records().size();
    if (!scaling.is_users() || !evaluate_from(columns, meanwhile)) {
        for (const Column& column : columns) {
            evaluate_scaled(column);
        }
    }
    if (info.costs == CostSource::cached) {
        const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
        const double predicted_s =
            info.method == Method::direct ? info.predicted_direct_s : info.predicted_fmm_s;
        review_costs(
            runtime,
            kernel,
            {predicted_s, info.topology_s + took.count()},
            std::span(runtime.records()).subspan(n_records)
        );
    }
}

void PlanState::evaluate_scaled(const Column& column) {
    const HostArray users_re(runtime, column.re);
    const HostArray users_im(runtime, column.im);
    const int exponent = exponent_of(column);
    if (scaling.is_users() && exponent == 0) {
        return; // a few tiny strengths among others
    }
    Potentials own;
    resize(own);
    const auto re = scaled(users_re.values(), exponent);
    const auto im = scaled(users_im.values(), kernel.traits.has_lengths ? 0 : exponent);
    const int n = kernel.traits.n_values;
    const Column only{re, im, results_ref(own, n), column.name};
    static_cast<void>(evaluate_from({&only, 1}));
    scaling.to_users(users_re.values(), exponent, own);
    write_results(
        user_outputs(runtime, column.out, n, 0, Results::at_the_end), results_ref(own, n)
    );
}

int PlanState::exponent_of(const Column& column) const {
    const HostArray re(runtime, column.re);
    const HostArray im(runtime, column.im);
    const bool is_part = !kernel.traits.has_lengths; // lengths are none of the strengths
    return strength_exponent(
        re.values(), is_part ? im.values() : std::span<const double>(), is_single()
    );
}

void PlanState::resize(Potentials& out) const {
    const int n = kernel.traits.n_values;
    out.im.resize(n == 2 ? n_targets : 0);
    for (int d = 0; d < static_cast<int>(out.gradient.size()); ++d) {
        out.gradient[d].resize(n >= 3 && d < n - 1 ? n_targets : 0);
    }
    out.re.resize(n_targets);
}

bool PlanState::evaluate_from(std::span<const Column> columns, const WhileSumming& meanwhile) {
    std::vector<ColumnArrays> users;
    for (std::uint32_t c = 0; c < columns.size(); ++c) {
        const ValueRange range = is_packed() ? any_values : strength_range(is_single());
        users.emplace_back(runtime, columns[c], c, kernel.traits.n_values, range);
    }
    if (direct) {
        const bool all_in = check_columns(users);
        for (std::size_t c = 0; c < columns.size(); ++c) {
            sum_directly(*this, columns[c], users[c]);
        }
        return all_in;
    }
    std::vector<EvaluationArrays> arrays;
    arrays.reserve(users.size());
    for (ColumnArrays& column : users) {
        arrays.push_back(column.parts(tree->n_value_chunks()));
    }
    const Column& first = columns.front();
    if (columns.size() == 1 && users.front().is_known_out() && exponent_of(first) != 0) {
        return false;
    }
    check_memory_of(columns.size());
    submit_evaluation(runtime, kernel, *topology, arrays);
    const bool all_in = check_columns(users);
    if (meanwhile) {
        meanwhile();
    }
    runtime.wait();
    for (std::size_t c = 0; c < users.size(); ++c) {
        users[c].finish(arrays[c]);
    }
    describe();
    return all_in;
}

void PlanState::check_memory_of(std::size_t n_columns) const {
    const std::size_t made = tree->groups.front().columns.size();
    if (n_columns > std::max<std::size_t>(1, made)) {
        const std::size_t there_are = made > 0 ? tree->n_bytes(kernel.traits, made) : 0;
        runtime.check_memory(tree->n_bytes(kernel.traits, n_columns) - there_are);
    }
}

void PlanState::check_strengths(std::span<const StrengthsRef> strengths) const {
    for (std::size_t i = 0; i < strengths.size(); ++i) {
        check_sizes(strengths[i], n_sources, name_of(strengths, i));
        if (kernel.traits.n_values >= 3 && strengths[i].is_complex()) {
            throw InputError(
                "kernel " + kernel.traits.name +
                ": takes real strengths: sum real and imaginary parts one "
                "after the other"
            );
        }
    }
}

void PlanState::evaluate(
    std::span<const StrengthsRef> strengths,
    std::span<const ResultsRef> out,
    const WhileSumming& meanwhile
) {
    const auto n_values = static_cast<std::size_t>(kernel.traits.n_values);
    std::vector<Column> columns;
    for (std::size_t i = 0; i < strengths.size(); ++i) {
        const std::string name = name_of(strengths, i);
        if (strengths[i].is_complex() != takes_complex()) {
            throw InputError(
                name + ": kernel " + kernel.traits.name + " takes " +
                (takes_complex() ? "complex" : "real") + " ones"
            );
        }
        for (std::size_t c = 0; c < n_values; ++c) {
            if (out[i][c].size() != n_targets) {
                throw InputError(
                    "results: room for " + std::to_string(out[i][c].size()) + " values, must be " +
                    std::to_string(n_targets) + ", as many as targets"
                );
            }
        }
        const std::span<const double> second =
            kernel.traits.has_lengths ? lengths : strengths[i].im;
        columns.push_back({strengths[i].re, second, out[i], name});
    }
    evaluate_all(columns, meanwhile);
}

void PlanState::evaluate_all(std::span<const Column> columns, const WhileSumming& meanwhile) {
    const std::size_t most = kernel.traits.has_lengths ? 1 : max_columns; // P2P of several has none
    for (std::size_t first = 0; first < columns.size(); first += most) {
        const std::size_t n = std::min(most, columns.size() - first);
        evaluate_columns(columns.subspan(first, n), first == 0 ? meanwhile : WhileSumming());
    }
}

void PlanState::evaluate(std::span<const StrengthsRef> strengths, std::span<Potentials> out) {
    const int n_values = kernel.traits.n_values;
    const std::vector<double> none;
    std::vector<double> zeros;
    std::vector<Potentials> imaginary(strengths.size());
    std::vector<Column> columns;
    for (std::size_t i = 0; i < strengths.size(); ++i) {
        const StrengthsRef& q = strengths[i];
        resize(out[i]);
        const ResultsRef results = results_ref(out[i], n_values);
        if (takes_complex()) {
            zeros.resize(q.is_complex() ? zeros.size() : n_sources);
            const std::span<const double> im = q.is_complex() ? q.im : std::span(zeros);
            columns.push_back({q.re, im, results, name_of(strengths, i)});
            continue;
        }
        columns.push_back({q.re, lengths, results, name_of(strengths, i)});
        if (q.is_complex()) { // linear in the strengths: Phi(q) = Phi(Re q) + i Phi(Im q)
            resize(imaginary[i]);
            columns.push_back(
                {q.im,
                 none,
                 results_ref(imaginary[i], n_values),
                 "imaginary " + name_of(strengths, i)}
            );
        }
    }
    evaluate_all(columns);
    for (std::size_t i = 0; i < strengths.size(); ++i) {
        if (!imaginary[i].re.empty()) {
            add_imaginary(imaginary[i], out[i]);
        }
    }
}

void PlanState::add_imaginary(const Potentials& imaginary, Potentials& out) const {
    out.im.resize(n_targets, 0.0);
    for (std::size_t i = 0; i < n_targets; ++i) {
        out.im[i] += imaginary.re[i];
        out.re[i] -= imaginary.im.empty() ? 0.0 : imaginary.im[i];
    }
}

} // namespace starfmm

// SPDX-License-Identifier: BSD-3-Clause
#include "starfmm/plug_in.hpp"

#include "core/error.hpp"
#include "starfmm/detail/plan_engine.hpp"

#include <utility>

namespace starfmm::detail {

namespace {

std::vector<ValuePart> values_of(const KernelTraits& traits) {
    if (traits.n_values < 3) {
        return {{"value", 0, static_cast<std::size_t>(traits.n_values), 1}};
    }
    const double allowance = traits.dimension == 3 ? gradient_allowance_in_space : 1;
    return {
        {"value", 0, 1, 1},
        {"gradient", 1, static_cast<std::size_t>(traits.n_values) - 1, allowance}};
}

std::unique_ptr<SumEngine>
make_engine(KernelSet& kernel, double epsilon, Runtime& runtime, const SumOptions& options) {
    const bool is_single = kernel.traits.real_size == sizeof(float);
    const Precision precision =
        is_single ? Precision::single_precision : Precision::double_precision;
    if (options.precision != Precision::automatic && options.precision != precision) {
        throw InputError(
            "precision: is that of the kernel " + kernel.traits.name + "; leave it out"
        );
    }
    PlanChoice choice{&kernel, precision, plan_options(options)};
    choice.options.epsilon = epsilon;
    return std::make_unique<PlanEngine>(
        runtime, [choice](const PlacedPoints&, std::span<const Strengths>) { return choice; }
    );
}

AnyPoints chosen(const AnyPoints& points, const std::vector<std::size_t>& which) {
    AnyPoints some;
    for (const std::vector<double>& coordinate : points.x) {
        std::vector<double>& x = some.x.emplace_back();
        for (const std::size_t i : which) {
            x.push_back(coordinate[i]);
        }
    }
    return some;
}

/// The library knows no other definition of the kernel's pairs than its own: sums of them all, in
/// the kernel's precision.
ExactValues sum_every_pair(
    KernelSet& kernel,
    double epsilon,
    Runtime& runtime,
    const PlacedPoints& points,
    const Components& strengths,
    const std::vector<std::size_t>& which
) {
    PlanOptions options;
    options.method = Method::direct;
    options.tuning = Tuning::builtin;
    options.epsilon = epsilon;
    const AnyPoints targets = chosen(points.evaluation_points(), which);
    Plan plan(runtime, kernel, points.sources, targets, options);
    ExactValues exact;
    for (const std::vector<double>& each : components_of(plan.evaluate(strengths_of(strengths)))) {
        exact.components.emplace_back(each.begin(), each.end());
    }
    return exact;
}

} // namespace

Kernel plugged_in(KernelSet& kernel, double epsilon) {
    if (!(epsilon >= 0)) {
        throw InputError("epsilon = " + std::to_string(epsilon) + ": must not be negative");
    }
    const KernelTraits& traits = kernel.traits;
    const KernelShape shape{
        traits.name, traits.dimension, traits.complex_strength ? 2U : 1U, values_of(traits)};
    const auto make = [&kernel, epsilon](Runtime& runtime, const SumOptions& options) {
        return make_engine(kernel, epsilon, runtime, options);
    };
    const auto exact = [&kernel, epsilon](
                           Runtime& runtime,
                           const PlacedPoints& points,
                           const Components& strengths,
                           const std::vector<std::size_t>& which
                       ) {
        return sum_every_pair(kernel, epsilon, runtime, points, strengths, which);
    };
    return Kernel(std::make_shared<const KernelEntry>(KernelEntry{shape, make, exact}));
}

} // namespace starfmm::detail

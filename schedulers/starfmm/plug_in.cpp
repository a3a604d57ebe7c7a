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

ChoosePlan keep_kernel(KernelSet& kernel, double epsilon, const SumOptions& options) {
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
    return [choice](Runtime&, const PlacedPoints&, std::span<const StrengthsRef>) -> FinishChoice {
        return [choice] { return choice; };
    };
}

} // namespace

Kernel plugged_in(KernelSet& kernel, double epsilon) {
    if (!(epsilon >= 0)) {
        throw InputError("epsilon = " + std::to_string(epsilon) + ": must not be negative");
    }
    const KernelTraits& traits = kernel.traits;
    KernelShape shape{
        traits.name, traits.dimension, traits.complex_strength ? 2U : 1U, values_of(traits)};
    const auto choose = [&kernel, epsilon](const SumOptions& options) {
        return keep_kernel(kernel, epsilon, options);
    };
    return Kernel(
        std::make_shared<const KernelEntry>(plan_entry(std::move(shape), traits, epsilon, choose))
    );
}

} // namespace starfmm::detail

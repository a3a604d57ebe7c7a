// SPDX-License-Identifier: BSD-3-Clause
// The kernels of the plane as values.
#include "core/expansions/kernels2d.hpp"
#include "schedulers/plan/inspection/suited_strengths.hpp"
#include "starfmm/detail/plan_engine.hpp"
#include "starfmm/kernel_named.hpp"

#include <utility>

namespace starfmm {

namespace {

using namespace detail;

/// A kernel in both precisions.
struct InPrecisions {
    KernelSet& in_double;
    KernelSet& in_single;
};

ChoosePlan choose_precision(const InPrecisions& kernels, const SumOptions& options) {
    if (options.precision == Precision::mixed_precision) {
        throw InputError("precision: mixed is of kernels in space; use double, single or automatic"
        );
    }
    const PlanChoice in_double{
        &kernels.in_double, Precision::double_precision, plan_options(options)};
    const PlanChoice in_single{&kernels.in_single, Precision::single_precision, in_double.options};
    const bool is_single = options.precision == Precision::single_precision;
    return
        [=](Runtime&, const PlacedPoints& points, std::span<const StrengthsRef>) -> FinishChoice {
            const auto n_pairs = static_cast<double>(points.sources().size()) *
                                 static_cast<double>(points.evaluation_points().size());
            const bool are_few = n_pairs < few_pairs;
            PlanChoice choice = is_single && !are_few ? in_single : in_double;
            if (is_single && are_few) {
                choice.why_precision = "pairs are few, and double takes no time";
            }
            return [choice] { return choice; };
        };
}

std::shared_ptr<const KernelEntry>
plane_entry(KernelShape shape, KernelSet& in_double, KernelSet& in_single) {
    const InPrecisions kernels{in_double, in_single};
    const auto choose = [kernels](const SumOptions& options) {
        return choose_precision(kernels, options);
    };
    return std::make_shared<const KernelEntry>(
        plan_entry(std::move(shape), in_double.traits, 0, choose)
    );
}

} // namespace

Kernel::Kernel(const Log2d& kernel) {
    KernelShape shape{"log2d", 2, 1, {{"potential", 0, 1, 1}}};
    if (kernel.gradient) {
        shape.values.push_back({"gradient", 1, 2, 1});
        entry_ =
            plane_entry(shape, kernel_set<LogGradient<double>>(), kernel_set<LogGradient<float>>());
    } else {
        entry_ = plane_entry(shape, kernel_set<Log<double>>(), kernel_set<Log<float>>());
    }
}

Kernel::Kernel(const Harmonic2d& kernel) {
    KernelShape shape{"harmonic2d", 2, 1, {{"potential", 0, 2, 1}}};
    if (kernel.complex_strengths) {
        shape.strengths = 2;
        entry_ = plane_entry(
            shape, kernel_set<Harmonic<double, true>>(), kernel_set<Harmonic<float, true>>()
        );
    } else {
        entry_ = plane_entry(
            shape, kernel_set<Harmonic<double, false>>(), kernel_set<Harmonic<float, false>>()
        );
    }
}

std::vector<NamedKernel> plane_kernels() {
    const auto log = [](const NamedParameters& all) {
        return Kernel(Log2d{.gradient = std::get<bool>(all.at("gradient"))});
    };
    const auto harmonic = [](const NamedParameters& all) {
        return Kernel(Harmonic2d{.complex_strengths = std::get<bool>(all.at("complex_strengths"))});
    };
    return {
        {"log2d", {{"gradient", false}}, log},
        {"harmonic2d", {{"complex_strengths", false}}, harmonic}};
}

Kernel::Kernel(std::shared_ptr<const detail::KernelEntry> entry) : entry_(std::move(entry)) {}

const KernelShape& Kernel::shape() const {
    return entry_->shape;
}

} // namespace starfmm

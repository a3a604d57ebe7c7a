// SPDX-License-Identifier: BSD-3-Clause
// Laplace's kernel of space as a value.
#include "core/expansions/kernels3d.hpp"
#include "core/reference/cancellation.hpp"
#include "core/reference/direct_sum.hpp"
#include "schedulers/plan/inspection/suited_strengths.hpp"
#include "starfmm/detail/plan_engine.hpp"
#include "starfmm/kernels.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace starfmm {

namespace {

using namespace detail;

template <class Potential, class Gradient>
KernelSet& kernel_with(bool gradient) {
    return gradient ? kernel_set<Gradient>() : kernel_set<Potential>();
}

KernelSet& kernel_in(Precision precision, bool gradient) {
    switch (precision) {
    case Precision::single_precision:
        return kernel_with<Laplace<float>, LaplaceGradient<float>>(gradient);
    case Precision::mixed_precision:
        return kernel_with<MixedLaplace, MixedLaplaceGradient>(gradient);
    default:
        return kernel_with<Laplace<double>, LaplaceGradient<double>>(gradient);
    }
}

/// Chooses precision and tolerance by how far the terms of the sums cancel. Whatever strengths have
/// once asked for, later ones get, too: strengths that are as before find their plan.
class ChooseForStrengths {
public:
    ChooseForStrengths(const SumOptions& options, bool gradient)
        : options_(plan_options(options)), precision_(options.precision), gradient_(gradient) {
        if (precision_ == Precision::mixed_precision) {
            check_mixed_tolerance(options_.tolerance);
        }
    }

    PlanChoice operator()(const PlacedPoints& points, std::span<const Strengths> strengths) {
        const auto result = gradient_ ? SpaceResult::with_gradient : SpaceResult::potential;
        const SpaceCancellation found =
            cancellation_of(points.sources, strengths, points.evaluation_points(), result);
        if (precision_ == Precision::automatic && !needs_double_) {
            needs_double_ =
                automatic_precision(found, options_.tolerance) == Precision::double_precision;
        }
        const Precision precision = precision_ != Precision::automatic ? precision_
                                    : needs_double_                    ? Precision::double_precision
                                                                       : Precision::mixed_precision;
        KernelSet& kernel = kernel_in(precision, gradient_);
        if (precision == Precision::double_precision) {
            const SuitedOptions suited = suited_to_strengths(kernel.traits, options_, found);
            options_.tolerance = std::min(options_.tolerance, suited.plan.tolerance);
            options_.method = suited.plan.method;
            why_direct_ = why_direct_.empty() ? suited.why_direct : why_direct_;
        }
        return {&kernel, precision, options_, why_direct_};
    }

private:
    PlanOptions options_;
    Precision precision_;
    bool gradient_;
    bool needs_double_ = false;
    std::string why_direct_;
};

ExactValues exact_potentials(
    bool gradient,
    const PlacedPoints& points,
    const Components& strengths,
    const std::vector<std::size_t>& which
) {
    DirectSum sum = direct_sum(
        KernelKind::laplace,
        points.sources,
        strengths_of(strengths),
        points.evaluation_points(),
        which
    );
    ExactValues exact{{std::move(sum.re)}, {}};
    for (std::size_t d = 0; gradient && d < 3; ++d) {
        exact.components.push_back(std::move(sum.gradient[d]));
    }
    return exact;
}

} // namespace

Kernel::Kernel(const Laplace3d& kernel) {
    KernelShape shape{"laplace3d", 3, 1, {{"potential", 0, 1, 1}}};
    if (kernel.gradient) {
        shape.values.push_back({"gradient", 1, 3, gradient_allowance_in_space});
    }
    const auto make = [gradient = kernel.gradient](
                          Runtime& runtime, const SumOptions& options
                      ) -> std::unique_ptr<SumEngine> {
        return std::make_unique<PlanEngine>(runtime, ChooseForStrengths(options, gradient));
    };
    const auto exact = [gradient = kernel.gradient](
                           Runtime&,
                           const PlacedPoints& points,
                           const Components& strengths,
                           const std::vector<std::size_t>& which
                       ) { return exact_potentials(gradient, points, strengths, which); };
    entry_ = std::make_shared<const KernelEntry>(KernelEntry{std::move(shape), make, exact});
}

} // namespace starfmm

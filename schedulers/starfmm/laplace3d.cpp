// SPDX-License-Identifier: BSD-3-Clause
// Laplace's kernel of space as a value.
#include "core/expansions/kernels3d.hpp"
#include "schedulers/plan/inspection/suited_strengths.hpp"
#include "schedulers/plan/inspection/sum_cancellations.hpp"
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
        : asked_(plan_options(options)), options_(asked_), precision_(options.precision),
          gradient_(gradient) {
        if (precision_ == Precision::mixed_precision) {
            check_mixed_tolerance(options_.tolerance);
        }
    }

    FinishChoice operator()(
        Runtime& runtime, const PlacedPoints& points, std::span<const StrengthsRef> strengths
    ) {
        begin_look(runtime, points, !strengths.empty());
        return [this, &points, strengths] { return choice(look(points, strengths)); };
    }

private:
    PlanChoice choice(const SpaceCancellation& found) {
        take_precision(found);
        KernelSet& kernel = kernel_in(suited_.precision, gradient_);
        const SuitedOptions suited = suited_to_strengths(kernel.traits, asked_, found);
        options_.tolerance = std::min(options_.tolerance, suited.plan.tolerance);
        if (suited.plan.method == Method::direct) {
            options_.method = Method::direct;
        }
        why_direct_ = why_direct_.empty() ? suited.why_direct : why_direct_;
        return {&kernel, suited_.precision, options_, why_direct_, suited_.why};
    }

    void take_precision(const SpaceCancellation& found) {
        if (asked_.method == Method::near_field) { // what cancels is not looked at
            const bool is_open = precision_ == Precision::automatic;
            suited_.precision = is_open ? Precision::double_precision : precision_;
            return;
        }
        SuitedPrecision now = suited_precision(precision_, found, asked_.tolerance);
        if (fineness(now.precision) > fineness(suited_.precision)) {
            suited_ = std::move(now);
        }
    }

    static int fineness(Precision precision) {
        switch (precision) {
        case Precision::single_precision:
            return 1;
        case Precision::mixed_precision:
            return 2;
        case Precision::double_precision:
            return 3;
        default: // not chosen yet
            return 0;
        }
    }

    [[nodiscard]] SpaceResult result() const {
        return gradient_ ? SpaceResult::with_gradient : SpaceResult::potential;
    }

    /// Whether anything depends on what cancels.
    [[nodiscard]] bool is_open() const {
        const bool is_closed = precision_ == Precision::double_precision &&
                               (options_.method == Method::direct || options_.order > 0);
        return options_.method != Method::near_field && !is_closed;
    }

    void begin_look(Runtime& runtime, const PlacedPoints& points, bool has_strengths) {
        if (!has_strengths) {
            cancellations_.reset(); // the points are new
        } else if (is_open() && !cancellations_) {
            cancellations_ = std::make_shared<SumCancellations>(
                runtime, points.sources(), points.evaluation_points(), result()
            );
        }
    }

    SpaceCancellation look(const PlacedPoints& points, std::span<const StrengthsRef> strengths) {
        if (!is_open()) {
            return {};
        }
        if (strengths.empty()) { // nothing cancels yet
            const auto n = static_cast<double>(points.sources().size());
            const auto m = static_cast<double>(points.evaluation_points().size());
            return {result(), n * m, {}, {}, 0};
        }
        SpaceCancellation found = cancellations_->of(strengths);
        if (precision_ == Precision::single_precision) {
            found.offset = cancellations_->offset();
        }
        return found;
    }

    PlanOptions asked_;
    PlanOptions options_;                             ///< what served all strengths so far
    std::shared_ptr<SumCancellations> cancellations_; ///< of the present points, once looked at
    Precision precision_;                             ///< that was asked for
    SuitedPrecision suited_{Precision::automatic};    ///< that served all strengths so far
    bool gradient_;
    std::string why_direct_;
};

} // namespace

Kernel::Kernel(const Laplace3d& kernel) {
    KernelShape shape{"laplace3d", 3, 1, {{"potential", 0, 1, 1}}};
    if (kernel.gradient) {
        shape.values.push_back({"gradient", 1, 3, gradient_allowance_in_space});
    }
    const auto choose = [gradient = kernel.gradient](const SumOptions& options) {
        return ChooseForStrengths(options, gradient);
    };
    const KernelTraits& traits = kernel_in(Precision::double_precision, kernel.gradient).traits;
    entry_ = std::make_shared<const KernelEntry>(plan_entry(std::move(shape), traits, 0, choose));
}

} // namespace starfmm

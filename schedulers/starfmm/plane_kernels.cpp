// SPDX-License-Identifier: BSD-3-Clause
// The kernels of the plane as values.
#include "core/expansions/kernels2d.hpp"
#include "core/reference/direct_sum.hpp"
#include "starfmm/detail/plan_engine.hpp"
#include "starfmm/kernels.hpp"

#include <utility>

namespace starfmm {

namespace {

using namespace detail;

/// A kernel in both precisions.
struct InPrecisions {
    KernelSet& in_double;
    KernelSet& in_single;
};

std::unique_ptr<SumEngine>
make_plane_engine(Runtime& runtime, const SumOptions& options, const InPrecisions& kernels) {
    if (options.precision == Precision::mixed_precision) {
        throw InputError("precision: mixed is of kernels in space; use double, single or automatic"
        );
    }
    const bool is_single = options.precision == Precision::single_precision;
    const PlanChoice choice{
        &(is_single ? kernels.in_single : kernels.in_double),
        is_single ? Precision::single_precision : Precision::double_precision,
        plan_options(options)};
    return std::make_unique<PlanEngine>(
        runtime, [choice](const PlacedPoints&, std::span<const Strengths>) { return choice; }
    );
}

DirectSum exact_sum(
    KernelKind kernel,
    const PlacedPoints& points,
    const Components& strengths,
    const std::vector<std::size_t>& which
) {
    return direct_sum(
        kernel, points.sources, strengths_of(strengths), points.evaluation_points(), which
    );
}

/// The gradient of a logarithmic sum is that of harmonic_of_gradient().
ExactValues exact_logarithms(
    bool gradient,
    const PlacedPoints& points,
    const Components& strengths,
    const std::vector<std::size_t>& which
) {
    ExactValues exact{{exact_sum(KernelKind::log, points, strengths, which).re}, {}};
    if (gradient) {
        DirectSum harmonic = exact_sum(KernelKind::harmonic, points, strengths, which);
        for (long double& re : harmonic.re) {
            re = -re;
        }
        exact.components.push_back(std::move(harmonic.re));
        exact.components.push_back(std::move(harmonic.im));
    }
    return exact;
}

ExactValues exact_harmonics(
    const PlacedPoints& points, const Components& strengths, const std::vector<std::size_t>& which
) {
    DirectSum sum = exact_sum(KernelKind::harmonic, points, strengths, which);
    return {{std::move(sum.re), std::move(sum.im)}, {}};
}

} // namespace

Kernel::Kernel(const Log2d& kernel) {
    KernelShape shape{"log2d", 2, 1, {{"potential", 0, 1, 1}}};
    if (kernel.gradient) {
        shape.values.push_back({"gradient", 1, 2, 1});
    }
    const auto make = [gradient = kernel.gradient](Runtime& runtime, const SumOptions& options) {
        const InPrecisions with{
            kernel_set<LogGradient<double>>(), kernel_set<LogGradient<float>>()};
        const InPrecisions without{kernel_set<Log<double>>(), kernel_set<Log<float>>()};
        return make_plane_engine(runtime, options, gradient ? with : without);
    };
    const auto exact = [gradient = kernel.gradient](
                           Runtime&,
                           const PlacedPoints& points,
                           const Components& strengths,
                           const std::vector<std::size_t>& which
                       ) { return exact_logarithms(gradient, points, strengths, which); };
    entry_ = std::make_shared<const KernelEntry>(KernelEntry{std::move(shape), make, exact});
}

Kernel::Kernel(const Harmonic2d& kernel) {
    const KernelShape shape{
        "harmonic2d", 2, kernel.complex_strengths ? 2U : 1U, {{"potential", 0, 2, 1}}};
    const auto make = [is_complex =
                           kernel.complex_strengths](Runtime& runtime, const SumOptions& options) {
        const InPrecisions of_complex{
            kernel_set<Harmonic<double, true>>(), kernel_set<Harmonic<float, true>>()};
        const InPrecisions of_real{
            kernel_set<Harmonic<double, false>>(), kernel_set<Harmonic<float, false>>()};
        return make_plane_engine(runtime, options, is_complex ? of_complex : of_real);
    };
    const auto exact = [](Runtime&,
                          const PlacedPoints& points,
                          const Components& strengths,
                          const std::vector<std::size_t>& which) {
        return exact_harmonics(points, strengths, which);
    };
    entry_ = std::make_shared<const KernelEntry>(KernelEntry{shape, make, exact});
}

Kernel::Kernel(std::shared_ptr<const detail::KernelEntry> entry) : entry_(std::move(entry)) {}

const KernelShape& Kernel::shape() const {
    return entry_->shape;
}

} // namespace starfmm

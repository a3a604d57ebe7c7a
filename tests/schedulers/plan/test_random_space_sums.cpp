// SPDX-License-Identifier: BSD-3-Clause
// Sums of Laplace's kernel in space with random options, points, strengths and workers, compared
// with sums in extended precision: the L2 error over the targets is within the tolerance, also
// where terms cancel. tests/support/random_workers.hpp says which cases the environment chooses.
#include "core/error.hpp"
#include "core/expansions/kernels3d.hpp"
#include "core/reference/cancellation.hpp"
#include "schedulers/plan/inspection/suited_strengths.hpp"
#include "schedulers/plan/plan.hpp"
#include "schedulers/runtime/machine.hpp"
#include "tests/support/exact_sum.hpp"
#include "tests/support/random_space_case.hpp"
#include "tests/support/random_workers.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

using starfmm::kernel_set;
using starfmm::KernelSet;
using starfmm::Laplace;
using starfmm::LaplaceGradient;
using starfmm::MixedLaplace;
using starfmm::MixedLaplaceGradient;
using starfmm::Plan;
using starfmm::Points;
using starfmm::Potentials;
using starfmm::Precision;
using starfmm::Runtime;
using starfmm::Strengths;

namespace {

template <class Potential, class Gradient>
KernelSet& with_gradient(bool gradient) {
    return gradient ? kernel_set<Gradient>() : kernel_set<Potential>();
}

KernelSet& kernel_of(Precision precision, bool gradient) {
    switch (precision) {
    case Precision::single_precision:
        return with_gradient<Laplace<float>, LaplaceGradient<float>>(gradient);
    case Precision::mixed_precision:
        return with_gradient<MixedLaplace, MixedLaplaceGradient>(gradient);
    default:
        return with_gradient<Laplace<double>, LaplaceGradient<double>>(gradient);
    }
}

struct Choice {
    KernelSet& kernel;
    Precision precision;
    starfmm::PlanOptions options;
};

/// Points and strengths of a case, and its exact sums.
struct SpaceSums {
    const RandomSpaceCase& which;
    Points<3> sources;
    Points<3> targets;
    Strengths q;
    std::vector<ExactSpaceSum> exact;

    explicit SpaceSums(const RandomSpaceCase& which)
        : which(which), sources(which.make_sources()),
          targets(which.targets.n > 0 ? which.targets.make() : sources),
          q(which.make_strengths(sources)) {
        std::vector<std::size_t> all(targets.size());
        std::iota(all.begin(), all.end(), std::size_t(0));
        exact = exact_sums(sources, q, targets, all);
    }

    /// Precision and options of the plan, as drivers choose them.
    [[nodiscard]] Choice choose() const {
        using starfmm::SpaceResult;
        const auto result = which.gradient ? SpaceResult::with_gradient : SpaceResult::potential;
        const starfmm::StrengthsRef view(q);
        auto found = starfmm::cancellation_of(sources, {&view, 1}, targets, result);
        found.offset = starfmm::offset_of(sources, targets);
        const Precision precision =
            starfmm::suited_precision(which.precision, found, which.plan.tolerance).precision;
        KernelSet& kernel = kernel_of(precision, which.gradient);
        return {
            kernel, precision, starfmm::suited_to_strengths(kernel.traits, which.plan, found).plan};
    }
};

/// What a run gave.
struct SpaceOutcome {
    std::string refusal; ///< the message of an InputError, if one was thrown
    Potentials potentials;
    starfmm::PlanInfo info;
};

SpaceOutcome run(Runtime& runtime, const SpaceSums& sums, const Choice& choice) {
    try {
        std::optional<Plan> plan;
        if (sums.which.targets.n > 0) {
            plan.emplace(runtime, choice.kernel, sums.sources, sums.targets, choice.options);
        } else {
            plan.emplace(runtime, choice.kernel, sums.sources, choice.options);
        }
        SpaceOutcome outcome;
        outcome.potentials = plan->evaluate(sums.q);
        outcome.info = plan->info();
        return outcome;
    } catch (const starfmm::InputError& error) {
        return {error.what(), {}, {}};
    }
}

/// What roundings of double precision leave of a sum, in terms of the sum of its terms' magnitudes,
/// as docs/numerics.md derives it. Whatever precision is asked for, a finer one takes its place where
/// terms cancel.
long double rounding_of(const SpaceSums& sums) {
    const auto n = static_cast<long double>(sums.sources.size());
    return 7 * 0x1p-53L *
           std::sqrt(110 + n); // 10 of a pair, one an addition, some hundred of series
}

/// Squares in L2.
struct Norms {
    long double error = 0;
    long double exact = 0;
    long double rounding = 0;

    /// The error over what is allowed.
    [[nodiscard]] double ratio(double tolerance) const {
        const long double allowed = tolerance * std::sqrt(exact) + std::sqrt(rounding);
        const auto ratio = static_cast<double>(std::sqrt(error) / allowed);
        return error == 0             ? 0
               : std::isfinite(ratio) ? ratio
                                      : std::numeric_limits<double>::infinity();
    }
};

/// Errors of potentials and gradients, in terms of what each may have.
struct SpaceVerdict {
    double potential = 0;
    double gradient = 0;
};

SpaceVerdict judge(const SpaceSums& sums, const Potentials& potentials) {
    const long double per_magnitude = rounding_of(sums);
    Norms potential;
    Norms gradient;
    const auto add = [](Norms& norms, long double error, long double exact) {
        norms.error += error * error;
        norms.exact += exact * exact;
    };
    const auto square = [](long double x) { return x * x; };
    for (std::size_t i = 0; i < sums.exact.size(); ++i) {
        const ExactSpaceSum& exact = sums.exact[i];
        add(potential, potentials.re[i] - exact.potential, exact.potential);
        potential.rounding += square(per_magnitude * exact.magnitude);
        for (std::size_t d = 0; sums.which.gradient && d < 3; ++d) {
            add(gradient, potentials.gradient[d][i] - exact.gradient[d], exact.gradient[d]);
        }
        gradient.rounding += square(3 * per_magnitude * exact.gradient_magnitude);
    }
    const double tolerance = sums.which.plan.tolerance;
    return {
        potential.ratio(tolerance),
        gradient.ratio(starfmm::gradient_allowance_in_space * tolerance)};
}

/// How often sums were made, and how near they came to what is allowed.
struct SpaceTally {
    SpaceVerdict worst;
    std::size_t refused = 0;
    std::size_t mixed = 0; ///< automatically
};

void check(Runtime& runtime, const RandomSpaceCase& which, SpaceTally& tally) {
    const SpaceSums sums(which);
    Choice choice = sums.choose();
    if (runtime.n_cuda() == 0) {
        choice.options.plane_waves = starfmm::PlaneWaves::automatic;
    }
    const bool is_chosen = which.precision == Precision::automatic;
    tally.mixed += is_chosen && choice.precision == Precision::mixed_precision ? 1 : 0;
    const SpaceOutcome outcome = run(runtime, sums, choice);
    if (!outcome.refusal.empty()) {
        CAPTURE(outcome.refusal);
        CHECK(outcome.refusal.starts_with("tolerance = ")); // with a theta of the user's
        CHECK(which.plan.theta > 0);
        ++tally.refused;
        return;
    }
    const SpaceVerdict verdict = judge(sums, outcome.potentials);
    CAPTURE(static_cast<int>(choice.precision));
    CAPTURE(static_cast<int>(outcome.info.method));
    CAPTURE(choice.options.tolerance);
    CAPTURE(outcome.info.order);
    CAPTURE(outcome.info.theta);
    CHECK(verdict.potential <= 1);
    CHECK(verdict.gradient <= 1);
    tally.worst.potential = std::max(tally.worst.potential, verdict.potential);
    tally.worst.gradient = std::max(tally.worst.gradient, verdict.gradient);
}

} // namespace

TEST_CASE("random_space_sums: no accepted tolerance is missed, whatever is asked for") {
    SpaceTally tally;
    const RandomRange range = random_range(1000);
    for_random_cases(range, [&](Runtime& runtime, std::size_t number) {
        const RandomSpaceCase which(range.seed, number);
        const std::string options = label(runtime, range.seed, number) + which.describe();
        CAPTURE(options);
        check(runtime, which, tally);
    });
    MESSAGE(
        range.size() << " cases, seed " << range.seed << ": " << tally.refused << " refused, "
                     << tally.mixed << " automatically mixed; largest error over what is allowed "
                     << tally.worst.potential << " of potentials, " << tally.worst.gradient
                     << " of gradients"
    );
    CHECK((range.size() < 1000 || 100 * tally.mixed >= range.size()));
}

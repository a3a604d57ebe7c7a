// SPDX-License-Identifier: BSD-3-Clause
// Whole runs with random options, points, strengths and workers, compared with sums in extended
// precision. tests/support/random_workers.hpp says which cases the environment chooses.
#include "core/error.hpp"
#include "core/expansions/kernels2d.hpp"
#include "core/expansions/pascal.hpp"
#include "tests/support/accuracy.hpp"
#include "tests/support/random_case.hpp"
#include "tests/support/random_workers.hpp"

#include <doctest/doctest.h>

#include <optional>

using starfmm::Harmonic;
using starfmm::kernel_set;
using starfmm::Log;
using starfmm::Method;
using starfmm::Plan;
using starfmm::Points;
using starfmm::Potentials;
using starfmm::Runtime;
using starfmm::Strengths;

namespace {

starfmm::KernelSet& kernel_of(const RandomCase& which) {
    if (which.kernel == "log2d") {
        return which.single ? kernel_set<Log<float>>() : kernel_set<Log<double>>();
    }
    if (which.complex_kernel) {
        return which.single ? kernel_set<Harmonic<float, true>>()
                            : kernel_set<Harmonic<double, true>>();
    }
    return which.single ? kernel_set<Harmonic<float, false>>()
                        : kernel_set<Harmonic<double, false>>();
}

/// What a run gave.
struct Outcome {
    std::string refusal; ///< the message of an InputError, if one was thrown
    Potentials potentials;
    starfmm::PlanInfo info;
};

Outcome
run(Runtime& runtime,
    const RandomCase& which,
    const Points<2>& sources,
    const Points<2>& targets,
    const std::vector<Strengths>& q) {
    const bool two_sets = which.targets.n > 0;
    RandomPoints other{"normal", sources.size() + 10, 7};
    other.scale = which.sources.scale;
    const auto others = other.make();
    const Points<2>& first = which.rebuilt ? others : sources;
    starfmm::KernelSet& kernel = kernel_of(which);
    try {
        std::optional<Plan> plan;
        if (two_sets) {
            plan.emplace(runtime, kernel, first, targets, which.plan);
        } else {
            plan.emplace(runtime, kernel, first, which.plan);
        }
        if (which.rebuilt) {
            two_sets ? plan->rebuild(sources, targets) : plan->rebuild(sources);
        }
        Outcome outcome;
        for (int i = 1; i < which.evaluations; ++i) {
            const std::size_t n = q[0].size();
            (void)plan->evaluate(Strengths{
                std::vector<double>(n, 1.0), std::vector<double>(q[0].im.empty() ? 0 : n, 2.0)});
        }
        outcome.potentials = std::move(plan->evaluate(q)[which.judged]);
        outcome.info = plan->info();
        return outcome;
    } catch (const starfmm::InputError& error) {
        return {error.what(), {}, {}};
    }
}

/// The remainder theta^order at which series are cut off: at most tolerance / 16, as far as the
/// largest order reaches.
double remainder_of(const RandomCase& which, double theta) {
    if (which.plan.order > 0) {
        return std::pow(theta, which.plan.order);
    }
    const double last = std::pow(theta, starfmm::max_order);
    const double tolerance = which.plan.tolerance;
    return last <= tolerance ? std::max(tolerance / 16, last) : tolerance / 16;
}

/// Tolerances that no order meets are refused, and nothing else may be.
bool is_out_of_reach(const RandomCase& which) {
    const double theta = which.plan.theta > 0 ? which.plan.theta : 0.5;
    return which.plan.order == 0 && std::pow(theta, starfmm::max_order) > which.plan.tolerance;
}

/// All targets, within bounds of series and roundings.
Verdict judge(const RandomCase& which, const Reference& reference, const Outcome& outcome) {
    const starfmm::PlanInfo& info = outcome.info;
    const Computation how =
        computation_of(info, reference.n, outcome.potentials.size(), which.single);
    const double remainder = remainder_of(which, info.theta);
    Verdict verdict;
    for (std::size_t i = 0; i < reference.which.size(); ++i) {
        const ExactSum& sum = reference.sums[i];
        const long double truncation =
            info.method == Method::direct
                ? 0
                : truncation_bound(reference.kernel, sum, info.theta, info.order, remainder);
        verdict.add(
            reference.error(outcome.potentials, reference.which[i], i),
            truncation,
            rounding_bound(reference, sum, how)
        );
    }
    return verdict;
}

struct Tally {
    Verdict direct; ///< where nothing but rounding is due
    Verdict fmm;
    std::size_t refused = 0;
};

void check(Runtime& runtime, const RandomCase& which, Tally& tally) {
    constexpr std::size_t n_checked = 40;
    const auto sources = which.sources.make();
    const auto targets = which.targets.n > 0 ? which.make_targets(sources) : sources;
    std::vector<Strengths> q;
    for (std::size_t i = 0; i < which.right_hand_sides; ++i) {
        q.push_back(which.make_strengths(i));
    }
    const Outcome outcome = run(runtime, which, sources, targets, q);
    if (!outcome.refusal.empty()) {
        CAPTURE(outcome.refusal);
        CHECK(is_out_of_reach(which));
        ++tally.refused;
        return;
    }
    const Reference reference(which.kernel, sources, q[which.judged], targets, n_checked);
    const Verdict verdict = judge(which, reference, outcome);
    CAPTURE(outcome.info.levels);
    CAPTURE(outcome.info.order);
    CAPTURE(outcome.info.theta);
    CHECK(verdict.worst <= 1);
    (outcome.info.method == Method::direct ? tally.direct : tally.fmm).add(verdict);
}

} // namespace

TEST_CASE("random_sums: whole runs are right, whatever is asked for") {
    Tally tally;
    const RandomRange range = random_range(1700);
    for_random_cases(range, [&](Runtime& runtime, std::size_t number) {
        const RandomCase which(range.seed, number);
        const std::string options = label(runtime, range.seed, number) + which.describe();
        CAPTURE(options);
        check(runtime, which, tally);
    });
    MESSAGE(
        range.size() << " cases, seed " << range.seed << ": " << tally.refused
                     << " refused; largest error over what is allowed " << tally.direct.worst
                     << " of direct sums, " << tally.fmm.worst
                     << " by FMM, where rounding decides in " << tally.fmm.excused << " of "
                     << tally.fmm.judged << " sums"
    );
    // double: tolerances below some 3e-13 of 1e-13 to 1e-1; single: below 1e-4 of 1e-5 to 1e-1
    CHECK((range.size() == 1 || 4 * tally.fmm.excused <= tally.fmm.judged));
}

// SPDX-License-Identifier: BSD-3-Clause
// Tests of whole runs of Laplace's kernel in space, against sums in extended precision: the
// potential's L2 error is below the tolerance and the gradient's below 30 times that, whatever the
// points.
#include "core/error.hpp"
#include "core/expansions/kernels3d.hpp"
#include "core/reference/direct_sum.hpp"
#include "schedulers/plan/plan.hpp"
#include "schedulers/runtime/machine.hpp"
#include "tests/support/exact_sum.hpp"
#include "tests/support/random_case.hpp"
#include "tests/support/scene_size.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

using starfmm::Execution;
using starfmm::kernel_set;
using starfmm::KernelSet;
using starfmm::Laplace;
using starfmm::LaplaceGradient;
using starfmm::Method;
using starfmm::PairTerms;
using starfmm::Plan;
using starfmm::PlaneWaves;
using starfmm::PlanOptions;
using starfmm::Points;
using starfmm::Potentials;
using starfmm::Runtime;
using starfmm::Strengths;
using starfmm::StrengthSign;

namespace {

constexpr double tolerances[]{1e-3, 1e-6, 1e-9, 1e-12};

/// Workers that take plane waves.
const starfmm::RuntimeOptions one_gpu{0, 1, ""};

Strengths make_charges(std::size_t n, StrengthSign sign, std::uint64_t seed) {
    return starfmm::make_strengths(n, sign, starfmm::StrengthType::real, seed);
}

/// Points, charges and exact sums at some of the targets.
struct Charges {
    bool two_sets;
    Points<3> sources;
    Points<3> targets;
    Strengths q;
    std::vector<std::size_t> which;
    std::vector<ExactSpaceSum> sums;

    /// Computes the exact sums.
    /// \param to targets; empty: the sources are the targets
    Charges(Points<3> from, Points<3> to, Strengths charges)
        : two_sets(to.size() > 0), sources(std::move(from)),
          targets(two_sets ? std::move(to) : sources), q(std::move(charges)),
          which(starfmm::random_targets(targets.size(), 150, 3)),
          sums(exact_sums(sources, q, targets, which)) {}

    Charges(const std::string& shape, std::size_t n, std::size_t m, StrengthSign sign)
        : Charges(
              make_shape<3>(shape, n, 1), make_shape<3>(shape, m, 2), make_charges(n, sign, 1)
          ) {}

    [[nodiscard]] std::unique_ptr<Plan>
    plan(Runtime& runtime, KernelSet& kernel, const PlanOptions& options) const {
        return two_sets ? std::make_unique<Plan>(runtime, kernel, sources, targets, options)
                        : std::make_unique<Plan>(runtime, kernel, sources, options);
    }
};

/// Errors in L2, relative to the sums.
struct Errors {
    double potential = 0;
    double gradient = 0;
};

double ratio(long double error, long double exact) {
    const auto root = static_cast<double>(std::sqrt(error / exact));
    return error == 0 ? 0 : std::isfinite(root) ? root : std::numeric_limits<double>::infinity();
}

Errors errors_of(const Charges& charges, const Potentials& potentials) {
    REQUIRE(potentials.size() == charges.targets.size());
    const bool has_gradient = !potentials.gradient[0].empty();
    long double error[2]{};
    long double exact[2]{};
    for (std::size_t i = 0; i < charges.which.size(); ++i) {
        const std::size_t at = charges.which[i];
        const ExactSpaceSum& sum = charges.sums[i];
        error[0] += std::pow(potentials.re[at] - sum.potential, 2.0L);
        exact[0] += sum.potential * sum.potential;
        for (std::size_t d = 0; has_gradient && d < 3; ++d) {
            error[1] += std::pow(potentials.gradient[d][at] - sum.gradient[d], 2.0L);
            exact[1] += sum.gradient[d] * sum.gradient[d];
        }
    }
    return {ratio(error[0], exact[0]), has_gradient ? ratio(error[1], exact[1]) : 0};
}

void check_errors(const Errors& errors, double tolerance) {
    CHECK(errors.potential <= tolerance);
    CHECK(errors.gradient <= 30 * tolerance);
}

PlanOptions sums_to(double tolerance, int groups = 1) {
    PlanOptions options;
    options.method = Method::fmm;
    options.tuning = starfmm::Tuning::builtin;
    options.tolerance = tolerance;
    options.groups = groups;
    return options;
}

/// Largest ratio of one pair of balls' mean square error to the mean over many pairs: a small ball
/// lies wholly where the other ball's series is worst.
constexpr double unlucky = 10;

/// Checks the sums for all tolerances.
/// \param allowance allowed ratio of errors to tolerances
void check_all(Runtime& runtime, const Charges& charges, int groups = 1, double allowance = 1) {
    auto& kernel = kernel_set<LaplaceGradient<double>>();
    for (const double tolerance : tolerances) {
        CAPTURE(tolerance);
        const auto plan = charges.plan(runtime, kernel, sums_to(tolerance, groups));
        check_errors(errors_of(charges, plan->evaluate(charges.q)), allowance * tolerance);
    }
}

/// Makes points at a lattice of `side` places a direction, many at each place.
Points<3> make_heaps(std::size_t side, std::size_t n) {
    Points<3> points;
    for (std::size_t i = 0; i < n; ++i) {
        const std::size_t layer = i / side / side % side;
        const std::size_t row = i / side % side;
        const std::size_t place = i % side;
        points.x[0].push_back(static_cast<double>(place));
        points.x[1].push_back(static_cast<double>(row));
        points.x[2].push_back(static_cast<double>(layer));
    }
    return points;
}

} // namespace

TEST_CASE("laplace_sums: every distribution meets every tolerance") {
    Runtime runtime({}, Execution::in_order);
    for (const std::string& shape : shape_names) {
        CAPTURE(shape);
        check_all(runtime, {shape, 4000, 0, StrengthSign::random});
        check_all(runtime, {shape, 1000, 700, StrengthSign::random});
        check_all(runtime, {shape, 1000, 0, StrengthSign::positive});
    }
}

TEST_CASE("laplace_sums: expansions of few points, of which a plan would rather sum pairs") {
    Runtime runtime({}, Execution::in_order);
    for (const std::size_t n : {1, 2, 9}) {
        for (const std::size_t m : {0, 1, 50}) {
            for (const StrengthSign sign : {StrengthSign::random, StrengthSign::positive}) {
                CAPTURE(n);
                CAPTURE(m);
                const Charges charges("uniform", n, m, sign);
                check_all(runtime, charges, 1, unlucky);
            }
        }
    }
}

TEST_CASE("laplace_sums: the lattice, whose leaves are worst for expansions, and larger sets") {
    Runtime runtime({}, Execution::in_order);
    for (const std::string shape : {"uniform", "lattice", "plummer"}) {
        CAPTURE(shape);
        check_all(runtime, {shape, 20000, 0, StrengthSign::random});
    }
}

TEST_CASE("laplace_sums: groups, and separations of the user's own") {
    Runtime runtime({}, Execution::in_order);
    auto& kernel = kernel_set<LaplaceGradient<double>>();
    const Charges charges("plummer", 3000, 0, StrengthSign::random);
    const Charges two("layer", 3000, 2000, StrengthSign::random);
    for (const int groups : {8, 64}) {
        CAPTURE(groups);
        check_all(runtime, charges, groups);
        check_all(runtime, two, groups);
    }
    for (const double theta : {0.35, 0.6, 0.7}) {
        CAPTURE(theta);
        PlanOptions chosen = sums_to(1e-6);
        chosen.theta = theta;
        const auto plan = charges.plan(runtime, kernel, chosen);
        check_errors(errors_of(charges, plan->evaluate(charges.q)), 1e-6);
    }
}

TEST_CASE("laplace_sums: potentials alone, single and mixed precision") {
    Runtime runtime({}, Execution::in_order);
    for (const std::string& shape : shape_names) {
        const Charges charges(shape, 4000, 0, StrengthSign::random);
        CAPTURE(shape);
        const auto check = [&](KernelSet& kernel, double tolerance) {
            CAPTURE(kernel.traits.name);
            const auto plan = charges.plan(runtime, kernel, sums_to(tolerance));
            check_errors(errors_of(charges, plan->evaluate(charges.q)), tolerance);
        };
        check(kernel_set<Laplace<double>>(), 1e-6);
        check(kernel_set<Laplace<float>>(), 1e-3);
        check(kernel_set<LaplaceGradient<float>>(), 1e-5);
        check(kernel_set<starfmm::MixedLaplace>(), 1e-6);
        check(kernel_set<starfmm::MixedLaplaceGradient>(), 1e-6);
    }
}

TEST_CASE("laplace_sums: heaps in mixed precision, of which leaves have no extent") {
    Runtime runtime({}, Execution::in_order);
    auto& kernel = kernel_set<starfmm::MixedLaplaceGradient>();
    const Charges charges(make_heaps(3, 4000), {}, make_charges(4000, StrengthSign::random, 5));
    for (const int groups : {1, 8}) {
        CAPTURE(groups);
        const auto plan = charges.plan(runtime, kernel, sums_to(1e-6, groups));
        check_errors(errors_of(charges, plan->evaluate(charges.q)), 1e-6);
    }
}

TEST_CASE("laplace_sums: several right-hand sides, rebuilt plans and direct sums") {
    Runtime runtime({}, Execution::in_order);
    auto& kernel = kernel_set<LaplaceGradient<double>>();
    const Charges first("uniform", 2000, 0, StrengthSign::random);
    const Charges second(first.sources, {}, make_charges(2000, StrengthSign::positive, 7));
    const Charges other("circle", 1500, 0, StrengthSign::random);
    Plan plan(runtime, kernel, first.sources, sums_to(1e-9));
    const std::vector<Strengths> columns{first.q, second.q, first.q};
    const std::vector<Potentials> results = plan.evaluate(columns);
    check_errors(errors_of(first, results[0]), 1e-9);
    check_errors(errors_of(second, results[1]), 1e-9);
    check_errors(errors_of(first, results[2]), 1e-9);
    plan.rebuild(other.sources);
    check_errors(errors_of(other, plan.evaluate(other.q)), 1e-9);
    PlanOptions direct = sums_to(1e-12);
    direct.method = Method::direct;
    Plan pairs(runtime, kernel, other.sources, direct);
    check_errors(errors_of(other, pairs.evaluate(other.q)), 1e-14);
}

TEST_CASE("laplace_sums: plane waves, of one set and of two") {
    if (starfmm::available_gpus() == 0) {
        MESSAGE("skipped: no CUDA worker");
        return;
    }
    Runtime runtime(one_gpu);
    auto& kernel = kernel_set<LaplaceGradient<double>>();
    TakesTurns taken;
    for (const std::size_t m : {0, 7000}) {
        for (const std::string shape : {"uniform", "plummer"}) {
            const Charges charges(shape, 20000, m, StrengthSign::random);
            for (const double tolerance : {1e-3, 1e-6, 1e-9}) {
                if (!taken()) {
                    continue;
                }
                CAPTURE(m);
                CAPTURE(shape);
                CAPTURE(tolerance);
                const auto sums = [&](PlaneWaves waves) {
                    PlanOptions chosen = sums_to(tolerance);
                    chosen.theta = 0.765; // theta for cubes with one between them
                    chosen.leaf_size = 20;
                    chosen.plane_waves = waves;
                    return charges.plan(runtime, kernel, chosen)->evaluate(charges.q);
                };
                const Potentials by_waves = sums(PlaneWaves::always);
                check_errors(errors_of(charges, by_waves), tolerance);
                check_errors(errors_of(charges, sums(PlaneWaves::automatic)), tolerance);
                const Potentials by_expansions = sums(PlaneWaves::never);
                check_errors(errors_of(charges, by_expansions), tolerance);
                CHECK(by_waves.re != by_expansions.re);
            }
        }
    }
}

TEST_CASE("laplace_sums: plane waves, of every distribution") {
    if (starfmm::available_gpus() == 0) {
        MESSAGE("skipped: no CUDA worker");
        return;
    }
    Runtime runtime(one_gpu);
    auto& kernel = kernel_set<LaplaceGradient<double>>();
    std::size_t n_of_all = 0;
    std::size_t n_taken = 0;
    TakesTurns taken;
    for (const std::string& shape : shape_names) {
        const Charges charges(shape, 4000, 0, StrengthSign::random);
        for (const double tolerance : {1e-3, 1e-6, 1e-9}) {
            for (const double leaf_size : {8, 40}) {
                if (!taken()) {
                    continue;
                }
                ++n_taken;
                CAPTURE(shape);
                CAPTURE(tolerance);
                CAPTURE(leaf_size);
                PlanOptions chosen = sums_to(tolerance);
                chosen.plane_waves = PlaneWaves::always;
                chosen.leaf_size = leaf_size;
                const auto plan = charges.plan(runtime, kernel, chosen);
                n_of_all += plan->info().terms == PairTerms::all ? 1 : 0;
                check_errors(errors_of(charges, plan->evaluate(charges.q)), tolerance);
                // as if the user had named what was decided
                chosen.order = plan->info().order;
                chosen.theta = plan->info().theta;
                chosen.terms = plan->info().terms;
                chosen.plane_waves = PlaneWaves::never;
                const auto by_expansions = charges.plan(runtime, kernel, chosen);
                check_errors(errors_of(charges, by_expansions->evaluate(charges.q)), tolerance);
            }
        }
    }
    CHECK(2 * n_of_all > n_taken);
}

TEST_CASE("laplace_sums: random options") {
    Runtime runtime({}, Execution::in_order);
    auto& kernel = kernel_set<LaplaceGradient<double>>();
    for (std::uint64_t number = 0; number < scene_size(150); ++number) {
        Draws draws(number * 0x9E3779B97F4A7C15 + 1);
        const auto count = [&] { return static_cast<std::size_t>(draws.power_of_ten(0.2, 3.5)); };
        const std::string& shape = shape_names[draws.below(shape_names.size())];
        const std::size_t n = count();
        const std::size_t m = draws.chance(0.5) ? count() : 0;
        const bool positive = draws.chance(0.3);
        PlanOptions chosen = sums_to(draws.power_of_ten(-12, -2), draws.among({1, 8, 64}));
        // theta for which 40 degrees are enough
        chosen.theta = draws.chance(0.5) ? draws(0.3, 0.55) : -1;
        chosen.leaf_size = std::floor(draws.power_of_ten(0, 2));
        const StrengthSign sign = positive ? StrengthSign::positive : StrengthSign::random;
        CAPTURE(number);
        CAPTURE(shape);
        CAPTURE(n);
        CAPTURE(m);
        CAPTURE(chosen.theta);
        CAPTURE(chosen.tolerance);
        const Charges charges(shape, n, m, sign);
        const auto plan = charges.plan(runtime, kernel, chosen);
        check_errors(errors_of(charges, plan->evaluate(charges.q)), unlucky * chosen.tolerance);
    }
}

TEST_CASE("laplace_sums: heaps of points on the corners of cubes take more terms") {
    Runtime runtime({}, Execution::in_order);
    auto& kernel = kernel_set<LaplaceGradient<double>>();
    TakesTurns taken;
    for (const std::size_t side : {5, 7, 9, 13}) {
        CAPTURE(side);
        const Charges charges(
            make_heaps(side, 3000), {}, make_charges(3000, StrengthSign::random, 1)
        );
        for (const double tolerance : tolerances) {
            CAPTURE(tolerance);
            for (const double leaf_size : {0, 20, 100}) {
                if (!taken()) {
                    continue;
                }
                CAPTURE(leaf_size);
                PlanOptions octree = sums_to(tolerance, side == 7 ? 8 : 1);
                octree.leaf_size = leaf_size;
                const auto plan = charges.plan(runtime, kernel, octree);
                check_errors(errors_of(charges, plan->evaluate(charges.q)), tolerance);
            }
        }
    }
    // a tolerance that no order meets is refused where theta is not open
    PlanOptions wide = sums_to(1e-9);
    wide.theta = 0.765;
    CHECK_THROWS_AS(Plan(runtime, kernel, make_heaps(5, 3000), wide), starfmm::InputError);
}

TEST_CASE("laplace_sums: plane waves, of heaps of points on the corners of cubes") {
    if (starfmm::available_gpus() == 0) {
        MESSAGE("skipped: no CUDA worker");
        return;
    }
    Runtime runtime(one_gpu);
    auto& kernel = kernel_set<LaplaceGradient<double>>();
    constexpr std::size_t n = 20'000; // so many that errors of waves add up
    for (const std::size_t side : {5, 7}) {
        const Charges charges(make_heaps(side, n), {}, make_charges(n, StrengthSign::random, 1));
        for (const double tolerance : {1e-3, 1e-6, 1e-9}) {
            CAPTURE(side);
            CAPTURE(tolerance);
            PlanOptions octree = sums_to(tolerance);
            octree.leaf_size = 40;
            octree.plane_waves = PlaneWaves::always;
            const auto plan = charges.plan(runtime, kernel, octree);
            check_errors(errors_of(charges, plan->evaluate(charges.q)), tolerance);
        }
    }
}

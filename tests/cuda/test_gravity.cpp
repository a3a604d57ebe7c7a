// SPDX-License-Identifier: BSD-3-Clause
#include "codelets/sets/kernel_set.hpp"
#include "core/expansions/gravity_kernels3d.hpp"
#include "schedulers/plan/gravity_tree.hpp"
#include "tests/cuda/support/device_call.hpp"
#include "tests/support/bodies3d.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

using starfmm::Bodies;
using starfmm::Precision;

namespace {

constexpr Precision precisions[] = {
    Precision::double_precision, Precision::single_precision, Precision::mixed_precision};

/// Targets [first, first + n_targets) of some bodies, and sources [begin, begin + n_sources).
struct Case {
    std::size_t first, n_targets, begin, n_sources;
};

enum class Processor { cpu, gpu };

using Values = std::vector<double>;

/// Adds to ones by one body of the codelet.
template <class K>
Values sums_of(
    Processor processor,
    const Bodies& bodies,
    const Case& c,
    double epsilon,
    starfmm::PackedSums packed
) {
    using Real = typename K::Real;
    std::vector<double> targets;
    std::vector<double> sources;
    for (const std::vector<double>& x : bodies.x) {
        const auto first = x.begin() + static_cast<std::ptrdiff_t>(c.begin);
        targets.insert(targets.end(), x.begin(), x.end());
        sources.insert(sources.end(), first, first + static_cast<std::ptrdiff_t>(c.n_sources));
    }
    const auto first = bodies.mass.begin() + static_cast<std::ptrdiff_t>(c.begin);
    std::vector<Real> masses(first, first + static_cast<std::ptrdiff_t>(c.n_sources));
    std::vector<Real> sums(4 * c.n_targets, 1);
    starfmm::TaskArgs args;
    args.kernel = {epsilon * epsilon, 0};
    args.direct = {
        packed, c.first, static_cast<std::int64_t>(c.first) - static_cast<std::int64_t>(c.begin)};
    starfmm::Codelet& codelet = starfmm::kernel_set<K>().template get<starfmm::DirectTask>();
    if (processor == Processor::cpu) {
        call(codelet.cpu(), args, sums, targets, sources, masses);
    } else {
        call_on_gpu(codelet.cuda(), args, sums, targets, sources, masses);
    }
    return {sums.begin(), sums.end()};
}

template <class K>
void check_case(starfmm::PackedSums packed, const Case& c, double epsilon, Precision precision) {
    CAPTURE(c.n_targets);
    CAPTURE(c.n_sources);
    const Bodies bodies = random_bodies(std::max(c.first + c.n_targets, c.begin + c.n_sources));
    const auto exact = starfmm::gravity_reference(bodies, epsilon, 1, all_indices(bodies.size()));
    const Values cpu = sums_of<K>(Processor::cpu, bodies, c, epsilon, packed);
    const Values gpu = sums_of<K>(Processor::gpu, bodies, c, epsilon, packed);
    bool has_potential = false;
    for (std::size_t i = 0; i < cpu.size(); ++i) {
        const std::size_t body = c.first + i % c.n_targets;
        const bool is_potential = i < c.n_targets;
        has_potential |= is_potential && gpu[i] != 1;
        // the magnitude is that of all bodies, which are more than the sources
        const auto magnitude =
            is_potential ? exact.potential_magnitude[body] : exact.magnitude[body];
        const double scale = static_cast<double>(magnitude) + 1;
        const double bound = error_bound(precision, c.n_sources);
        CHECK(std::abs(cpu[i] - gpu[i]) <= 2 * bound * scale);
    }
    CHECK(has_potential == (packed == starfmm::PackedSums::with_potential && c.n_sources > 1));
}

/// A kernel, and the precision that it serves.
template <class K, Precision of_kernel>
struct Served {
    using Kernel = K;
    static constexpr Precision precision = of_kernel;
};

} // namespace

TEST_CASE_TEMPLATE("gravity: CUDA sums what the CPU sums", P, Served<starfmm::SoftenedGravity<double>, Precision::double_precision>, Served<starfmm::SoftenedGravity<float>, Precision::single_precision>, Served<starfmm::MixedSoftenedGravity<double>, Precision::mixed_precision>) {
    constexpr Case cases[] = {
        {0, 1, 0, 1},
        {0, 1, 0, 1030},
        {5, 255, 0, 256},
        {0, 256, 100, 257},
        {300, 700, 0, 255}, // targets that are no sources
        {0, 1025, 0, 2050},
        {1000, 1031, 512, 5000}};
    for (const auto packed :
         {starfmm::PackedSums::acceleration, starfmm::PackedSums::with_potential}) {
        for (const double epsilon : {0.0, 0.02}) {
            for (const Case& c : cases) {
                check_case<typename P::Kernel>(packed, c, epsilon, P::precision);
            }
        }
    }
}

TEST_CASE("gravity: tasks on a GPU give accelerations and potentials of any number of bodies") {
    for (const Precision precision : precisions) {
        starfmm::Runtime runtime(starfmm::RuntimeOptions{0, 1, "", false});
        starfmm::GravityTreeOptions options = starfmm::direct_gravity(0.01);
        options.precision = precision;
        for (const std::size_t n : {1, 1031, 1031, 4099}) {
            options.plan.direct.source_block = n > 2000 ? 1024 : 0;
            options.plan.direct.target_block = n > 2000 ? 512 : 0;
            starfmm::GravityTree gravity(runtime, options);
            starfmm::Accelerations out;
            const Bodies bodies = random_bodies(n, 3);
            gravity.evaluate(bodies, out);
            gravity.evaluate(bodies, out);
            check_against_reference(bodies, out, 0.01, 1, error_bound(precision, n));
        }
    }
}

TEST_CASE("gravity: a fixed order gives the same bits on a GPU") {
    starfmm::Runtime runtime(starfmm::RuntimeOptions{0, 1, "", false});
    starfmm::GravityTreeOptions options = starfmm::direct_gravity(0.01);
    options.precision = Precision::single_precision;
    options.result = starfmm::GravityResult::acceleration;
    options.plan.direct.order = starfmm::SummationOrder::fixed;
    options.plan.direct.target_block = 1024;
    options.plan.direct.source_block = 2048;
    starfmm::GravityTree gravity(runtime, options);
    const Bodies bodies = random_bodies(10'000);
    starfmm::Accelerations first;
    starfmm::Accelerations again;
    gravity.evaluate(bodies, first);
    gravity.evaluate(bodies, again);
    CHECK(first.a == again.a);
}

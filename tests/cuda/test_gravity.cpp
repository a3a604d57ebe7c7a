// SPDX-License-Identifier: BSD-3-Clause
#include "codelets/sets/gravity_set.hpp"
#include "schedulers/plan/gravity.hpp"
#include "tests/cuda/support/device_call.hpp"
#include "tests/support/bodies3d.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

using starfmm::Bodies;
using starfmm::GravityPrecision;
using starfmm::GravityResult;

namespace {

constexpr GravityPrecision precisions[] = {
    GravityPrecision::double_precision,
    GravityPrecision::single_precision,
    GravityPrecision::mixed_precision};

/// Targets [first, first + n_targets) of some bodies, and sources [begin, begin + n_sources).
struct Case {
    std::size_t first, n_targets, begin, n_sources;
    std::size_t max_splits;
};

enum class Processor { cpu, gpu };

/// Sums by one body of the codelet; results are added to ones if `adds`, else they overwrite NaNs.
template <class P>
std::vector<typename P::Sum> sums_of(
    Processor processor,
    GravityResult result,
    const Bodies& bodies,
    const Case& c,
    const starfmm::GravityArgs& what
) {
    using Sum = typename P::Sum;
    std::vector<typename P::Real> packed(bodies.size() * P::width);
    starfmm::pack_bodies(bodies, {}, P::precision, packed.data());
    const auto first_source = packed.begin() + static_cast<std::ptrdiff_t>(c.begin * P::width);
    const auto n_numbers = static_cast<std::ptrdiff_t>(c.n_sources * P::width);
    std::vector<typename P::Real> sources(first_source, first_source + n_numbers);
    const std::size_t n_sums = c.n_targets * static_cast<std::size_t>(n_components(result));
    const Sum nothing = std::numeric_limits<Sum>::quiet_NaN();
    std::vector<Sum> sums(n_sums, what.adds ? Sum(1) : nothing);
    std::vector<Sum> scratch(n_sums * c.max_splits, nothing);
    starfmm::TaskArgs args;
    args.gravity = what;
    starfmm::Codelet& codelet = starfmm::gravity_set(P::precision, result).first();
    if (processor == Processor::cpu) {
        call(codelet.cpu(), args, sums, packed, sources, scratch);
    } else {
        call_on_gpu(codelet.cuda(), args, sums, packed, sources, scratch);
    }
    return sums;
}

template <class P>
void check_case(GravityResult result, const Case& c, double epsilon) {
    CAPTURE(c.n_targets);
    CAPTURE(c.n_sources);
    const Bodies bodies = random_bodies(std::max(c.first + c.n_targets, c.begin + c.n_sources));
    const auto exact = starfmm::gravity_reference(bodies, epsilon, 1, all_indices(bodies.size()));
    for (const bool adds : {false, true}) {
        const starfmm::GravityArgs what{
            epsilon * epsilon,
            c.first,
            static_cast<std::int64_t>(c.first) - static_cast<std::int64_t>(c.begin),
            adds};
        const auto cpu = sums_of<P>(Processor::cpu, result, bodies, c, what);
        const auto gpu = sums_of<P>(Processor::gpu, result, bodies, c, what);
        for (std::size_t i = 0; i < cpu.size(); ++i) {
            const std::size_t body = c.first + i % c.n_targets;
            const bool is_potential = i / c.n_targets == 3;
            // the magnitude is that of all bodies, which are more than the sources
            const auto magnitude =
                is_potential ? exact.potential_magnitude[body] : exact.magnitude[body];
            const double scale = static_cast<double>(magnitude) + (adds ? 1 : 0);
            const double difference = std::abs(static_cast<double>(cpu[i] - gpu[i]));
            CHECK(difference <= 2 * error_bound(P::precision, c.n_sources) * scale);
        }
    }
}

} // namespace

TEST_CASE_TEMPLATE(
    "gravity: CUDA sums what the CPU sums",
    P,
    starfmm::GravityDouble,
    starfmm::GravitySingle,
    starfmm::GravityMixed
) {
    constexpr Case cases[] = {
        {0, 1, 0, 1, 4},
        {0, 1, 0, 1030, 4},
        {5, 255, 0, 256, 4},
        {0, 256, 100, 257, 1},
        {300, 700, 0, 255, 4}, // targets that are no sources
        {0, 1025, 0, 2050, 7},
        {1000, 1031, 512, 1031, 1000}}; // more room than parts are made
    for (const auto result : {GravityResult::acceleration, GravityResult::with_potential}) {
        for (const double epsilon : {0.0, 0.02}) {
            for (const Case& c : cases) {
                check_case<P>(result, c, epsilon);
            }
        }
    }
}

TEST_CASE("gravity: tasks on a GPU give accelerations and potentials of any number of bodies") {
    for (const GravityPrecision precision : precisions) {
        starfmm::Runtime runtime(starfmm::RuntimeOptions{0, 1, "", false});
        starfmm::GravityOptions options;
        options.precision = precision;
        options.result = GravityResult::with_potential;
        options.epsilon = 0.01;
        for (const std::size_t n : {1, 1031, 1031, 4099}) {
            options.source_block = n > 2000 ? 1024 : 0;
            options.target_block = n > 2000 ? 512 : 0;
            starfmm::GravitySum gravity(runtime, options);
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
    starfmm::GravityOptions options;
    options.precision = GravityPrecision::single_precision;
    options.epsilon = 0.01;
    options.order = starfmm::SummationOrder::fixed;
    options.target_block = 1024;
    options.source_block = 2048;
    starfmm::GravitySum gravity(runtime, options);
    const Bodies bodies = random_bodies(10'000);
    starfmm::Accelerations first;
    starfmm::Accelerations again;
    gravity.evaluate(bodies, first);
    gravity.evaluate(bodies, again);
    CHECK(first.a == again.a);
}

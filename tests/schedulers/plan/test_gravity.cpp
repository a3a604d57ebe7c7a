// SPDX-License-Identifier: BSD-3-Clause
#include "core/error.hpp"
#include "schedulers/graphs/direct_graph.hpp"
#include "schedulers/plan/gravity_tree.hpp"
#include "schedulers/runtime/machine.hpp"
#include "tests/support/bodies3d.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>

using starfmm::Accelerations;
using starfmm::Bodies;
using starfmm::Execution;
using starfmm::GravityResult;
using starfmm::GravityTree;
using starfmm::GravityTreeOptions;
using starfmm::InputError;
using starfmm::Precision;
using starfmm::Runtime;
using starfmm::RuntimeOptions;
using starfmm::SummationOrder;

namespace {

constexpr Precision precisions[] = {
    Precision::double_precision, Precision::single_precision, Precision::mixed_precision};

GravityTreeOptions options(
    Precision precision,
    double epsilon,
    GravityResult result = GravityResult::with_potential,
    double g = 1
) {
    GravityTreeOptions options = starfmm::direct_gravity(epsilon);
    options.precision = precision;
    options.result = result;
    options.g = g;
    return options;
}

/// Evaluates once in the caller's thread, without StarPU.
Accelerations evaluate(const Bodies& bodies, const GravityTreeOptions& options) {
    Runtime runtime(RuntimeOptions{}, Execution::in_order);
    Accelerations out;
    GravityTree(runtime, options).evaluate(bodies, out);
    return out;
}

Accelerations evaluate_on(const Bodies& bodies, const GravityTreeOptions& options, int cpus) {
    Runtime runtime(RuntimeOptions{cpus, 0, "", false});
    Accelerations out;
    GravityTree(runtime, options).evaluate(bodies, out);
    return out;
}

bool same(const Accelerations& a, const Accelerations& b) {
    return a.a == b.a && a.potential == b.potential;
}

Bodies pair_at(double distance) {
    return {{{{0.0, distance}, {0.0, 0.0}, {0.0, 0.0}}}, {1.0, 2.0}};
}

void check_rejected(const Bodies& bodies, const std::string& message) {
    CHECK_THROWS_WITH_AS(
        static_cast<void>(evaluate(bodies, starfmm::direct_gravity(0))), message.c_str(), InputError
    );
}

} // namespace

TEST_CASE("gravity: every pair, once, in every precision") {
    for (const Precision precision : precisions) {
        for (const std::size_t n : {1, 2, 3, 31, 63, 64, 65, 257, 1031}) {
            CAPTURE(n);
            const Bodies bodies = random_bodies(n);
            for (const double epsilon : {0.0, 0.05}) {
                for (const auto result :
                     {GravityResult::acceleration, GravityResult::with_potential}) {
                    const auto out = evaluate(bodies, options(precision, epsilon, result, 3.5));
                    CHECK(
                        out.potential.size() == (result == GravityResult::with_potential ? n : 0)
                    );
                    check_against_reference(bodies, out, epsilon, 3.5, error_bound(precision, n));
                }
            }
        }
    }
}

TEST_CASE("gravity: tasks give what one loop gives, for blocks of any size") {
    const Bodies bodies = random_bodies(1031);
    for (const Precision precision : precisions) {
        GravityTreeOptions wanted = options(precision, 0.02);
        for (const std::size_t targets : {100, 333, 1031, 2000}) {
            for (const std::size_t sources : {100, 400, 1031}) {
                wanted.plan.direct.target_block = targets;
                wanted.plan.direct.source_block = sources;
                check_against_reference(
                    bodies, evaluate_on(bodies, wanted, 1), 0.02, 1, error_bound(precision, 1031)
                );
            }
        }
    }
}

TEST_CASE("gravity: a fixed order gives the same bits for any number of workers") {
    const Bodies bodies = random_bodies(3000);
    GravityTreeOptions wanted = options(Precision::single_precision, 0.02);
    wanted.plan.direct.order = SummationOrder::fixed;
    wanted.plan.direct.target_block = 250;
    wanted.plan.direct.source_block = 750;
    const Accelerations one = evaluate_on(bodies, wanted, 1);
    CHECK(same(evaluate(bodies, wanted), one));
    const int workers = std::min(2, starfmm::available_cores());
    CHECK(same(evaluate_on(bodies, wanted, workers), one));
    CHECK(same(evaluate_on(bodies, wanted, workers), one));
}

TEST_CASE("gravity: two bodies") {
    for (const Precision precision : precisions) {
        const double bound = error_bound(precision, 2);
        const double r = 0.5;
        const double epsilon = 0.25;
        const double distance = std::sqrt(r * r + epsilon * epsilon);
        const auto out =
            evaluate(pair_at(r), options(precision, epsilon, GravityResult::with_potential, 3));
        const double inverse_cube = 1 / (distance * distance * distance);
        CHECK(out.a[0][0] == doctest::Approx(3 * 2 * r * inverse_cube).epsilon(bound));
        CHECK(out.a[0][1] == doctest::Approx(-3 * 1 * r * inverse_cube).epsilon(bound));
        CHECK(out.a[1] == std::vector<double>{0, 0});
        CHECK(out.potential[0] == doctest::Approx(-3 * 2 / distance).epsilon(bound));
        CHECK(out.potential[1] == doctest::Approx(-3 * 1 / distance).epsilon(bound));
    }
}

TEST_CASE("gravity: a body alone feels nothing") {
    for (const Precision precision : precisions) {
        for (const double epsilon : {0.0, 1e-30, 0.1, 1e30}) {
            const Bodies one{{{{0.3}, {-4.0}, {5e10}}}, {7.0}};
            const auto out = evaluate(one, options(precision, epsilon));
            for (int d = 0; d < 3; ++d) {
                CHECK(out.a[d][0] == 0);
            }
            CHECK(out.potential[0] == 0);
        }
    }
}

TEST_CASE("gravity: bodies at one place act on each other only through softening") {
    constexpr std::size_t n = 70;
    Bodies bodies = random_bodies(n);
    for (auto& component : bodies.x) {
        std::fill(component.begin(), component.end(), component[0]);
    }
    std::fill(bodies.mass.begin(), bodies.mass.end(), 0.5);
    for (const Precision precision : precisions) {
        const auto bare = evaluate(bodies, options(precision, 0));
        const auto softened = evaluate(bodies, options(precision, 0.25));
        for (std::size_t i = 0; i < n; ++i) {
            for (int d = 0; d < 3; ++d) {
                CHECK(bare.a[d][i] == 0);
                CHECK(softened.a[d][i] == 0);
            }
            CHECK(bare.potential[i] == 0);
            CHECK(
                softened.potential[i] ==
                doctest::Approx(-0.5 * (n - 1) / 0.25).epsilon(error_bound(precision, n))
            );
        }
    }
}

TEST_CASE("gravity: momentum is conserved to rounding") {
    const Bodies bodies = random_bodies(500);
    for (const Precision precision : precisions) {
        const auto out = evaluate(bodies, options(precision, 0.05));
        const auto exact = starfmm::gravity_reference(bodies, 0.05, 1, all_indices(500));
        long double scale = 0;
        for (std::size_t i = 0; i < 500; ++i) {
            scale += bodies.mass[i] * exact.magnitude[i];
        }
        for (int d = 0; d < 3; ++d) {
            long double force = 0;
            for (std::size_t i = 0; i < 500; ++i) {
                force += static_cast<long double>(bodies.mass[i]) * out.a[d][i];
            }
            CHECK(std::abs(force) <= error_bound(precision, 500) * scale);
        }
    }
}

TEST_CASE("gravity: units are the user's choice in any precision") {
    Bodies bodies = random_bodies(100);
    for (const Precision precision : precisions) {
        const auto reference = evaluate(bodies, options(precision, 0.125));
        Bodies scaled = bodies;
        const double length = 0x1p60; // metres for light years; its square is beyond single
        const double mass = 0x1p100;
        for (auto& component : scaled.x) {
            std::for_each(component.begin(), component.end(), [&](double& x) { x *= length; });
        }
        std::for_each(scaled.mass.begin(), scaled.mass.end(), [&](double& m) { m *= mass; });
        const auto out = evaluate(scaled, options(precision, 0.125 * length));
        for (std::size_t i = 0; i < 100; ++i) {
            CHECK(out.a[0][i] == reference.a[0][i] * (mass / length / length)); // powers of two
            CHECK(out.potential[i] == reference.potential[i] * (mass / length));
        }
    }
}

TEST_CASE("gravity: mixed precision keeps the digits of positions that single loses") {
    Bodies bodies = random_bodies(200);
    for (auto& component : bodies.x) { // a small cluster far from the origin
        std::for_each(component.begin(), component.end(), [](double& x) { x = 1 + 1e-4 * x; });
    }
    const auto precision = Precision::mixed_precision;
    // 2^-48 of positions is 1e-10 of the distances, which are 1e-5 of positions: less than the
    // bound's roundings
    check_against_reference(
        bodies, evaluate(bodies, options(precision, 1e-5)), 1e-5, 1, error_bound(precision, 200)
    );
    const auto which = all_indices(200);
    const auto exact = starfmm::gravity_reference(bodies, 1e-5, 1, which);
    const auto single = evaluate(bodies, options(Precision::single_precision, 1e-5));
    CHECK(starfmm::compare(single, exact, which).median_rel > 1e-4);
}

TEST_CASE("gravity: close encounters without softening stay finite") {
    for (const Precision precision : precisions) {
        const double distance = 0x1p-50; // the inverse cube is beyond single
        Bodies bodies = pair_at(distance);
        bodies.x[1] = {0.0, 0.0};
        bodies.x[2] = {0.0, 0.0};
        for (auto& component : bodies.x) {
            component.push_back(1.0); // the unit of length
        }
        bodies.mass.push_back(0.0);
        const auto out = evaluate(bodies, options(precision, 0));
        CHECK(out.a[0][0] == doctest::Approx(2 / (distance * distance)).epsilon(1e-5));
        CHECK(out.a[0][1] == doctest::Approx(-1 / (distance * distance)).epsilon(1e-5));
        CHECK(out.potential[0] == doctest::Approx(-2 / distance).epsilon(1e-5));
    }
}

TEST_CASE("gravity: one sum serves changing bodies") {
    Runtime runtime(RuntimeOptions{1, 0, "", false});
    GravityTree gravity(runtime, options(Precision::double_precision, 0.05));
    Accelerations out;
    for (const std::size_t n : {300, 300, 40, 500}) {
        const Bodies bodies = random_bodies(n, 7 + n);
        gravity.evaluate(bodies, out);
        check_against_reference(bodies, out, 0.05, 1, error_bound(Precision::double_precision, n));
    }
}

TEST_CASE("gravity: bad input is named") {
    check_rejected({}, "no bodies: at least one is needed");
    Bodies bodies = random_bodies(3);
    bodies.x[1].pop_back();
    check_rejected(bodies, "bodies.y has 2 values, bodies.mass has 3: must be equal");
    bodies = random_bodies(3);
    bodies.mass[2] = std::numeric_limits<double>::quiet_NaN();
    check_rejected(bodies, "bodies.mass[2] = nan: must be finite and at most 1e+150 in magnitude");
    bodies = random_bodies(3);
    bodies.x[2][1] = -1e200;
    check_rejected(bodies, "bodies.z[1] = -1e+200: must be finite and at most 1e+150 in magnitude");
    CHECK_THROWS_WITH_AS(
        static_cast<void>(evaluate(bodies, options(Precision::double_precision, -1))),
        "epsilon = -1: must be in [0, 1e+150]",
        InputError
    );
}

TEST_CASE("gravity: a fixed order holds for either softening") {
    const Bodies bodies = random_bodies(3000);
    for (const auto softening : {starfmm::Softening::plummer, starfmm::Softening::spline}) {
        GravityTreeOptions wanted = options(Precision::single_precision, 0.02);
        wanted.softening = softening;
        wanted.plan.direct.order = SummationOrder::fixed;
        wanted.plan.direct.target_block = 250;
        wanted.plan.direct.source_block = 750;
        const Accelerations one = evaluate_on(bodies, wanted, 1);
        const int workers = std::min(2, starfmm::available_cores());
        CHECK(same(evaluate_on(bodies, wanted, workers), one));
    }
}

TEST_CASE("gravity: blocks give each worker its tasks") {
    const auto blocks = [](std::size_t n, const starfmm::DirectWorkers& workers) {
        return starfmm::direct_blocks(n, n, workers, {.packed = starfmm::PackedSums::acceleration});
    };
    CHECK(blocks(1'048'576, {0, 1, 2}).targets == 1'048'576); // one task fills one GPU
    CHECK(blocks(65'536, {0, 4, 8}).targets == 8192);         // one task a stream
    CHECK(blocks(65'536, {0, 4, 8}).sources == 65'536);
    CHECK(blocks(4'000'000, {0, 4, 8}).targets == 250'880); // two tasks a stream
    CHECK(blocks(4'000'000, {0, 4, 8}).sources == 1'003'520);
    CHECK(blocks(65'536, {2, 0, 0}).targets == 4096); // eight tasks a core
    CHECK(blocks(1, {2, 0, 0}).targets == 1);
    CHECK(blocks(65'536, {2, 0, 0}).sources == 65'536);
    CHECK(blocks(4'000'000, {1, 0, 0}).targets == 476); // a quarter of a second of a core
    CHECK(blocks(4'000'000, {1, 0, 0}).sources == 1'048'576);
}

// SPDX-License-Identifier: BSD-3-Clause
// Whole sums over points that have a partner close by, in every precision, against extended
// precision: what two points do to each other is right to a few roundings however close they are.
#include "core/error.hpp"
#include "core/expansions/kernels3d.hpp"
#include "schedulers/plan/gravity_tree.hpp"
#include "schedulers/plan/plan.hpp"
#include "tests/support/bodies3d.hpp"
#include "tests/support/exact_sum.hpp"
#include "tests/support/random_case.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

using starfmm::Accelerations;
using starfmm::Bodies;
using starfmm::Execution;
using starfmm::GravityTree;
using starfmm::kernel_set;
using starfmm::KernelSet;
using starfmm::LaplaceGradient;
using starfmm::Method;
using starfmm::MixedLaplaceGradient;
using starfmm::Plan;
using starfmm::Points;
using starfmm::Potentials;
using starfmm::Precision;
using starfmm::Runtime;
using starfmm::Softening;

namespace {

constexpr auto in_double = Precision::double_precision;
constexpr auto in_single = Precision::single_precision;
constexpr auto mixed = Precision::mixed_precision;

/// n bodies about (0.7, 0.5, 0.5), each second one at `distance` from the one before it, in any
/// direction, times `unit`.
Bodies close_bodies(std::size_t n, double distance, double unit) {
    Draws draws(n);
    Bodies bodies;
    std::array<double, 3> at{};
    for (std::size_t i = 0; i < n; ++i) {
        if (i % 2 == 0) {
            at = {0.7 + draws(-0.1, 0.1), 0.5 + draws(-0.1, 0.1), 0.5 + draws(-0.1, 0.1)};
        } else {
            const double z = draws(-1, 1);
            const double angle = draws(0, 6.3);
            at[0] += distance * std::sqrt(1 - z * z) * std::cos(angle);
            at[1] += distance * std::sqrt(1 - z * z) * std::sin(angle);
            at[2] += distance * z;
        }
        for (std::size_t d = 0; d < 3; ++d) {
            bodies.x[d].push_back(unit * at[d]);
        }
        bodies.mass.push_back(draws(0.5, 1));
    }
    return bodies;
}

/// What sums over a few bodies may be wrong by, relative to the sum of magnitudes: 100 roundings,
/// and in single precision what the last of 48 bits moves a pair by, in three powers of a distance.
double bound(Precision precision, double distance) {
    if (precision == in_double) {
        return 100 * 0x1p-53;
    }
    return 100 * 0x1p-24 + 3 * std::sqrt(8.0) * 0x1p-48 / distance;
}

/// Bodies of no softening by an octree of one leaf.
Accelerations
by_tree(Runtime& runtime, const Bodies& bodies, Precision precision, Softening softening) {
    starfmm::GravityTreeOptions options;
    options.precision = precision;
    options.softening = softening;
    options.plan.order = 2;
    options.plan.leaf_size = 64;
    Accelerations out;
    GravityTree(runtime, options).evaluate(bodies, out);
    return out;
}

Accelerations by_direct_sum(Runtime& runtime, const Bodies& bodies, Precision precision) {
    starfmm::GravityTreeOptions options = starfmm::direct_gravity(0);
    options.precision = precision;
    Accelerations out;
    GravityTree(runtime, options).evaluate(bodies, out);
    return out;
}

KernelSet& laplace(Precision precision) {
    switch (precision) {
    case in_single:
        return kernel_set<LaplaceGradient<float>>();
    case mixed:
        return kernel_set<MixedLaplaceGradient>();
    default:
        return kernel_set<LaplaceGradient<double>>();
    }
}

/// Gravity by Laplace's kernel, whose potential is minus gravity's and whose gradient is the
/// acceleration.
Accelerations
by_laplace(Runtime& runtime, const Bodies& bodies, Precision precision, Method method) {
    starfmm::PlanOptions options;
    options.method = method;
    options.tree = starfmm::TreeKind::orthtree;
    options.tolerance = 1e-3;
    options.leaf_size = 64;
    Plan plan(runtime, laplace(precision), starfmm::PointsRef(bodies.x), options);
    Potentials sums = plan.evaluate({bodies.mass, {}});
    for (double& potential : sums.re) {
        potential = -potential;
    }
    return {std::move(sums.gradient), std::move(sums.re)};
}

void check_all(Runtime& runtime, const Bodies& bodies, Precision precision, double distance) {
    const double allowed = bound(precision, distance);
    const auto check = [&](const char* how, const Accelerations& sums) {
        CAPTURE(how);
        check_against_reference(bodies, sums, 0, 1, allowed);
    };
    if (precision != in_single) { // there coordinates are singles
        check("gravity", by_direct_sum(runtime, bodies, precision));
    }
    check("tree", by_tree(runtime, bodies, precision, Softening::plummer));
    check("spline", by_tree(runtime, bodies, precision, Softening::spline));
    check("laplace", by_laplace(runtime, bodies, precision, Method::fmm));
    check("laplace, direct", by_laplace(runtime, bodies, precision, Method::direct));
}

} // namespace

TEST_CASE("close_pairs: partners a millionth apart attract each other, of any number of bodies") {
    Runtime runtime({}, Execution::in_order);
    for (std::size_t n = 2; n <= 21; ++n) {
        CAPTURE(n);
        for (const Precision precision : {in_double, in_single, mixed}) {
            CAPTURE(static_cast<int>(precision));
            check_all(runtime, close_bodies(n, 1e-6, 1), precision, 1e-6);
            check_all(runtime, close_bodies(n, 1e-6, 1e6), precision, 1e-6);
        }
    }
}

TEST_CASE("close_pairs: partners attract each other at any distance, down to the last bits") {
    Runtime runtime({}, Execution::in_order);
    for (int exponent = 0; exponent >= -50; exponent -= 2) {
        const double distance = std::ldexp(1.0, exponent);
        CAPTURE(exponent);
        for (const Precision precision : {in_double, in_single, mixed}) {
            CAPTURE(static_cast<int>(precision));
            for (const std::size_t n : {2, 5}) {
                check_all(runtime, close_bodies(n, distance, 1), precision, distance);
            }
        }
    }
}

TEST_CASE("close_pairs: bodies attract each other beside one that is far away from all") {
    Runtime runtime({}, Execution::in_order);
    Bodies bodies = close_bodies(40, 1e-3, 1);
    for (const double mass : {0.0, 1.0}) {
        bodies.x[1][7] = 1e16;
        bodies.mass[7] = mass;
        for (const double epsilon : {0.0, 1e-3}) {
            for (const Precision precision : {in_double, in_single, mixed}) {
                CAPTURE(mass);
                CAPTURE(epsilon);
                CAPTURE(static_cast<int>(precision));
                starfmm::GravityTreeOptions options;
                options.precision = precision;
                options.epsilon = epsilon;
                options.plan.order = 2;
                options.plan.leaf_size = 64;
                Accelerations sums;
                GravityTree(runtime, options).evaluate(bodies, sums);
                if (epsilon > 0) { // the rounding of a body's own, m / epsilon, is in potentials
                    sums.potential.clear();
                }
                check_against_reference(bodies, sums, epsilon, 1, bound(precision, 1e-3));
            }
        }
    }
}

TEST_CASE("close_pairs: a body too far away for single precision is named in the user's unit") {
    Runtime runtime({}, Execution::in_order);
    Bodies bodies = close_bodies(4, 1e-3, 1);
    bodies.x[1][3] = 1e40;
    Accelerations sums;
    GravityTree gravity(runtime, {});
    CHECK_THROWS_WITH_AS(
        gravity.evaluate(bodies, sums),
        "coordinates up to 1e+40 in magnitude, with points closer to each other than 1/3.09485e+26 "
        "of that: beyond what single precision can tell apart; use double precision, or leave out "
        "the points that are so far away",
        starfmm::InputError
    );
}

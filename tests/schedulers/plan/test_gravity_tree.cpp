// SPDX-License-Identifier: BSD-3-Clause
#include "core/error.hpp"
#include "core/expansions/cartesian_order.hpp"
#include "core/expansions/gravity_kernels3d.hpp"
#include "tests/support/scene_size.hpp"
#include "tests/support/tree_sums.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

using starfmm::Accelerations;
using starfmm::Bodies;
using starfmm::Distribution;
using starfmm::Execution;
using starfmm::GravityTree;
using starfmm::GravityTreeOptions;
using starfmm::InputError;
using starfmm::Precision;
using starfmm::Runtime;

namespace {

constexpr auto in_double = Precision::double_precision;
constexpr auto in_single = Precision::single_precision;
constexpr auto mixed = Precision::mixed_precision;

GravityTreeOptions options(double tolerance, Precision precision, double epsilon = 0.01) {
    GravityTreeOptions options;
    options.epsilon = epsilon;
    options.precision = precision;
    options.plan.tolerance = tolerance;
    return options;
}

void check_errors(const GravityTreeOptions& options, Distribution distribution) {
    const Bodies bodies = equal_bodies(distribution, 10'000);
    const auto found = tree_errors(options, bodies, tree_sums(options, bodies));
    CHECK(median(found) <= options.plan.tolerance);
    CHECK(quantile(found, 0.99) <= options.tolerance99);
    // far bodies are no pairs: the sum is not a direct one
    CHECK(median(found) > 1e-3 * std::min(options.plan.tolerance, options.tolerance99));
}

/// Half of the bodies are near to each other and have nearly all mass.
Bodies cluster_with_halo() {
    constexpr std::size_t n = 10'000;
    Bodies bodies = equal_bodies(Distribution::plummer, n);
    for (std::size_t i = 0; i < n; ++i) {
        const bool is_halo = i % 2 == 0;
        for (auto& x : bodies.x) {
            x[i] *= is_halo ? 1 : 0.05;
        }
        bodies.mass[i] = is_halo ? 1e-9 : 1.0 / n;
    }
    return bodies;
}

void check_refused(const GravityTreeOptions& options, const std::string& message) {
    CHECK_THROWS_WITH_AS(options.validate(), message.c_str(), InputError);
}

} // namespace

TEST_CASE("gravity_tree: median errors of accelerations have the tolerance") {
    TakesTurns taken;
    for (const Distribution distribution :
         {Distribution::plummer, Distribution::uniform, Distribution::normal}) {
        for (const double tolerance : {3e-2, 2e-3, 3e-4, 2e-5}) {
            CAPTURE(tolerance);
            for (const Precision precision : {in_double, in_single, mixed}) {
                if (taken()) {
                    check_errors(options(tolerance, precision), distribution);
                }
            }
        }
    }
}

TEST_CASE("gravity_tree: 99 of 100 bodies have a tolerance of their own") {
    for (const double tolerance : {3e-2, 3e-3, 3e-4}) {
        CAPTURE(tolerance);
        GravityTreeOptions asked = options(0.5, in_double);
        asked.tolerance99 = tolerance;
        check_errors(asked, Distribution::plummer);
    }
}

TEST_CASE("gravity_tree: every pair counts once, whatever the distribution") {
    // With a softening length that makes all distances alike, -epsilon times a potential is the
    // number of other bodies; a pair more or less is 1e-4 of it. 1e-12 are the distances.
    constexpr double epsilon = 1e6;
    for (const Distribution distribution :
         {Distribution::plummer,
          Distribution::uniform,
          Distribution::normal,
          Distribution::circle,
          Distribution::lattice}) {
        for (const std::size_t n : {1, 2, 3, 65, 10'007}) {
            CAPTURE(n);
            Bodies bodies = equal_bodies(distribution, n);
            bodies.mass.assign(n, 1);
            GravityTreeOptions counting = options(0.1, in_double, epsilon);
            counting.plan.order = 1;
            counting.plan.leaf_size = 8;
            const Accelerations found = tree_sums(counting, bodies);
            for (const double potential : found.potential) {
                CHECK(std::abs(-epsilon * potential - static_cast<double>(n - 1)) <= 1e-6);
            }
        }
    }
}

TEST_CASE("gravity_tree: few bodies and bodies at one place") {
    for (const double epsilon : {0.0, 0.5}) {
        CAPTURE(epsilon);
        const auto exactly = options(1e-3, in_double, epsilon);
        check_tree_sums(exactly, {{{{1}, {2}, {3}}}, {4}}, 0);
        check_tree_sums(exactly, {{{{0, 2}, {0, 0}, {1, 1}}}, {3, 1}}, 1e-14);
        check_tree_sums(exactly, {{{{0, 2, 2}, {0, 0, 0}, {1, 1, 1}}}, {3, 1, 4}}, 1e-14);
        check_tree_sums(exactly, {{{{2, 2, 2}, {1, 1, 1}, {3, 3, 3}}}, {3, 1, 4}}, 1e-14);
        Bodies twice = random_bodies(50);
        for (auto& x : twice.x) {
            const auto own = x;
            x.insert(x.end(), own.begin(), own.end());
        }
        twice.mass.insert(twice.mass.end(), 50, 0.0); // and massless ones, which feel all others
        check_tree_sums(exactly, twice, 1e-13);
    }
}

TEST_CASE("gravity_tree: bodies at a few places, which are corners of the tree's cubes") {
    Bodies bodies;
    for (int i = 0; i < 6000; ++i) {
        bodies.x[0].push_back(i % 3);
        bodies.x[1].push_back(i % 2);
        bodies.x[2].push_back(0);
        bodies.mass.push_back(1 + i % 5);
    }
    for (const double tolerance : {3e-2, 2.6e-3, 3e-4}) {
        CAPTURE(tolerance);
        const auto asked = options(tolerance, in_double);
        CHECK(median(tree_errors(asked, bodies, tree_sums(asked, bodies))) <= tolerance);
    }
}

TEST_CASE("gravity_tree: pairs in single precision, of any softening") {
    for (const double epsilon : {0.0, 1e-3, 0.1, 30.0}) {
        CAPTURE(epsilon);
        GravityTreeOptions one_leaf = options(1e-2, in_single, epsilon);
        one_leaf.plan.leaf_size = 4000;
        for (const std::size_t n : {2, 3, 4, 5, 6, 7, 8, 17, 1023, 1024, 1025, 2077}) {
            CAPTURE(n);
            check_tree_sums(one_leaf, random_bodies(n), 1e-5);
        }
    }
}

TEST_CASE("gravity_tree: softened bodies about the origin, and closer than singles tell") {
    Bodies bodies = random_bodies(2000);
    for (std::size_t i = 0; i < 1000; ++i) { // next to each other, and to the planes through 0
        bodies.x[0][i] *= std::pow(10.0, -static_cast<double>(i) / 3);
        for (int d = 0; d < 3; ++d) {
            bodies.x[d][i + 1000] = bodies.x[d][i] + 1e-14 * static_cast<double>(i);
        }
    }
    GravityTreeOptions one_leaf = options(1e-2, in_single, 1e-2);
    one_leaf.plan.leaf_size = 4000;
    check_tree_sums(one_leaf, bodies, 1e-5);
    const auto tree = options(1e-3, in_single, 1e-2);
    CHECK(median(tree_errors(tree, bodies, tree_sums(tree, bodies))) <= 1e-3);
}

TEST_CASE("gravity_tree: a body does not act on itself, however small epsilon is") {
    for (const auto softening : {starfmm::Softening::plummer, starfmm::Softening::spline}) {
        for (const double epsilon : {0.0, 1e-60, 1e-30, 1e-12, 1e-9, 1e-3, 0.1, 30.0, 1e20}) {
            for (const double leaf_size : {40.0, 4000.0}) { // a tree, one leaf
                CAPTURE(epsilon);
                CAPTURE(leaf_size);
                for (const Precision precision : {in_single, mixed, in_double}) {
                    GravityTreeOptions asked = options(1e-2, precision, epsilon);
                    asked.softening = softening;
                    asked.plan.leaf_size = leaf_size;
                    asked.plan.order = 8;
                    asked.plan.theta = 0.3;
                    for (const std::size_t n : {1, 2, 7, 1025}) {
                        CAPTURE(n);
                        check_tree_sums(
                            asked, random_bodies(n), precision == in_single ? 2e-5 : 2e-6
                        );
                    }
                }
            }
        }
    }
}

TEST_CASE("gravity_tree: units are the user's choice") {
    const Bodies bodies = random_bodies(2000);
    for (const double length : {1.0, 0x1p-70, 0x1p60}) {
        CAPTURE(length);
        auto asked = options(1e-3, in_single, 0.01);
        const Accelerations expected = tree_sums(asked, bodies);
        Bodies scaled = bodies;
        for (auto& x : scaled.x) {
            std::transform(x.begin(), x.end(), x.begin(), [=](double v) { return length * v; });
        }
        asked.epsilon *= length;
        asked.g = length * length;
        const Accelerations found = tree_sums(asked, scaled);
        for (std::size_t i = 0; i < bodies.size(); ++i) {
            // another unit of single precision's sums, 2^-24 of terms of one sign each
            CHECK(
                found.potential[i] == doctest::Approx(length * expected.potential[i]).epsilon(1e-5)
            );
            CHECK(found.a[0][i] == doctest::Approx(expected.a[0][i]).epsilon(1e-3));
        }
    }
}

TEST_CASE("gravity_tree: masses over ten orders of magnitude") {
    Bodies bodies = random_bodies(10'000);
    for (std::size_t i = 0; i < bodies.size(); ++i) {
        bodies.mass[i] = std::pow(10.0, -10 * static_cast<double>(i % 11) / 10);
    }
    const auto of_one_tree = [](Precision precision) {
        GravityTreeOptions asked = options(2e-3, precision);
        asked.plan.leaf_size = 40;
        return asked;
    };
    const Accelerations single = tree_sums(of_one_tree(in_single), bodies);
    CHECK(median(tree_errors(of_one_tree(in_single), bodies, single)) <= 2e-3);
    const Accelerations exact = tree_sums(of_one_tree(in_double), bodies);
    for (std::size_t i = 0; i < bodies.size(); ++i) {
        // terms of one sign, each within some 2^-24
        CHECK(single.potential[i] == doctest::Approx(exact.potential[i]).epsilon(1e-5));
    }
}

TEST_CASE("gravity_tree: results depend on groups and workers by roundings") {
    const Bodies bodies = equal_bodies(Distribution::plummer, 20'000);
    auto asked = options(1e-3, in_double);
    asked.plan.groups = 1;
    const Accelerations one = tree_sums(asked, bodies);
    CHECK(median(tree_errors(asked, bodies, one)) <= 1e-3);
    for (const int groups : {1, 2, 7, 64}) {
        CAPTURE(groups);
        asked.plan.groups = groups;
        const Accelerations alone = tree_sums(asked, bodies);
        starfmm::RuntimeOptions two;
        two.cpus = 2;
        Runtime runtime(two);
        Accelerations shared;
        GravityTree(runtime, asked).evaluate(bodies, shared);
        for (std::size_t i = 0; i < bodies.size(); ++i) {
            CHECK(shared.potential[i] == doctest::Approx(alone.potential[i]).epsilon(1e-12));
            CHECK(alone.potential[i] == doctest::Approx(one.potential[i]).epsilon(1e-11));
        }
    }
}

TEST_CASE("gravity_tree: own errors bound those of light bodies among heavy ones") {
    const Bodies bodies = cluster_with_halo();
    auto by_theta = options(5e-2, in_double);
    by_theta.plan.order = 3;
    by_theta.plan.leaf_size = 30;
    const auto before = tree_errors(by_theta, bodies, tree_sums(by_theta, bodies));
    auto by_own = by_theta;
    TakesTurns taken;
    for (const double own_error : {1e-3, 1e-4, 1e-5}) {
        CAPTURE(own_error);
        by_own.own_error = own_error;
        for (const int groups : {1, 2, 7, 64}) {
            if (!taken()) {
                continue;
            }
            CAPTURE(groups);
            by_own.plan.groups = groups;
            const auto after = tree_errors(by_own, bodies, tree_sums(by_own, bodies));
            // a body has some hundred far boxes
            CHECK(after.back() <= 100 * own_error);
            CHECK(after.back() < 0.2 * before.back());
            CHECK(median(after) > 1e-6 * own_error); // far bodies are no pairs
        }
    }
    CHECK(before.back() > 30 * 1e-3);
}

TEST_CASE("gravity_tree: own errors in any unit, and of no mass or few bodies") {
    auto asked = options(1e-2, in_single);
    asked.own_error = 1e-4;
    asked.plan.order = 4;
    for (const double length : {0x1p-70, 1.0, 0x1p60}) {
        for (const double mass : {1e-30, 1.0, 1e30}) {
            CAPTURE(length);
            CAPTURE(mass);
            Bodies bodies = cluster_with_halo();
            for (auto& x : bodies.x) {
                std::transform(x.begin(), x.end(), x.begin(), [=](double v) { return length * v; });
            }
            std::transform(
                bodies.mass.begin(),
                bodies.mass.end(),
                bodies.mass.begin(),
                [=](double m) { return mass * m; }
            );
            asked.epsilon = 0.01 * length;
            CHECK(tree_errors(asked, bodies, tree_sums(asked, bodies)).back() <= 3e-3);
        }
    }
    asked.epsilon = 0.1;
    check_tree_sums(asked, {{{{1}, {2}, {3}}}, {4}}, 0);
    check_tree_sums(asked, {{{{0, 2}, {0, 0}, {1, 1}}}, {3, 1}}, 1e-6);
    Bodies massless = random_bodies(2000);
    massless.mass.assign(2000, 0);
    check_tree_sums(asked, massless, 0);
}

TEST_CASE("gravity_tree: own errors of bodies that moved are relative to their last sums") {
    Runtime runtime({}, Execution::in_order);
    auto asked = options(1e-2, in_double);
    asked.own_error = 1e-4;
    asked.plan.order = 4;
    GravityTree gravity(runtime, asked);
    Bodies bodies = cluster_with_halo();
    Accelerations sums = tree_sums(asked, bodies); // of the right size
    for (int step = 0; step < 3; ++step) {
        CAPTURE(step);
        const std::size_t before = runtime.n_tasks();
        const auto factors = gravity.sum(bodies, sums);
        const std::size_t tasks = runtime.n_tasks() - before;
        CHECK((step == 0) == (tasks > 20)); // at first a sum by theta
        Accelerations found = sums;
        starfmm::scale_sums(factors, found);
        CHECK(tree_errors(asked, bodies, found).back() <= 3e-3);
        for (double& x : bodies.x[0]) {
            x *= 1.01;
        }
    }
}

TEST_CASE("gravity_tree: one object sums bodies that move, come and go") {
    Runtime runtime({}, Execution::in_order);
    GravityTree gravity(runtime, options(2e-3, in_double));
    Accelerations out;
    for (const std::size_t n : {3000, 3000, 1, 2, 4000}) {
        CAPTURE(n);
        const Bodies bodies = random_bodies(n, n + out.size());
        gravity.evaluate(bodies, out);
        const Accelerations expected = tree_sums(options(2e-3, in_double), bodies);
        CHECK(out.a == expected.a);
        CHECK(out.potential == expected.potential);
    }
}

namespace {

void scale_all(std::vector<double>& values, double factor) {
    std::ranges::transform(values, values.begin(), [=](double value) { return factor * value; });
}

/// Sums of a tree, or of every pair, at targets and at bodies in turn, in any unit of length.
class SumsInTurn {
public:
    SumsInTurn(Runtime& runtime, bool is_direct, double length)
        : bodies_(random_bodies(4000)),
          targets_{equal_bodies(Distribution::plummer, 4501).x}, // more than there are masses
          asked_(options(1e-3, in_single, 0.01 * length)), gravity_(runtime, asked_of(is_direct)) {
        for (int d = 0; d < 3; ++d) {
            scale_all(bodies_.x[d], length);
            scale_all(targets_.x[d], length);
        }
        at_bodies_ = tree_sums(asked_, bodies_);
    }

    void check_all() {
        gravity_.evaluate(bodies_, targets_, found_);
        check_targets();
        CHECK(gravity_.info().method == asked_.plan.method);
        CHECK(gravity_.sampled_l2().has_value() == (asked_.plan.method == starfmm::Method::fmm));
        gravity_.evaluate(bodies_, found_);
        CHECK(found_.a == at_bodies_.a);
        CHECK(found_.potential == at_bodies_.potential);
    }

private:
    const GravityTreeOptions& asked_of(bool is_direct) {
        asked_.plan.method = is_direct ? starfmm::Method::direct : starfmm::Method::fmm;
        return asked_;
    }

    void check_targets() const {
        REQUIRE(found_.size() == targets_.size());
        std::vector<std::size_t> which;
        for (std::size_t i = 0; i < targets_.size(); i += 5) {
            which.push_back(i);
        }
        const starfmm::GravityLaw law{asked_.epsilon, 1, asked_.softening};
        const auto exact = starfmm::gravity_reference(bodies_, targets_, law, which);
        const auto errors = starfmm::compare(found_, exact, which);
        CHECK(errors.median_rel <= 1e-3);
        CHECK(errors.potential_max_rel <= 1e-2);
    }

    Bodies bodies_;
    starfmm::Points<3> targets_;
    GravityTreeOptions asked_;
    GravityTree gravity_;
    Accelerations at_bodies_;
    Accelerations found_;
};

} // namespace

TEST_CASE("gravity_tree: sums at targets and at the bodies follow each other") {
    Runtime runtime({}, Execution::in_order);
    for (const bool is_direct : {false, true}) {
        for (const double length : {1.0, 0x1p40}) {
            CAPTURE(is_direct);
            CAPTURE(length);
            SumsInTurn sums(runtime, is_direct, length);
            sums.check_all();
            sums.check_all();
        }
    }
}

TEST_CASE("gravity_tree: targets that no sum can be taken at are refused") {
    Runtime runtime({}, Execution::in_order);
    const Bodies bodies = random_bodies(20);
    starfmm::Points<3> targets{bodies.x};
    Accelerations out;
    const auto check = [&](const GravityTreeOptions& asked, const char* message) {
        GravityTree gravity(runtime, asked);
        CHECK_THROWS_WITH_AS(gravity.evaluate(bodies, targets, out), message, InputError);
    };
    const auto usual = options(1e-3, in_double);
    auto own = usual;
    own.own_error = 1e-4;
    check(own, "own_error: is of sums at the bodies, not at targets: leave it out");
    targets.x[1][3] = 1e200;
    check(usual, "targets.y[3] = 1e+200: must be finite and at most 1e+150 in magnitude");
    targets.x[2].pop_back();
    check(usual, "targets.z has 19 values, targets.x has 20: must be equal");
    targets = {};
    check(usual, "no targets: at least one point is needed");
}

TEST_CASE("gravity_tree: options follow from the tolerance") {
    const auto closed = GravityTreeOptions{}.closed();
    CHECK(closed.theta == 0.765);
    CHECK(closed.heavy_theta == 0.33);
    CHECK(closed.order == 4);
    CHECK(closed.leaf_size == 72);
    const auto finer = options(1e-4, in_single).closed();
    CHECK(finer.theta == 0.441);
    CHECK(finer.heavy_theta == 0);
    CHECK(finer.order == 5);
    const auto finest = options(6e-6, in_single).closed();
    CHECK(finest.theta == 0.441);
    CHECK(finest.heavy_theta == 0);
    CHECK(finest.order == 8);
    const auto last = options(1e-6, in_double).closed();
    CHECK(last.heavy_theta == 0.18);
    CHECK(last.order == 8);
    auto for_many = options(2.6e-3, in_single);
    for_many.tolerance99 = 6e-3;
    CHECK(for_many.closed().theta == 0.765);
    CHECK(for_many.closed().heavy_theta == 0.33);
    CHECK(for_many.closed().order == 5);
    auto given = options(1e-3, in_single);
    given.plan.order = 3;
    CHECK(given.closed().heavy_theta == 0);
    given.plan.heavy_theta = 0.3;
    CHECK(given.closed().heavy_theta == 0.3);
    CHECK(given.closed().theta == 0.765);
    auto own = options(1e-4, in_single);
    own.own_error = 1e-5;
    CHECK(own.closed().theta == 0.441);
    CHECK(own.closed().order == 5);
    CHECK(own.closed().heavy_theta == 0);
}

TEST_CASE("gravity_tree: plans take a field where separations may depend on it") {
    Runtime runtime({}, Execution::in_order);
    const Bodies bodies = random_bodies(100);
    const starfmm::PointsRef points(bodies.x);
    const std::vector<double> ones(100, 1.0);
    const std::array<std::span<const double>, 3> gradient{ones, ones, ones};
    auto& kernel = starfmm::kernel_set<starfmm::SoftenedGravity<double>>();
    const auto check = [&](starfmm::PlanOptions asked, double own_error, const char* message) {
        asked.method = starfmm::Method::fmm;
        starfmm::Plan plan(runtime, kernel, points, asked);
        CHECK_THROWS_WITH_AS(
            plan.rebuild(points, {own_error, 100, bodies.mass, ones, gradient}), message, InputError
        );
    };
    constexpr const char* of_trees =
        "own_error: takes an octree, an order, and one theta for all boxes";
    starfmm::PlanOptions tree{.tree = starfmm::TreeKind::orthtree, .order = 4, .leaf_size = 10};
    check(tree, 0, "own_error = 0: must be in (0, 1)");
    check(tree, 1, "own_error = 1: must be in (0, 1)");
    tree.heavy_theta = 0.3;
    check(tree, 1e-3, of_trees);
    tree.heavy_theta = 0;
    starfmm::Plan plan(runtime, kernel, points, tree);
    const std::vector<double> few(99, 1.0);
    CHECK_THROWS_WITH_AS(
        plan.rebuild(points, {1e-3, 100, bodies.mass, few, gradient}),
        "last potentials: 99 values, must be 100, as many as sources",
        InputError
    );
}

TEST_CASE("gravity_tree: options out of range are refused") {
    check_refused(options(2, in_single), "tolerance = 2: must be in (0, 1)");
    check_refused(options(1e-3, in_single, -1), "epsilon = -1: must be in [0, 1e+150]");
    check_refused(
        options(1e-7, mixed),
        "tolerance = 1e-07: pairs in single precision reach 1e-06: use a larger tolerance, or "
        "double precision"
    );
    GravityTreeOptions bad = options(1e-3, in_single);
    bad.plan.order = 9;
    check_refused(bad, "order = 9: must be in [0, 8]");
    bad = options(1e-3, in_single);
    bad.tolerance99 = 0;
    check_refused(bad, "tolerance99 = 0: must be in (0, 1]");
    bad = options(1e-3, in_single);
    bad.own_error = 1;
    check_refused(bad, "own_error = 1: must be in (0, 1)");
    bad.own_error = 1e-3;
    bad.plan.heavy_theta = 0.3;
    check_refused(
        bad, "own_error and heavy_theta: what is left out is bounded by either, not by both"
    );
    bad = options(1e-3, in_single);
    bad.plan.tree = starfmm::TreeKind::pyramid;
    check_refused(bad, "tree = pyramid: of the plane; in space an octree serves");
}

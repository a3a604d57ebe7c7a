// SPDX-License-Identifier: BSD-3-Clause
#include "core/expansions/kernels3d.hpp"
#include "core/expansions/truncation.hpp"
#include "core/particles/distributions.hpp"
#include "schedulers/costs/cost_model.hpp"
#include "schedulers/costs/work_in_space.hpp"
#include "schedulers/plan/plan.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <initializer_list>

using namespace starfmm;

namespace {

/// A tree of evenly spread points.
struct Case {
    SpaceTree tree;
    double leaf; ///< number of points in its leaves
};

PlanShape shape_of(const Case& each, std::size_t n, double theta) {
    PlanShape shape{n, n, false, each.tree.levels, theta, 40};
    shape.dimension = 3;
    shape.roots = each.tree.roots;
    return shape;
}

PlanOptions options_of(const Case& each, const PlanShape& shape) {
    PlanOptions options;
    options.method = Method::fmm;
    options.theta = shape.theta;
    options.order = shape.order; // few leaves are large enough for P2L or M2P
    options.leaf_size = octree_leaf_size(shape);
    options.roots = each.tree.roots;
    return options;
}

} // namespace

TEST_CASE("work_in_space: a root meets itself") {
    const SpaceWork work = estimate_work_in_space(100, 30, {0}, 0.5);
    CHECK(work.counts.boxes == 1);
    CHECK(work.counts.far == 0);
    CHECK(work.counts.near == 1);
    CHECK(work.counts.pairs == doctest::Approx(3000).epsilon(0.01));
}

TEST_CASE("work_in_space: roots are cells of the third level") {
    CHECK(cells_a_side({3, 4}) == 8); // a whole box of half the size
    CHECK(cells_a_side({3, 5}) == 5);
    CHECK(cells_a_side({5, 7}) == 28);
    CHECK(cells_a_side({2, 4}) == 4);
}

TEST_CASE("work_in_space: lists grow with levels and shrink with theta, and farther pairs take "
          "fewer terms") {
    for (const int roots : {4, 5, 6, 7}) {
        for (int levels = 4; levels <= 8; ++levels) {
            double near_before = 0;
            for (const double theta : {0.9, 0.75, 0.62, 0.5, 0.45, 0.2}) {
                const std::size_t n = 1'000'000'000;
                const SpaceTree tree{levels, roots};
                const SpaceWork work = estimate_work_in_space(n, n, tree, theta);
                const SpaceWork above = estimate_work_in_space(n, n, {levels - 1, roots}, theta);
                const double leaves = std::pow(cells_a_side(tree), 3);
                CHECK(work.counts.boxes == above.counts.boxes + leaves);
                CHECK(work.counts.near >= leaves);
                CHECK(work.counts.near <= leaves * leaves);
                CHECK(work.counts.near >= near_before);
                CHECK(work.counts.far >= above.counts.far);
                CHECK(work.counts.pairs <= above.counts.pairs);
                CHECK(work.share <= 1);
                CHECK(work.share2 < work.share);
                CHECK(work.share3 < work.share2);
                CHECK(work.share2 > work.share * work.share); // a variance is positive
                near_before = work.counts.near;
            }
        }
    }
}

TEST_CASE("work_in_space: counts of uniform points, within 15 % from four cells a side on") {
    Runtime runtime({}, Execution::in_order);
    for (const Case& each :
         {Case{{2, 4}, 60},
          Case{{3, 6}, 30},
          Case{{3, 7}, 100},
          Case{{3, 4}, 12},
          Case{{4, 5}, 40}}) {
        const double cells = std::pow(cells_a_side(each.tree), 3);
        const auto n = static_cast<std::size_t>(each.leaf * cells);
        const Points<3> points = make_points<3>(Distribution::uniform, n, 0.1, 7);
        for (const double theta : {0.45, 0.5, 0.55, 0.6, 0.64, 0.7, 0.75}) {
            const PlanShape shape = shape_of(each, n, theta);
            const Plan plan(
                runtime, kernel_set<Laplace<double>>(), points, options_of(each, shape)
            );
            const WorkEstimate work = estimate_work_in_space(n, n, each.tree, theta).counts;
            const PlanInfo& info = plan.info();
            CAPTURE(cells);
            CAPTURE(each.leaf);
            CAPTURE(theta);
            CHECK(static_cast<double>(info.leaves) == cells);
            CHECK(work.pairs == doctest::Approx(info.work.p2p_pairs).epsilon(0.15));
            CHECK(work.far == doctest::Approx(info.work.m2l_shifts).epsilon(0.15));
        }
    }
}

TEST_CASE("work_in_space: terms of uniform points, within 15 % of those of cubes") {
    // Leaves full of points are cubes: all pairs of two levels of them can be counted.
    const double theta = 0.5;
    const int order = 14;
    const auto near = [&](double d2) { return d2 < 0.75 * (1 + 1 / theta) * (1 + 1 / theta); };
    double n_pairs = 0;
    double squares = 0;
    double cubes = 0;
    const auto orders = TruncationOrders::of<Laplace<double>>(theta, order, true);
    const double radius = std::sqrt(0.75);
    for (int i = 0; i < 16 * 16 * 16 * 8; ++i) { // one box of eight siblings
        const int offset[]{i / 8 % 16 - 8, i / 128 % 16 - 8, i / 2048 - 8};
        double d2 = 0;
        double above2 = 0;
        for (int d = 0; d < 3; ++d) {
            const int at = i >> d & 1;
            const int above = (at + offset[d] + 64) / 2 - 32;
            d2 += offset[d] * offset[d];
            above2 += above * above;
        }
        if (near(above2) && !near(d2)) {
            const double terms = orders.terms(radius, radius, std::sqrt(d2));
            n_pairs += 1;
            squares += terms * terms;
            cubes += terms * terms * terms;
        }
    }
    const std::size_t n = 134'217'728; // 512 a leaf
    PlanShape shape{n, n, false, 6, theta, order, 3};
    shape.terms_besides = 1.5;
    const Units units = units_of(shape);
    const auto of = [&](Unit unit) { return units[static_cast<std::size_t>(unit)]; };
    CHECK(
        of(Unit::shift_coefficient) / of(Unit::shift) ==
        doctest::Approx(squares / n_pairs).epsilon(0.15)
    );
    CHECK(
        of(Unit::shift_product) / of(Unit::shift) == doctest::Approx(cubes / n_pairs).epsilon(0.15)
    );
}

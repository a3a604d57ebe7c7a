// SPDX-License-Identifier: BSD-3-Clause
#include "core/error.hpp"
#include "core/particles/value_range.hpp"
#include "schedulers/plan/near_field.hpp"
#include "tests/kernels/counting_law.hpp"
#include "tests/support/near_scene.hpp"

#include <type_traits>

namespace {

template <class L>
void check_run(starfmm::Runtime& runtime, std::size_t n, int height, int level) {
    const NearScene<L> scene(uniform_points<L::dimension>(n), height, 0);
    starfmm::NearField<L::dimension> field(
        runtime, starfmm::law_set<L>(), scene.points, {height, level}
    );
    scene.check(field.evaluate(scene.strengths));
    scene.check(field.evaluate(scene.strengths)); // on the same tree
}

} // namespace

TEST_CASE("near_field: tasks give the sum over boxes that touch") {
    for (const int cpus : {1, 2}) {
        starfmm::Runtime runtime({cpus, 0, "", false});
        check_run<HarmonicNearDouble>(runtime, 900, 4, -1);
        check_run<HarmonicNearSingle>(runtime, 900, 3, 2);
        check_run<GradientNearDouble>(runtime, 700, 3, 1);
        check_run<GravityNearSingle>(runtime, 50, 2, 2); // with groups that hold nothing
        check_run<LaplaceNearSingle>(runtime, 1, 2, 1);
    }
}

TEST_CASE("near_field: single precision tells neighbours apart that are far from the origin") {
    starfmm::Runtime runtime({1, 0, "", false});
    for (const int level : {0, 1}) {
        const auto check = [&]<class L>(std::type_identity<L> /*law*/, int height) {
            const NearScene<L> scene(distant_points<L::dimension>(200), height, 0);
            starfmm::NearField<L::dimension> field(
                runtime, starfmm::law_set<L>(), scene.points, {height, level}
            );
            scene.check(field.evaluate(scene.strengths));
        };
        check(std::type_identity<HarmonicNearSingle>{}, 9);
        check(std::type_identity<GradientNearSingle>{}, 6);
    }
}

TEST_CASE("near_field: the same bodies in order, without a runtime") {
    starfmm::Runtime runtime({}, starfmm::Execution::in_order);
    check_run<LogNearDouble>(runtime, 600, 3, 1);
}

TEST_CASE("near_field: a law of one's own counts the points in reach") {
    starfmm::Runtime runtime({2, 0, "", false});
    const auto points = uniform_points<3>(2000);
    starfmm::NearField<3> field(runtime, starfmm::law_set<CountingLaw>(), points, {3, 1});
    const NearScene<CountingLaw> scene(points, 3, 0);
    const auto codes = scene.box_codes();
    const auto counts = field.evaluate(std::vector<double>(points.size(), 1.0));
    for (std::size_t i = 0; i < points.size(); ++i) {
        int n_near = -1; // the box itself does not count
        for (int k = 0; k < 27; ++k) {
            n_near += static_cast<int>(
                std::count(codes.begin(), codes.end(), starfmm::z_neighbour<3>(codes[i], 3, k))
            );
        }
        REQUIRE(counts[0][i] == n_near);
    }
}

TEST_CASE("near_field: the number of pairs, each from both its ends") {
    starfmm::Runtime runtime({1, 0, "", false});
    const auto points = starfmm::make_points<2>(starfmm::Distribution::lattice, 64, 0.1, 1);
    // 8 x 8 boxes of one point: 4 have 4, 24 have 6 and 36 have 9 boxes in their stencil
    for (const int level : {0, 1, 2}) {
        const starfmm::NearField<2> field(
            runtime, starfmm::law_set<HarmonicNearDouble>(), points, {3, level}
        );
        CHECK(field.n_pairs() == 4 * 4 + 24 * 6 + 36 * 9);
        CHECK(field.n_groups() == std::size_t(1) << (2 * level));
    }
}

TEST_CASE("near_field: no points, no values") {
    starfmm::Runtime runtime({1, 0, "", false});
    starfmm::NearField<3> field(runtime, starfmm::law_set<GravityNearDouble>(), {}, {2});
    CHECK(field.evaluate({}) == starfmm::NearValues(3));
}

TEST_CASE("near_field: bad input") {
    starfmm::Runtime runtime({1, 0, "", false});
    auto& law = starfmm::law_set<HarmonicNearDouble>();
    const auto points = starfmm::make_points<2>(starfmm::Distribution::uniform, 10, 0.1, 4);
    using Field = starfmm::NearField<2>;
    CHECK_THROWS_WITH_AS(
        Field(runtime, law, points, {13}), "height = 13: must be in [0, 12]", starfmm::InputError
    );
    CHECK_THROWS_WITH_AS(
        Field(runtime, law, points, {2, 3}),
        "group_level = 3: must be in [-1, 2]",
        starfmm::InputError
    );
    CHECK_THROWS_WITH_AS(
        Field(runtime, starfmm::law_set<GravityNearDouble>(), points, {2}),
        "law gravity: is of dimension 3, the points are of dimension 2",
        starfmm::InputError
    );
    CHECK_THROWS_AS(
        Field(runtime, law, starfmm::Points<2>{{{{0, NAN}, {0, 0}}}}, {2}), starfmm::InputError
    );
    auto tiny = points;
    for (auto& x : tiny.x) {
        x = starfmm::scaled(x, -60);
    }
    CHECK_NOTHROW(Field(runtime, law, tiny, {2}));
    CHECK_THROWS_WITH_AS(
        Field(runtime, starfmm::law_set<HarmonicNearSingle>(), tiny, {2}),
        doctest::Contains("must be at least 2.32831e-10 with height = 2 in single precision"),
        starfmm::InputError
    );
    Field field(runtime, law, points, {2});
    CHECK_THROWS_WITH_AS(
        field.evaluate(std::vector<double>(9)),
        "strengths: 9 for 10 points: must be equal",
        starfmm::InputError
    );
    CHECK_THROWS_AS(field.evaluate(std::vector<double>(10, INFINITY)), starfmm::InputError);
}

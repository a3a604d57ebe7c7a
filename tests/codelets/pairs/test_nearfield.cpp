// SPDX-License-Identifier: BSD-3-Clause
#include "tests/support/near_scene.hpp"

#include <initializer_list>

namespace {

/// Bodies of every instruction set that this processor has.
template <class L>
std::vector<NearBody> near_bodies() {
    std::vector<NearBody> bodies;
    starfmm::for_each_isa([&bodies](auto isa) {
        bodies.push_back(near_body<L, typename decltype(isa)::type>());
    });
    return bodies;
}

template <class L>
starfmm::NearValues near_field(NearScene<L>& scene, const NearBody& body) {
    return scene.run(
        [body](const starfmm::TaskArgs& args, auto&... buffers) {
            call(body.of(args), args, buffers...);
        },
        0
    );
}

template <class L>
void check_points(const starfmm::Points<L::dimension>& points, int height, int level = 0) {
    NearScene<L> scene(points, height, level);
    for (const NearBody& body : near_bodies<L>()) {
        scene.check(near_field(scene, body));
    }
}

} // namespace

TEST_CASE_TEMPLATE("nearfield: the pairs of boxes that touch, each once", L, DOCTEST_TEST_LAWS) {
    constexpr int D = L::dimension;
    for (const std::size_t n : {1, 2, 3, 31, 500}) {
        for (const int height : {0, 1, 2, 3}) { // most boxes are empty in the end
            check_points<L>(uniform_points<D>(n), height);
        }
    }
}

TEST_CASE_TEMPLATE("nearfield: groups and the borders between them", L, DOCTEST_TEST_LAWS) {
    constexpr int D = L::dimension;
    check_points<L>(uniform_points<D>(400), 3, 1);
    check_points<L>(uniform_points<D>(300), 2, 2);
    check_points<L>(uniform_points<D>(20), 3, 2);
}

TEST_CASE_TEMPLATE("nearfield: all points in one box", L, DOCTEST_TEST_LAWS) {
    check_points<L>(crowded_points<L::dimension>(300), 3);
    check_points<L>(crowded_points<L::dimension>(300), 3, 1);
}

TEST_CASE_TEMPLATE("nearfield: neighbours far from the origin", L, DOCTEST_TEST_LAWS) {
    constexpr int height = L::dimension == 2 ? 9 : 6;
    check_points<L>(distant_points<L::dimension>(200), height);
    check_points<L>(distant_points<L::dimension>(200), height, 1);
}

TEST_CASE_TEMPLATE("nearfield: coincident points do not act on each other", L, DOCTEST_TEST_LAWS) {
    starfmm::Points<L::dimension> points;
    for (auto& x : points.x) {
        x.assign(40, 0.25);
    }
    NearScene<L> scene(points, 2, 0);
    for (const NearBody& body : near_bodies<L>()) {
        for (const auto& component : near_field(scene, body)) {
            CHECK(component == std::vector<double>(40));
        }
    }
}

TEST_CASE_TEMPLATE("pair laws: reactions have the parity that is declared", L, DOCTEST_TEST_LAWS) {
    using Real = typename L::Real;
    constexpr int D = L::dimension;
    Random random(1);
    for (int i = 0; i < 100; ++i) {
        std::array<Real, D> there{};
        std::array<Real, D> back{};
        for (int d = 0; d < D; ++d) {
            there[d] = static_cast<Real>(random(-1, 1));
            back[d] = -there[d];
        }
        for (int c = 0; c < L::n_values; ++c) {
            CHECK(L::pair(back)[c] == L::parity[c] * L::pair(there)[c]);
        }
    }
}

TEST_CASE("pair laws: values at a known distance") {
    const auto harmonic = starfmm::HarmonicLaw<double>::pair(std::array<double, 2>{3, 4});
    CHECK(harmonic[0] == doctest::Approx(3.0 / 25)); // 1 / (3 + 4 i)
    CHECK(harmonic[1] == doctest::Approx(-4.0 / 25));
    CHECK(
        starfmm::LogLaw<double>::pair(std::array<double, 2>{3, 4})[0] ==
        doctest::Approx(std::log(5))
    );
    const auto all = starfmm::LaplaceGradientLaw<double>::pair(std::array<double, 3>{2, 3, 6});
    CHECK(all[0] == doctest::Approx(1.0 / 7));
    CHECK(all[1] == doctest::Approx(2.0 / 343));
    CHECK(all[2] == doctest::Approx(3.0 / 343));
    CHECK(all[3] == doctest::Approx(6.0 / 343));
}

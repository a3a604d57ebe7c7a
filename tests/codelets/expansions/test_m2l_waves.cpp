// SPDX-License-Identifier: BSD-3-Clause
// Tests of M2L of octrees by plane waves: sums are as precise as with M2L by expansions, whatever
// boxes there are.
#include "tests/support/space/cube_scene.hpp"

namespace {

template <class Real>
std::vector<Real> m2l(CubeScene<Real>& scene, bool plane_waves) {
    using K = typename CubeScene<Real>::K;
    return scene.run_m2l(
        plane_waves,
        [](const auto& args, auto& locals, auto& lists, auto& boxes, auto& multipoles) {
            const auto view = CubeScene<Real>::view_of(boxes);
            const starfmm::M2LTask<K> task{
                args, locals.data(), lists.data(), view, {multipoles.data()}, {view}};
            starfmm::M2LTask<K>::template cpu<starfmm::CurrentIsa>(task);
        }
    );
}

} // namespace

TEST_CASE("m2l_waves: sums are as good as by expansions") {
    for (const double tolerance : {1e-3, 1e-6, 1e-9}) {
        for (const double share : {1.0, 0.6}) {
            CAPTURE(tolerance);
            CAPTURE(share);
            CubeScene<double> scene(tolerance, share);
            scene.connect();
            const auto by_waves = m2l(scene, true);
            const auto by_expansions = m2l(scene, false);
            CHECK(by_waves != by_expansions);
            CHECK(scene.error(by_waves) <= tolerance);
            CHECK(scene.error(by_expansions) <= tolerance);
        }
    }
}

TEST_CASE("m2l_waves: single precision") {
    CubeScene<float> scene(1e-4, 0.8);
    scene.connect();
    const auto by_waves = m2l(scene, true);
    CHECK(by_waves != m2l(scene, false));
    CHECK(scene.error(by_waves) <= 1e-4);
}

TEST_CASE("m2l_waves: a level with few such pairs goes by expansions") {
    CubeScene<double> scene(1e-3, 0.02);
    scene.connect();
    const auto by_waves = m2l(scene, true);
    CHECK(scene.error(by_waves) <= 1e-3);
}

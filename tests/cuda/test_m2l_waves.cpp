// SPDX-License-Identifier: BSD-3-Clause
// Tests of M2L of octrees by plane waves on a GPU: sums are as precise as with M2L by expansions,
// whatever boxes there are.
#include "tests/cuda/support/device_call.hpp"
#include "tests/support/space/cube_scene.hpp"

#include <array>
#include <tuple>
#include <utility>

namespace {

using starfmm::Laplace;

template <class Real>
std::vector<Real> m2l_on_gpu(CubeScene<Real>& scene, bool plane_waves) {
    return scene.run_m2l(
        plane_waves,
        [](const auto& args, auto& locals, auto& lists, auto& boxes, auto& multipoles) {
            call_on_gpu(
                body<starfmm::M2LTask>(gpu_bodies<Laplace<Real>>()),
                args,
                locals,
                lists,
                boxes,
                multipoles,
                boxes
            );
        }
    );
}

/// Runs M2L on a GPU where the sources' boxes are another array than the targets'.
template <class Real>
std::vector<Real> m2l_of_two_trees(CubeScene<Real>& scene) {
    return scene.run_m2l(
        true,
        [](const auto& args, auto& locals, auto& lists, auto& boxes, auto& multipoles) {
            auto sources = boxes;
            call_on_gpu(
                body<starfmm::M2LTask>(gpu_bodies<Laplace<Real>>()),
                args,
                locals,
                lists,
                boxes,
                multipoles,
                sources
            );
        }
    );
}

/// Runs M2L on a GPU where the sources are boxes of several groups.
template <std::size_t n_slots, class Real>
std::vector<Real> m2l_of_slots(CubeScene<Real>& scene) {
    return scene.template run_m2l_of_slots<n_slots>(
        [](const auto& args, auto& locals, auto& lists, auto& boxes, auto& multipoles) {
            auto of_others = boxes;
            const auto call = [&](auto&... of_slots) {
                call_on_gpu(
                    body<starfmm::M2LTask>(gpu_bodies<Laplace<Real>>()),
                    args,
                    locals,
                    lists,
                    boxes,
                    of_slots...
                );
            };
            const auto with_slots = [&]<std::size_t... slot>(std::index_sequence<slot...>) {
                const auto pair = [&](auto i) {
                    return std::tie(multipoles[i()], i() == 0 ? boxes : of_others);
                };
                std::apply(
                    call, std::tuple_cat(pair(std::integral_constant<std::size_t, slot>())...)
                );
            };
            with_slots(std::make_index_sequence<n_slots>());
        }
    );
}

template <class Real>
void check_waves(CubeScene<Real>& scene, double tolerance) {
    scene.connect();
    const auto by_waves = m2l_on_gpu(scene, true);
    const auto by_expansions = m2l_on_gpu(scene, false);
    CHECK(by_waves != by_expansions);
    CHECK(scene.error(by_waves) <= tolerance);
    CHECK(m2l_on_gpu(scene, true) == by_waves); // in whatever order families are found
    CHECK(m2l_of_two_trees(scene) == by_waves);
    CHECK(m2l_of_slots<2>(scene) == by_waves);
    // in eight copies of a large tree, most boxes find no room for their waves
    CHECK(scene.error(m2l_of_slots<8>(scene)) <= tolerance);
}

struct Accuracy {
    double tolerance;
    int order;
};

} // namespace

TEST_CASE("m2l_waves: on a GPU sums are as good as by expansions") {
    for (const auto& [tolerance, order] :
         {Accuracy{1e-3, 7},
          {1e-6, 17},
          {4e-7, 19}, // waves in double
          {1e-9, 23}, // waves need fewer degrees than expansions, which err 4e-9
          {1e-9, 30},
          {1e-12, 33},
          {1e-12, 36}}) {
        for (const double share : {1.0, 0.6, 0.02}) {
            CAPTURE(tolerance);
            CAPTURE(order);
            CAPTURE(share);
            CubeScene<double> scene(tolerance, share, order);
            check_waves(scene, tolerance);
        }
    }
}

TEST_CASE("m2l_waves: on a GPU, single precision") {
    CubeScene<float> scene(1e-4, 0.8);
    check_waves(scene, 1e-4);
}

TEST_CASE("m2l_waves: on a GPU, boxes of four levels, and more than fit one block") {
    for (const double share : {1.0, 0.4}) {
        CAPTURE(share);
        CubeScene<double> scene(1e-6, share, 17, 4);
        check_waves(scene, 1e-6);
    }
}

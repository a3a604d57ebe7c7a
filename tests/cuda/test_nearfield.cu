// SPDX-License-Identifier: BSD-3-Clause
// laws in extended precision, which CUDA does not have: only the host evaluates them
#pragma nv_diag_suppress 20208
#include "codelets/sets/instantiate_law.hpp"
#include "tests/cuda/support/device_call.hpp"
#include "tests/support/near_scene.hpp"

#include <iterator>
#include <span>

namespace {

/// Checks one body, launched in each of its shapes, whatever the boxes hold.
template <class L>
void check_body(NearScene<L>& scene, const NearBody& body) {
    const auto run = [body](const starfmm::TaskArgs& args, auto&... buffers) {
        call_on_gpu(body.of(args), args, buffers...);
    };
    constexpr int granularities[]{8, 16, 32, 64, 100, 1000};
    for (const int granularity :
         std::span(granularities).first(scene_size(std::size(granularities)))) {
        CAPTURE(granularity);
        scene.check(scene.run(run, granularity));
    }
}

template <class L>
void check_points(const starfmm::Points<L::dimension>& points, int height, int level = 0) {
    NearScene<L> scene(points, height, level);
    check_body(scene, near_body<L, starfmm::Cuda>());
    check_body(scene, near_body<L, starfmm::Cuda>(1));
}

__device__ unsigned long long n_evaluations = 0;

/// A law that counts points, and the calls of its pair function.
struct CountedLaw {
    using Real = float;
    static constexpr int dimension = 2;
    static constexpr int n_values = 1;
    static constexpr std::string_view name = "counted";
    static constexpr std::array<int, 1> parity{1};

    template <class T>
    STARFMM_HOST_DEVICE static std::array<T, 1> pair(const std::array<T, 2>& d) {
#ifdef __CUDA_ARCH__
        atomicAdd(&n_evaluations, 1ULL);
#endif
        return {T(d[0] == 0 && d[1] == 0 ? 0 : 1)};
    }
};

/// Makes `per_box` points in every box of the lattice of a tree.
starfmm::Points<2> lattice(int height, int per_box) {
    starfmm::Points<2> points;
    for (starfmm::ZCode box = 0; box < 1U << (2 * height); ++box) {
        const auto at = starfmm::z_coordinates<2>(box);
        for (int i = 0; i < per_box; ++i) {
            points.x[0].push_back(at[0] + static_cast<double>(i) / per_box);
            points.x[1].push_back(at[1] + (i + 0.5) / per_box);
        }
    }
    // corners make the domain end where the boxes do
    points.x[0].front() = 0;
    points.x[1].front() = 0;
    points.x[0].back() = 1U << height;
    points.x[1].back() = 1U << height;
    return points;
}

unsigned long long
count_evaluations(const NearBody& body, NearScene<CountedLaw>& scene, int per_box) {
    const unsigned long long none = 0;
    require_cuda(cudaMemcpyToSymbol(n_evaluations, &none, sizeof none));
    const auto values = scene.run(
        [body](const starfmm::TaskArgs& args, auto&... buffers) {
            call_on_gpu(body.of(args), args, buffers...);
        },
        per_box
    );
    scene.check(values);
    unsigned long long n = 0;
    require_cuda(cudaMemcpyFromSymbol(&n, n_evaluations, sizeof n));
    return n;
}

} // namespace

TEST_CASE_TEMPLATE("nearfield: CUDA sums the pairs of boxes that touch", L, DOCTEST_TEST_LAWS) {
    constexpr int D = L::dimension;
    check_points<L>(uniform_points<D>(1), 2);
    check_points<L>(uniform_points<D>(700), 0);
    check_points<L>(uniform_points<D>(1500), 2);
    check_points<L>(uniform_points<D>(100), 3); // most boxes are empty
    check_points<L>(crowded_points<D>(900), 2);
    check_points<L>(distant_points<D>(200), D == 2 ? 9 : 6);
}

TEST_CASE_TEMPLATE("nearfield: CUDA, between groups", L, DOCTEST_TEST_LAWS) {
    constexpr int D = L::dimension;
    check_points<L>(uniform_points<D>(400), 2, 1);
    check_points<L>(uniform_points<D>(60), 3, 2);
    check_points<L>(crowded_points<D>(300), 3, 1);
    check_points<L>(distant_points<D>(200), D == 2 ? 9 : 6, 1);
}

TEST_CASE("nearfield: the improved implementation evaluates half as many pairs") {
    // whole warps a box: beside a box with more sources, lanes of one with fewer would idle aloud
    for (const int per_box : {128, 512}) {
        CAPTURE(per_box);
        NearScene<CountedLaw> scene(lattice(2, per_box), 2, 0);
        // 4 corners, 8 boxes on edges and 4 within
        const auto directed =
            static_cast<unsigned long long>(per_box * per_box * (4 * 4 + 8 * 6 + 4 * 9));
        CHECK(
            count_evaluations(near_body<CountedLaw, starfmm::Cuda>(), scene, per_box) == directed
        );
        CHECK(
            count_evaluations(near_body<CountedLaw, starfmm::Cuda>(1), scene, per_box) ==
            directed / 2
        );
    }
}

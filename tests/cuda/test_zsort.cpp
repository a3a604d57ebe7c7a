// SPDX-License-Identifier: BSD-3-Clause
#include "tests/cuda/support/device_call.hpp"
#include "tests/support/near_scene.hpp"

namespace {

template <class Real>
using Operators = starfmm::ZOrderOperators<Real, 2>;

/// Permutation and offsets of all points, then of group 1, by one set of bodies.
template <class Real, class Call>
std::vector<Words> sorted(
    NearScene<starfmm::HarmonicLaw<Real>>& scene,
    const typename Operators<Real>::Bodies& bodies,
    const Call& run
) {
    const std::size_t n = scene.points.size();
    Words permutation(n, 7U);
    Words offsets((std::size_t(1) << (2 * scene.height)) + 1, 7U);
    auto domain = std::vector{scene.domain()};
    std::vector<std::byte> scratch(starfmm::zsort_scratch_bytes(n));
    auto& [x, y] = scene.points.x;
    run(body_in<Operators<Real>, starfmm::ZSortTask<2>>(bodies),
        scene.args(0),
        permutation,
        offsets,
        scratch,
        domain,
        x,
        y);
    const auto& group = scene.groups.back();
    std::vector<Real> positions(group.positions.size());
    Words users(group.users.size());
    Words group_offsets(group.offsets.size());
    auto args = scene.args(0);
    args.slots[0] = group.index;
    run(body_in<Operators<Real>, starfmm::ZGroupTask<Real, 2>>(bodies),
        args,
        positions,
        users,
        group_offsets,
        permutation,
        offsets,
        domain,
        x,
        y);
    CHECK(positions == group.positions);
    return {permutation, offsets, users, group_offsets};
}

} // namespace

TEST_CASE_TEMPLATE("zsort: CUDA gives the CPU's bits", Real, double, float) {
    for (const std::size_t n : {1, 2, 255, 5000, 100'000}) {
        for (const int height : {0, 1, 6}) {
            NearScene<starfmm::HarmonicLaw<Real>> scene(
                uniform_points<2>(n), height, std::min(height, 1)
            );
            const auto expected = sorted<Real>(
                scene,
                starfmm::bodies<Operators<Real>, starfmm::NarrowestIsa>(),
                [](auto body, const auto& args, auto&... buffers) { call(body, args, buffers...); }
            );
            const auto result = sorted<Real>(
                scene,
                starfmm::bodies<Operators<Real>, starfmm::Cuda>(),
                [](auto body, const auto& args, auto&... buffers) {
                    call_on_gpu(body, args, buffers...);
                }
            );
            CHECK(result == expected);
        }
    }
}

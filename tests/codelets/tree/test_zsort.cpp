// SPDX-License-Identifier: BSD-3-Clause
#include "tests/support/near_scene.hpp"

namespace {

/// Buffers of the sort of a scene's points, at first full of what must be overwritten.
template <class L>
struct Sorted {
    Words permutation;
    Words offsets;

    explicit Sorted(NearScene<L>& scene)
        : permutation(scene.points.size(), 77U),
          offsets((std::size_t(1) << (L::dimension * scene.height)) + 1, 77U) {
        auto domain = std::vector{scene.domain()};
        std::vector<std::byte> scratch(starfmm::zsort_scratch_bytes(scene.points.size()));
        Buffers buffers;
        buffers.add(permutation).add(offsets).add(scratch).add(domain);
        for (auto& x : scene.points.x) {
            buffers.add(x);
        }
        buffers.call(body<starfmm::ZSortTask<L::dimension>>(), scene.args(0));
    }

    template <class Op>
    static starfmm::BodyFunction body() {
        using List = starfmm::ZOrderOperators<typename L::Real, L::dimension>;
        return body_in<List, Op>(starfmm::bodies<List, starfmm::NarrowestIsa>());
    }
};

template <class L>
void check_sort(const starfmm::Points<L::dimension>& points, int height, int level) {
    using Real = typename L::Real;
    NearScene<L> scene(points, height, level);
    Sorted<L> sorted(scene);
    Words expected;
    for (const auto& group : scene.groups) {
        expected.insert(expected.end(), group.users.begin(), group.users.end());
        std::vector<Real> positions(group.positions.size());
        Words users(group.users.size());
        Words offsets(group.offsets.size());
        Buffers buffers;
        buffers.add(positions).add(users).add(offsets).add(sorted.permutation).add(sorted.offsets);
        auto domain = std::vector{scene.domain()};
        buffers.add(domain);
        for (auto& x : scene.points.x) {
            buffers.add(x);
        }
        auto args = scene.args(0);
        args.slots[0] = group.index;
        buffers.call(Sorted<L>::template body<starfmm::ZGroupTask<Real, L::dimension>>(), args);
        CHECK(positions == group.positions);
        CHECK(users == group.users);
        CHECK(offsets == group.offsets);
    }
    CHECK(sorted.permutation == expected);
    CHECK(sorted.offsets.front() == 0);
    CHECK(sorted.offsets.back() == points.size());
}

} // namespace

TEST_CASE_TEMPLATE(
    "zsort: by box along the curve, then by user index",
    L,
    HarmonicNearDouble,
    HarmonicNearSingle,
    GravityNearDouble,
    GravityNearSingle
) {
    constexpr int D = L::dimension;
    for (const std::size_t n : {1, 2, 257}) {
        check_sort<L>(uniform_points<D>(n), 0, 0);
        check_sort<L>(uniform_points<D>(n), 3, 0);
        check_sort<L>(uniform_points<D>(n), 3, 1);
        check_sort<L>(crowded_points<D>(n), 4, 2);
    }
}

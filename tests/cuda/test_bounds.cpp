// SPDX-License-Identifier: BSD-3-Clause
#include "tests/cuda/support/device_buffers.hpp"

namespace {

template <int D>
void check_bounds(Shape shape, std::size_t n, const starfmm::Pyramid<D>& tree) {
    starfmm::TaskArgs args;
    args.tree = tree;
    std::vector<double> positions = positions_of<D>(shape, tree.n_points(n));
    Words offsets = source_offsets(tree, n);
    std::vector<double> expected_bounds(2 * D * tree.total_boxes());
    std::vector<double> expected(starfmm::frame_doubles(D, tree.total_boxes()));
    call(
        body<starfmm::BoundsTask>(cpu_geometry<D>()),
        args,
        expected,
        expected_bounds,
        positions,
        offsets
    );
    std::vector<double> bounds(expected_bounds.size(), 7);
    std::vector<double> boxes(expected.size(), 7);
    call_on_gpu(
        body<starfmm::BoundsTask>(gpu_geometry<D>()), args, boxes, bounds, positions, offsets
    );
    CHECK(bounds == expected_bounds);
    CHECK(boxes == expected);
}

} // namespace

TEST_CASE("bounds: CUDA gives the CPU's boxes bit by bit") {
    for (const Shape shape : shapes) {
        for (const std::size_t n : {1, 3, 500, 70'001}) { // with empty leaves, too
            CAPTURE(n);
            for (const int levels : {0, 1, 2, 3, 4, 6, 8}) {
                CAPTURE(levels);
                check_bounds<2>(shape, n, {{0, levels, 0}});
            }
            check_bounds<2>(shape, n, {{1, 4, 2}});
        }
    }
}

// SPDX-License-Identifier: BSD-3-Clause
#include "tests/cuda/support/device_buffers.hpp"
#include "tests/support/body_field.hpp"
#include "tests/support/orthtree_run.hpp"
#include "tests/support/scene_size.hpp"
#include "tests/support/shapes.hpp"

#include <algorithm>
#include <cmath>

namespace {

using starfmm::OwnReach;

double difference(double a, double b) {
    return a == b ? 0 : std::abs(a - b) / std::max(std::abs(a), std::abs(b));
}

double difference(const OwnReach& a, const OwnReach& b) {
    return std::max(
        {difference(a.source, b.source),
         difference(a.source_size, b.source_size),
         difference(a.target, b.target),
         difference(a.target_size, b.target_size),
         difference(a.length, b.length)}
    );
}

void check_powers(std::size_t n, int order, double error) {
    CAPTURE(n);
    CAPTURE(order);
    const auto points = make_shape<3>("normal", n, 1);
    OrthtreeRun<Buffers, 3> cpu(cpu_geometry<3>(), points, {}, 20);
    OrthtreeRun<DeviceBuffers, 3> gpu(gpu_geometry<3>(), points, {}, 20);
    auto field = body_field<3>(n);
    field.push_back(std::vector<double>(n, 1e-3)); // lengths
    for (std::size_t i = 0; i < n; i += 10) {
        field.back()[i] = 0.02 * static_cast<double>(i) / static_cast<double>(n);
    }
    cpu.args.kernel.has_lengths = true;
    gpu.args.kernel.has_lengths = true;
    const starfmm::OwnErrorSeparation rule{error, order, 1e-3, 1e-3, 1e-3};
    cpu.separate_by_own_error(rule, field);
    gpu.separate_by_own_error(rule, field);
    REQUIRE(gpu.reaches.size() == cpu.reaches.size());
    for (std::size_t box = 0; box < cpu.reaches.size(); ++box) {
        CHECK(difference(gpu.reaches[box], cpu.reaches[box]) <= 1e-12);
    }
    // lists of the same reaches are the same
    gpu.reaches = cpu.reaches;
    const std::uint64_t room =
        std::min<std::uint64_t>(cpu.n_boxes() * cpu.n_boxes(), std::uint64_t(1) << 25U) + 1000;
    cpu.connect(room, room);
    gpu.connect(room, room);
    REQUIRE(cpu.counts[0].overflow == 0);
    CHECK(gpu.counts[0].far == cpu.counts[0].far);
    CHECK(gpu.counts[0].near == cpu.counts[0].near);
    CHECK(gpu.counts[0].m2p == cpu.counts[0].m2p);
    CHECK(gpu.counts[0].p2p_pairs == cpu.counts[0].p2p_pairs);
}

} // namespace

TEST_CASE("powers: of every order by CUDA as by CPU, and lists by them") {
    for (const std::size_t n : {1, 2, 300, 5000}) {
        for (const int order : {1, 2, 4, 8}) {
            check_powers(n, order, 1e-3);
        }
    }
    check_powers(scene_size(30'000), 4, 0.5); // few pairs are near
}

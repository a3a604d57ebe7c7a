// SPDX-License-Identifier: BSD-3-Clause
// Tests of the tasks that move bodies, by CUDA as by CPU, and of runs by a tree whose bodies stay
// on the GPU.
#include "codelets/motion/energies.hpp"
#include "codelets/sets/motion_set.hpp"
#include "core/particles/initial_conditions.hpp"
#include "schedulers/plan/simulation.hpp"
#include "tests/cuda/support/device_call.hpp"
#include "tests/support/temporary_folder.hpp"

#include <cmath>
#include <numeric>

using starfmm::RuntimeOptions;
using starfmm::Simulation;
using starfmm::Snapshot;

namespace {

Snapshot start(std::size_t n, starfmm::Precision precision) {
    Snapshot snapshot;
    snapshot.particles = starfmm::make_plummer(n, 1, 21);
    snapshot.run.time_step = 1.0 / 256;
    snapshot.run.precision = precision;
    snapshot.run.far_field = starfmm::FarField::taylor;
    snapshot.run.sums.method = starfmm::Method::fmm;
    snapshot.run.sums.tolerance = 1e-3;
    return snapshot;
}

struct Result {
    starfmm::Particles particles;
    starfmm::Conserved conserved;
    starfmm::Accelerations accelerations;
};

Result run(const RuntimeOptions& options, const Snapshot& start, int steps) {
    starfmm::Runtime runtime(options);
    Simulation simulation(runtime, start);
    for (int step = 0; step < steps; ++step) {
        simulation.advance();
    }
    const starfmm::Conserved conserved = simulation.conserved(); // before anything travels
    return {simulation.snapshot().particles, conserved, simulation.accelerations()};
}

double largest_difference(
    const std::array<std::vector<double>, 3>& a, const std::array<std::vector<double>, 3>& b
) {
    double largest = 0;
    for (std::size_t d = 0; d < 3; ++d) {
        for (std::size_t i = 0; i < a[d].size(); ++i) {
            const double difference = std::abs(a[d][i] - b[d][i]);
            largest = difference <= largest ? largest : difference; // NaN stays
        }
    }
    return largest;
}

const RuntimeOptions core{1, 0, "", false};
const RuntimeOptions gpu{0, 1, "", false};

} // namespace

TEST_CASE("motion: CUDA bodies agree with the CPU's") {
    for (const std::size_t n : {2, 255, 512 * 256 + 1, 300'000}) {
        CAPTURE(n);
        starfmm::TaskArgs args;
        args.motion = {0.125, -3};
        starfmm::MotionSet& set = starfmm::motion_set();
        std::vector<double> a = Random(1).numbers<double>(n);
        std::vector<double> b = Random(2).numbers<double>(n);
        starfmm::Codelet& advance = set.get<starfmm::AdvanceTask>();
        check_bodies<double>(advance.cpu(), advance.cuda(), args, a, b);

        starfmm::Particles particles = starfmm::make_plummer(n, 1, 5);
        auto& [x, y, z] = particles.bodies.x;
        auto& [vx, vy, vz] = particles.velocity;
        std::vector<double>& mass = particles.bodies.mass;
        std::vector<starfmm::MotionSums> by_core(starfmm::n_energies);
        std::vector<starfmm::MotionSums> by_gpu(starfmm::n_energies);
        starfmm::Codelet& energies = set.get<starfmm::EnergiesTask>();
        call(energies.cpu(), args, by_core, mass, a, x, y, z, vx, vy, vz);
        call_on_gpu(energies.cuda(), args, by_gpu, mass, a, x, y, z, vx, vy, vz);
        const starfmm::MotionSums none;
        const auto expected =
            starfmm::conserved(std::accumulate(by_core.begin(), by_core.end(), none));
        const auto found = starfmm::conserved(std::accumulate(by_gpu.begin(), by_gpu.end(), none));
        const starfmm::Drift drift = starfmm::drift(expected, found);
        CHECK(expected.kinetic > 0);
        CHECK(found.kinetic == doctest::Approx(expected.kinetic).epsilon(1e-11));
        CHECK(found.potential == doctest::Approx(expected.potential).epsilon(1e-11));
        CHECK(drift.momentum <= 1e-11);
        CHECK(drift.angular <= 1e-11);
    }
}

TEST_CASE("motion: steps by a tree on a GPU are those on a core") {
    const Snapshot first = start(20'000, starfmm::Precision::double_precision);
    const Result expected = run(core, first, 5);
    const Result found = run(gpu, first, 5);
    // 1e-11 of accelerations below 1e3, by the time factor 5/256
    CHECK(largest_difference(found.particles.bodies.x, expected.particles.bodies.x) < 1e-10);
    CHECK(largest_difference(found.particles.velocity, expected.particles.velocity) < 1e-9);
    CHECK(largest_difference(found.accelerations.a, expected.accelerations.a) < 1e-7);
    CHECK(found.conserved.potential < 0);
    CHECK(found.conserved.energy() == doctest::Approx(expected.conserved.energy()).epsilon(1e-11));
    const starfmm::Conserved at_home =
        starfmm::conserved(found.particles, found.accelerations.potential);
    CHECK(found.conserved.energy() == doctest::Approx(at_home.energy()).epsilon(1e-11));
}

TEST_CASE("motion: bodies that were fetched in between go on as others do") {
    const TemporaryFolder folder;
    const Snapshot first = start(20'000, starfmm::Precision::single_precision);
    const Result whole = run(gpu, first, 6);
    starfmm::Runtime runtime(gpu);
    {
        Simulation cut(runtime, first);
        for (int step = 0; step < 4; ++step) {
            cut.advance();
            CHECK(cut.snapshot().step == static_cast<std::uint64_t>(step) + 1);
        }
        starfmm::write_snapshot(folder.file("cut.hdf5"), cut.snapshot());
    }
    Simulation rest(runtime, starfmm::read_snapshot(folder.file("cut.hdf5")));
    rest.advance();
    rest.advance();
    const starfmm::Particles& particles = rest.snapshot().particles;
    // GPUs add near pairs in any order: rounding of accelerations below 1e3, by the time factor
    // 6/256
    CHECK(largest_difference(particles.bodies.x, whole.particles.bodies.x) < 1e-5);
    CHECK(rest.conserved().energy() == doctest::Approx(whole.conserved.energy()).epsilon(1e-6));
}

// SPDX-License-Identifier: BSD-3-Clause
// Tests of the tasks that move bodies, by CUDA as by CPU, and of runs by a tree whose bodies stay
// on the GPU.
#include "codelets/motion/energies.hpp"
#include "codelets/sets/motion_set.hpp"
#include "core/particles/initial_conditions.hpp"
#include "starfmm/starfmm.hpp"
#include "tests/cuda/support/device_call.hpp"

#include <cmath>
#include <numeric>
#include <vector>

using starfmm::Context;
using starfmm::Gravity;
using starfmm::Leapfrog;
using starfmm::Sum;
using starfmm::Workers;

namespace {

using Numbers = std::vector<double>;

constexpr std::size_t n_bodies = 20'000;
constexpr double dt = 1.0 / 256;

/// A star cluster.
struct Cluster {
    Numbers x;
    Numbers v;
    Numbers m;

    Cluster() {
        const starfmm::Particles particles = starfmm::make_plummer(n_bodies, 1, 21);
        m = particles.bodies.mass;
        for (std::size_t i = 0; i < n_bodies; ++i) {
            for (std::size_t d = 0; d < 3; ++d) {
                x.push_back(particles.bodies.x[d][i]);
                v.push_back(particles.velocity[d][i]);
            }
        }
    }
};

Sum tree(Context& context, const Numbers& x, starfmm::Precision precision) {
    const Gravity gravity{.softening = starfmm::Plummer{0.05}, .potential = true};
    return {
        context,
        gravity,
        {.sources = x,
         .tolerance = starfmm::Median{1e-3},
         .method = starfmm::Method::fmm,
         .precision = precision}};
}

struct Result {
    Numbers x;
    Numbers v;
    Numbers values; ///< accelerations and potentials
    starfmm::Conserved conserved;
};

Result run(const Workers& workers, starfmm::Precision precision, int steps) {
    Context context(workers);
    const Cluster bodies;
    Sum sum = tree(context, bodies.x, precision);
    Leapfrog run(sum, {bodies.x, bodies.v, bodies.m}, dt);
    run.step(steps);
    const starfmm::Conserved conserved = run.conserved(); // before anything travels
    return {run.positions(), run.velocities(), run.values(), conserved};
}

double largest_difference(const Numbers& a, const Numbers& b) {
    double largest = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        const double difference = std::abs(a[i] - b[i]);
        largest = difference <= largest ? largest : difference; // NaN stays
    }
    return largest;
}

/// Energy of the bodies as they are after they have travelled.
double energy_of(const Result& result, const Numbers& m) {
    double energy = 0;
    for (std::size_t i = 0; i < m.size(); ++i) {
        energy += m[i] * result.values[4 * i + 3] / 2;
        for (std::size_t d = 0; d < 3; ++d) {
            energy += m[i] * std::pow(result.v[3 * i + d], 2) / 2;
        }
    }
    return energy;
}

const Workers core{.cores = 1, .gpus = 0};
const Workers gpu{.cores = 0, .gpus = 1};

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
    const Result expected = run(core, starfmm::Precision::double_precision, 5);
    const Result found = run(gpu, starfmm::Precision::double_precision, 5);
    // 1e-11 of accelerations below 1e3, by the time factor 5/256
    CHECK(largest_difference(found.x, expected.x) < 1e-10);
    CHECK(largest_difference(found.v, expected.v) < 1e-9);
    CHECK(largest_difference(found.values, expected.values) < 1e-7);
    CHECK(found.conserved.potential < 0);
    CHECK(found.conserved.energy() == doctest::Approx(expected.conserved.energy()).epsilon(1e-11));
    const double at_home = energy_of(found, Cluster().m);
    CHECK(found.conserved.energy() == doctest::Approx(at_home).epsilon(1e-11));
}

TEST_CASE("motion: bodies that were fetched in between go on as others do") {
    const Result whole = run(gpu, starfmm::Precision::single_precision, 6);
    Context context(gpu);
    const Cluster bodies;
    Sum sum = tree(context, bodies.x, starfmm::Precision::single_precision);
    Leapfrog cut(sum, {bodies.x, bodies.v, bodies.m}, dt);
    for (int step = 1; step <= 4; ++step) {
        cut.step();
        CHECK(cut.positions() != bodies.x);
        CHECK(cut.time() == step * dt);
    }
    Sum other = tree(context, bodies.x, starfmm::Precision::single_precision);
    Leapfrog rest(other, {cut.positions(), cut.velocities(), bodies.m}, dt);
    rest.step(2);
    // GPUs add near pairs in any order: rounding of accelerations below 1e3, by the time factor
    // 6/256
    CHECK(largest_difference(rest.positions(), whole.x) < 1e-5);
    CHECK(rest.conserved().energy() == doctest::Approx(whole.conserved.energy()).epsilon(1e-6));
}

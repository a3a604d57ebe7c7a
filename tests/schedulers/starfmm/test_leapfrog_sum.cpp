// SPDX-License-Identifier: BSD-3-Clause
#include "core/particles/initial_conditions.hpp"
#include "schedulers/starfmm/detail/sum_engine.hpp"
#include "starfmm/starfmm.hpp"
#include "tests/support/scene_size.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <numbers>
#include <span>
#include <vector>

using starfmm::Context;
using starfmm::Gravity;
using starfmm::InputError;
using starfmm::Kernel;
using starfmm::Laplace3d;
using starfmm::Leapfrog;
using starfmm::Median;
using starfmm::Method;
using starfmm::Plummer;
using starfmm::Sum;

namespace {

using Numbers = std::vector<double>;

/// Two bodies of mass 1/2 on a circle of diameter 1: a period is 2 pi.
struct Binary {
    Numbers x{-0.5, 0, 0, 0.5, 0, 0};
    Numbers v{0, -0.5, 0, 0, 0.5, 0};
    Numbers m{0.5, 0.5};
};

Numbers rows_of(const std::array<Numbers, 3>& columns) {
    Numbers rows;
    for (std::size_t i = 0; i < columns[0].size(); ++i) {
        rows.insert(rows.end(), {columns[0][i], columns[1][i], columns[2][i]});
    }
    return rows;
}

/// A star cluster.
struct Cluster {
    explicit Cluster(std::size_t n) {
        const starfmm::Particles particles = starfmm::make_plummer(n, 1, 21);
        x = rows_of(particles.bodies.x);
        v = rows_of(particles.velocity);
        m = particles.bodies.mass;
    }

    Numbers x;
    Numbers v;
    Numbers m;
};

const Gravity softened{.softening = Plummer{0.05}, .potential = true};

/// Energy by rows of positions and velocities, and of values with potentials.
double energy_of(const Leapfrog& run, const Numbers& m) {
    double energy = 0;
    for (std::size_t i = 0; i < m.size(); ++i) {
        energy += m[i] * run.values()[4 * i + 3] / 2;
        for (std::size_t d = 0; d < 3; ++d) {
            energy += m[i] * std::pow(run.velocities()[3 * i + d], 2) / 2;
        }
    }
    return energy;
}

double largest_difference(const Numbers& a, const Numbers& b) {
    double largest = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        largest = std::max(largest, std::abs(a[i] - b[i]));
    }
    return largest;
}

/// Pulls each point of the plane to the origin, as strongly as its first strength says.
class Springs : public starfmm::detail::SumEngine {
public:
    void place(const starfmm::detail::PlacedPoints& points) override { points_ = &points; }

    void evaluate(
        std::span<const starfmm::StrengthsRef> strengths,
        std::span<const starfmm::ResultsRef> values
    ) override {
        const starfmm::PointsRef points = points_->sources();
        for (std::size_t i = 0; i < points.size(); ++i) {
            for (std::size_t d = 0; d < 2; ++d) {
                values[0][d][i] = -strengths[0].re[i] * points.x[d][i];
            }
        }
    }

    void describe(starfmm::Report& /*report*/) override {}

    [[nodiscard]] starfmm::Choices choices() override { return {}; }

private:
    const starfmm::detail::PlacedPoints* points_ = nullptr;
};

Kernel springs() {
    const auto make = [](auto& /*runtime*/, const auto& /*options*/) {
        return std::make_unique<Springs>();
    };
    return Kernel(std::make_shared<const starfmm::detail::KernelEntry>(starfmm::detail::KernelEntry{
        {"springs", 2, 1, {{"acceleration", 0, 2, 1}}}, make, {}}));
}

} // namespace

TEST_CASE("leapfrog_sum: two bodies come round, the nearer the shorter the steps") {
    Context context({.cores = 1});
    double last = 1;
    for (const int n_steps : {100, 200, 400}) {
        const Binary bodies;
        Sum gravity(context, Gravity{}, {.sources = bodies.x, .method = Method::direct});
        Leapfrog run(gravity, {bodies.x, bodies.v, bodies.m}, 2 * std::numbers::pi / n_steps);
        run.step(n_steps);
        CHECK(run.time() == doctest::Approx(2 * std::numbers::pi));
        const double off = std::hypot(run.positions()[3] - 0.5, run.positions()[4]);
        CHECK(off < 0.3 * last); // of second order
        last = off;
    }
    CHECK(last < 1e-3);
}

TEST_CASE("leapfrog_sum: a step that fails is not begun") {
    Context context({.cores = 1});
    const Numbers x{-1e150, 0, 0, 1e150, 0, 0};
    const Numbers v{-1e150, 0, 0, 1e150, 0, 0}; // beyond what sums take after a step
    const Binary bodies;
    Sum gravity(context, Gravity{}, {.sources = x, .method = Method::direct});
    Leapfrog run(gravity, {x, v, bodies.m}, 1);
    const Numbers values = run.values();
    CHECK_THROWS_AS(run.step(2), InputError);
    CHECK(run.time() == 0);
    CHECK(run.positions() == x);
    CHECK(run.velocities() == v);
    CHECK(run.values() == values);
}

TEST_CASE("leapfrog_sum: steps back lead back") {
    Context context({.cores = 1});
    const Binary bodies;
    Sum gravity(context, Gravity{.potential = true}, {.sources = bodies.x});
    Leapfrog there(gravity, {bodies.x, bodies.v, bodies.m}, 1e-2);
    there.step(50);
    CHECK(std::abs(there.positions()[0] + 0.5) > 1e-2);
    CHECK(there.values().size() == 8);
    Leapfrog back(gravity, {there.positions(), there.velocities(), bodies.m}, -1e-2);
    back.step(50);
    for (std::size_t i = 0; i < bodies.x.size(); ++i) {
        CHECK(back.positions()[i] == doctest::Approx(bodies.x[i]).epsilon(1e-12).scale(1));
    }
}

TEST_CASE("leapfrog_sum: what does not move bodies is refused") {
    Context context({.cores = 1});
    const Binary bodies;
    Sum potential(context, Laplace3d{}, {.sources = bodies.x});
    CHECK_THROWS_AS(Leapfrog(potential, {bodies.x, bodies.v, bodies.m}, 1), InputError);
    Sum gravity(context, Gravity{}, {.sources = bodies.x});
    CHECK_THROWS_AS(Leapfrog(gravity, {bodies.x, bodies.v, bodies.m}, 0), InputError);
    CHECK_THROWS_AS(Leapfrog(gravity, {bodies.x, bodies.m, bodies.m}, 1), InputError);
    Sum at_targets(context, Gravity{}, {.sources = bodies.x, .targets = bodies.x});
    CHECK_THROWS_AS(Leapfrog(at_targets, {bodies.x, bodies.v, bodies.m}, 1), InputError);
}

TEST_CASE("leapfrog_sum: any sum moves bodies whose values are accelerations, in the plane, too") {
    Context context({.cores = 1});
    const Numbers x{1, 0, 0, 2};
    const Numbers v{0, 0, 2, 0};
    Sum sum(context, springs(), {.sources = x});
    constexpr int n_steps = 400;
    Leapfrog run(sum, {x, v, Numbers{1, 4}}, 2 * std::numbers::pi / n_steps);
    CHECK(run.values() == Numbers{-1, 0, 0, -8});
    run.step(n_steps / 2);
    CHECK(largest_difference(run.positions(), {-1, 0, 0, 2}) < 1e-3); // half a period, and one
    CHECK(largest_difference(run.velocities(), v) < 1e-2);
    CHECK_THROWS_WITH_AS(
        run.conserved(),
        "conserved: the sum has no potentials; use Gravity{.potential = true}",
        InputError
    );
}

TEST_CASE("leapfrog_sum: bodies that tasks move are where steps of direct sums lead") {
    Context context({.cores = 2});
    const Cluster bodies(scene_size(6000));
    Sum direct(context, softened, {.sources = bodies.x, .method = Method::direct});
    Sum tree(
        context, softened, {.sources = bodies.x, .tolerance = Median{1e-4}, .method = Method::fmm}
    );
    Leapfrog exact(direct, {bodies.x, bodies.v, bodies.m}, 1.0 / 128);
    Leapfrog run(tree, {bodies.x, bodies.v, bodies.m}, 1.0 / 128);
    CHECK(tree.report().method == Method::fmm);
    CHECK(tree.choices().order.value() > 1);
    CHECK(run.positions() == bodies.x);
    exact.step(8);
    run.step(3);
    run.step(5);
    CHECK(run.time() == exact.time());
    // a hundred times the median error of accelerations below 100, for 1/16
    const double most = 1e-2 * 100 / 16 / 16;
    CHECK(largest_difference(run.positions(), exact.positions()) < most);
    CHECK(largest_difference(run.positions(), bodies.x) > 1e-2);
    CHECK(tree.check(bodies.m, run.values(), 300).parts[0].median < 1e-4);
    CHECK(largest_difference(tree(bodies.m), run.values()) < 1e-2); // the sum is where they are
    const starfmm::Conserved now = run.conserved();
    CHECK(now.energy() == doctest::Approx(energy_of(run, bodies.m)).epsilon(1e-12));
    CHECK(now.energy() == doctest::Approx(exact.conserved().energy()).epsilon(1e-5));
    CHECK(now.momentum_scale > 0.1);
}

TEST_CASE("leapfrog_sum: a run that begins where another one is goes on with the same bits") {
    Context context({.cores = 2});
    const Cluster bodies(2000);
    for (const Method method : {Method::direct, Method::fmm}) {
        starfmm::SumOptions options{.sources = bodies.x, .tolerance = 1e-3, .method = method};
        options.choices.summation = starfmm::SummationOrder::fixed;
        Sum sum(context, softened, options);
        Leapfrog whole(sum, {bodies.x, bodies.v, bodies.m}, 1.0 / 128);
        whole.step(2);
        if (method == Method::fmm) {
            options.choices = sum.choices();
        }
        Sum other(context, softened, options);
        Leapfrog rest(other, {whole.positions(), whole.velocities(), bodies.m}, 1.0 / 128);
        CHECK(other.report().method == method);
        CHECK(rest.values() == whole.values());
        whole.step(3);
        rest.step(3);
        CHECK(rest.positions() == whole.positions());
        CHECK(rest.velocities() == whole.velocities());
        CHECK(rest.conserved().potential == whole.conserved().potential);
    }
}

TEST_CASE("leapfrog_sum: bodies in a unit of their own move as in the usual one") {
    constexpr double scale = 0x1p40; // of lengths, so that tasks take another unit
    Context context({.cores = 2});
    const Cluster usual(2000);
    Cluster far = usual;
    for (std::size_t i = 0; i < far.x.size(); ++i) {
        far.x[i] *= scale;
        far.v[i] *= scale;
    }
    const starfmm::SumOptions options{.sources = usual.x, .tolerance = 1e-3, .method = Method::fmm};
    Sum sum(context, softened, options);
    Leapfrog run(sum, {usual.x, usual.v, usual.m}, 1.0 / 128);
    const Gravity scaled{.softening = Plummer{0.05 * scale}, .g = scale * scale * scale};
    Sum far_sum(context, scaled, options);
    Leapfrog far_run(far_sum, {far.x, far.v, far.m}, 1.0 / 128);
    CHECK(far_sum.report().method == Method::fmm);
    run.step(3);
    far_run.step(3);
    for (std::size_t i = 0; i < far.x.size(); ++i) {
        CHECK(std::abs(run.positions()[i] - far_run.positions()[i] / scale) < 1e-6);
    }
    CHECK_THROWS_AS(far_run.conserved(), InputError);
}

TEST_CASE("leapfrog_sum: what tasks move too far is refused when it is looked at") {
    Context context({.cores = 1});
    Cluster bodies(scene_size(3000));
    bodies.v[7] = 1e149;
    Sum sum(context, softened, {.sources = bodies.x, .tolerance = 1e-3, .method = Method::fmm});
    Leapfrog run(sum, {bodies.x, bodies.v, bodies.m}, 100);
    CHECK_THROWS_AS((run.step(), run.positions()), InputError);
    Leapfrog lost(sum, {bodies.x, bodies.v, bodies.m}, 1e200);
    CHECK_THROWS_AS((lost.step(), lost.conserved()), InputError);
}

TEST_CASE("leapfrog_sum: runs of one sum, and sums beside them, leave each other alone") {
    Context context({.cores = 1});
    const Cluster bodies(scene_size(3000));
    Sum sum(context, softened, {.sources = bodies.x, .tolerance = 1e-3, .method = Method::fmm});
    Leapfrog first(sum, {bodies.x, bodies.v, bodies.m}, 1.0 / 128);
    first.step(2);
    const Numbers then = first.positions();
    Leapfrog second(sum, {bodies.x, bodies.v, bodies.m}, 1.0 / 128);
    second.step();
    static_cast<void>(sum(bodies.m));
    second.step();
    CHECK(second.positions() == then);
    CHECK(first.positions() == then);
}

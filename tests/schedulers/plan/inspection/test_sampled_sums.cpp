// SPDX-License-Identifier: BSD-3-Clause
#include "schedulers/plan/gravity_tree.hpp"
#include "schedulers/plan/inspection/sampled_sums.hpp"
#include "schedulers/plan/plan.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <optional>
#include <random>
#include <vector>

using starfmm::AccelerationErrors;
using starfmm::Plan;
using starfmm::PlanOptions;
using starfmm::Points;
using starfmm::Potentials;
using starfmm::SampledSums;
using starfmm::SumPlaces;

namespace {

Points<3> random_points(std::size_t n, unsigned seed) {
    Points<3> drawn;
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<double> uniform(0, 1);
    for (auto& x : drawn.x) {
        x.resize(n);
        std::ranges::generate(x, [&] { return uniform(random); });
    }
    return drawn;
}

/// Direct sums at random targets, some of which another error can be put into.
class SpoiledSums {
public:
    SpoiledSums(std::size_t n_bodies, std::size_t n_targets)
        : bodies_(random_points(n_bodies, 1)), targets_(random_points(n_targets, 2)),
          places_(starfmm::PointsRef(bodies_), starfmm::PointsRef(targets_)) {
        masses_.re.assign(n_bodies, 1.0);
        PlanOptions options;
        options.method = starfmm::Method::direct;
        options.tuning = starfmm::Tuning::builtin;
        auto& kernel = starfmm::gravity_kernel(
            starfmm::Softening::plummer, starfmm::Precision::double_precision
        );
        exact_ = Plan(runtime_, kernel, places_.bodies, places_.targets, options).evaluate(masses_);
        starfmm::Accelerations found{exact_.gradient, {}};
        sample_.emplace(runtime_, kernel, places_, masses_.re, 0.0, found);
    }

    /// Whether sums are confirmed with `n_beyond` of the targets, drawn at random, beyond both bounds.
    [[nodiscard]] bool are_confirmed(std::size_t n_beyond, unsigned seed) const {
        starfmm::Accelerations found{exact_.gradient, {}};
        std::vector<std::size_t> which(found.size());
        std::iota(which.begin(), which.end(), std::size_t(0));
        std::mt19937_64 random(seed);
        std::ranges::shuffle(which, random);
        for (std::size_t k = 0; k < n_beyond; ++k) {
            for (auto& component : found.a) {
                component[which[k]] *= 1.5;
            }
        }
        return sample_->confirm(found, AccelerationErrors{0.01, 0.1});
    }

private:
    starfmm::Runtime runtime_{{}};
    Points<3> bodies_;
    Points<3> targets_;
    SumPlaces places_;
    starfmm::Strengths masses_;
    Potentials exact_;
    std::optional<SampledSums> sample_;
};

} // namespace

TEST_CASE(
    "sampled_sums: of few bodies all targets are looked at, and one of a hundred may be beyond"
) {
    const SpoiledSums sums(2000, 2090);
    for (unsigned seed = 0; seed < 20; ++seed) {
        CAPTURE(seed);
        CHECK(sums.are_confirmed(20, seed));
        CHECK_FALSE(sums.are_confirmed(21, seed));
    }
}

TEST_CASE("sampled_sums: a sample confirms what is far within, and nothing that is beyond") {
    const SpoiledSums sums(33000, 12000);
    int n_confirmed = 0;
    for (unsigned seed = 0; seed < 200; ++seed) {
        CAPTURE(seed);
        CHECK(sums.are_confirmed(0, seed));
        CHECK_FALSE(sums.are_confirmed(360, seed)); // three of a hundred
        n_confirmed += sums.are_confirmed(120, seed) ? 1 : 0;
    }
    CHECK(n_confirmed <= 20); // where one of a hundred is, at most one of 20 is expected to be
}

TEST_CASE("sampled_sums: the error in L2 of a heavy body's neighbours is not taken for less") {
    starfmm::Runtime runtime({});
    auto& kernel =
        starfmm::gravity_kernel(starfmm::Softening::plummer, starfmm::Precision::double_precision);
    int n_enough = 0;
    constexpr int n_sums = 20;
    for (unsigned seed = 0; seed < n_sums; ++seed) {
        const std::size_t n = 9000 + seed;
        const Points<3> bodies = random_points(n, seed);
        const SumPlaces places{starfmm::PointsRef(bodies)};
        starfmm::Strengths masses{std::vector<double>(n, 1.0), {}};
        masses.re[n / 2] = 1e6;
        PlanOptions options;
        options.method = starfmm::Method::direct;
        options.tuning = starfmm::Tuning::builtin;
        const Potentials exact = Plan(runtime, kernel, places.bodies, options).evaluate(masses);
        starfmm::Accelerations found{exact.gradient, {}};
        double error = 0;
        double norm = 0;
        for (std::size_t i = 0; i < n; ++i) {
            double square = 0;
            for (const auto& component : exact.gradient) {
                square += component[i] * component[i];
            }
            const double relative = 1e-10 * std::sqrt(square); // the larger the nearer
            for (auto& component : found.a) {
                component[i] *= 1 + relative;
            }
            error += relative * relative * square;
            norm += square;
        }
        const SampledSums sums(runtime, kernel, places, masses.re, 0, found);
        n_enough += sums.l2(found, 1) >= 0.9 * std::sqrt(error / norm) ? 1 : 0;
    }
    CHECK(n_enough == n_sums);
}

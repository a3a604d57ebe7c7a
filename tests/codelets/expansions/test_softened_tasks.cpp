// SPDX-License-Identifier: BSD-3-Clause
// Tests of the operators of softened gravity. With a softening length of several boxes even boxes
// that overlap are far from each other, so that all of a small scene is summed by expansions.
#include "core/expansions/gravity_kernels3d.hpp"
#include "tests/support/space/space_run.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <numeric>
#include <vector>

using starfmm::SoftenedGravity;
using starfmm::SplineGravity;

namespace {

using GravityDouble = SoftenedGravity<double>;
using GravitySingle = SoftenedGravity<float>;
using SplineDouble = SplineGravity<double>;
using SplineSingle = SplineGravity<float>;

constexpr double epsilon = 3;
constexpr double support = 0.4;    ///< support of a spline that contains some pairs
constexpr std::array orders{3, 6}; ///< one unrolled order, and one that is not

template <class K>
SpaceRun<Buffers, K> make_run(const starfmm::KernelBodies& bodies, int order) {
    SpaceRun<Buffers, K> run(bodies, Scene<K>(2, 333, order));
    run.scene.args.kernel.epsilon_square = epsilon * epsilon;
    return run;
}

starfmm::BodyFunction gather_body(const auto& run) {
    using Real = typename std::decay_t<decltype(run)>::Real;
    return starfmm::gather_set<Real>().template get<starfmm::GatherTask>().cpu();
}

/// Sums all points at all points, component by component.
/// \param kernel kernel in extended precision
template <class K, class Exact>
std::vector<double> exact_sums(const Scene<K>& scene, const Exact& kernel) {
    const std::size_t n = scene.n();
    std::vector<double> sums(4 * n);
    for (std::size_t i = 0; i < n; ++i) {
        const auto target = extended(scene.position(i));
        for (std::size_t j = 0; j < n; ++j) {
            const long double q = scene.strengths[j];
            const auto value = kernel.p2p(target, extended(scene.position(j)), q);
            sums[i] += static_cast<double>(value.potential);
            for (int d = 0; d < 3; ++d) {
                sums[(1 + d) * n + i] += static_cast<double>(coordinate(value.gradient, d));
            }
        }
    }
    return sums;
}

/// Checks sums of boxes below the root, whose corners are half their diagonal from their centres.
/// The bound is what is left out of Legendre's series (test_cartesian_taylor3d.cpp), and 900
/// roundings.
template <class K>
void check_sums(const Scene<K>& scene, const auto& values) {
    const auto kernel = SoftenedGravity<long double>::of({epsilon * epsilon});
    const std::vector<double> exact = exact_sums(scene, kernel);
    REQUIRE(values.size() >= exact.size());
    const int p = scene.args.order;
    const double rate = std::sqrt(3.0) / 2 / epsilon;
    double gradient = 0;
    for (int n = p + 1; n < 100; ++n) {
        gradient += 0.5 * n * (n + 1) * std::pow(rate, n - 1);
    }
    const double potential = std::pow(rate, p + 1) / (1 - rate);
    const double rounding = 900 * roundoff<typename K::Real>;
    double strength = 0;
    for (const auto q : scene.strengths) {
        strength += std::abs(static_cast<double>(q));
    }
    for (std::size_t i = 0; i < exact.size(); ++i) {
        const double left_out =
            i < scene.n() ? potential / epsilon : gradient / (epsilon * epsilon);
        CHECK(
            std::abs(static_cast<double>(values[i]) - exact[i]) <= strength * (left_out + rounding)
        );
    }
}

/// Returns near results where all leaves are near to each other.
template <class K>
auto near_results(SpaceRun<Buffers, K>& run) {
    const std::size_t n_leaves = n_leaves_of<3>(run.scene.args);
    run.make_room(0, n_leaves * n_leaves);
    Words all(n_leaves);
    std::iota(all.begin(), all.end(), 0U);
    fill_list(run.scene.args.lists.near(run.lists.data()), Rows(n_leaves, all));
    auto& s = run.scene;
    auto near = s.no_values();
    auto boxes = s.boxes;
    run.template run<starfmm::P2PTask>(
        near, run.lists, s.positions, s.offsets, s.positions, s.strengths, boxes
    );
    return near;
}

} // namespace

TEST_CASE_TEMPLATE(
    "softened tasks: P2M, M2M, M2L, L2L and L2P give the sum", K, GravityDouble, GravitySingle
) {
    for (const int order : orders) {
        CAPTURE(order);
        auto run = make_run<K>(bodies<K>(), order);
        check_sums(run.scene, run.far_results(pyramid_rows()));
    }
}

TEST_CASE_TEMPLATE(
    "softened tasks: P2L, M2P and P2P give the sum", K, GravityDouble, GravitySingle
) {
    for (const int order : orders) {
        CAPTURE(order);
        auto run = make_run<K>(bodies<K>(), order);
        check_sums(run.scene, run.leaf_results(gather_body(run)));
    }
}

TEST_CASE_TEMPLATE("softened tasks: instruction sets agree", K, GravityDouble, GravitySingle) {
    for (const int order : orders) {
        CAPTURE(order);
        check_variants<K>([&](const starfmm::KernelBodies& bodies) {
            return make_run<K>(bodies, order).far_results(pyramid_rows());
        });
        check_variants<K>([&](const starfmm::KernelBodies& bodies) {
            auto run = make_run<K>(bodies, order);
            return run.leaf_results(gather_body(run));
        });
    }
}

TEST_CASE_TEMPLATE(
    "softened tasks: P2P of a spline gives the sum, by any instruction set",
    K,
    SplineDouble,
    SplineSingle
) {
    for (const Variant& variant : variants<K>()) {
        CAPTURE(variant.name);
        SpaceRun<Buffers, K> run(variant.bodies, Scene<K>(2, 333, 3));
        run.scene.args.kernel = {0, support};
        const auto kernel = SplineGravity<long double>::of({0, support});
        const std::vector<double> exact = exact_sums(run.scene, kernel);
        const auto found = near_results(run);
        double strength = 0;
        for (const auto q : run.scene.strengths) {
            strength += std::abs(static_cast<double>(q));
        }
        // potentials and forces are at most 2.8 / h and 2.7 / h^2; 900 roundings
        const double bound =
            2.7 / (support * support) * strength * 900 * roundoff<typename K::Real>;
        for (std::size_t i = 0; i < exact.size(); ++i) {
            // a point does not meet itself
            const double own =
                i < run.scene.n() ? starfmm::spline_radius / support * run.scene.strengths[i] : 0;
            CHECK(std::abs(static_cast<double>(found[i]) - (exact[i] - own)) <= bound);
        }
    }
}

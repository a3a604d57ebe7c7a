// SPDX-License-Identifier: BSD-3-Clause
#include "tests/support/scene.hpp"

#include <cmath>
#include <numbers>

namespace {

template <class K>
auto p2m(Scene<K>& scene, const starfmm::KernelBodies& bodies) {
    auto multipoles = scene.no_coefficients();
    call(
        body<starfmm::P2MTask>(bodies),
        scene.args,
        multipoles,
        scene.boxes,
        scene.positions,
        scene.strengths
    );
    return multipoles;
}

/// Places one source of strength 1 on the rim of the root's disc, in the direction of the real
/// axis.
template <class K>
Scene<K> source_on_rim(int order) {
    Scene<K> scene(0, 1, order);
    const auto root = scene.frame(0);
    scene.positions = {root.centre.re + root.radius, root.centre.im};
    scene.strengths.assign(scene.strengths.size(), 0);
    scene.strengths[0] = 1;
    return scene;
}

} // namespace

TEST_CASE_TEMPLATE("p2m: the first coefficient is the total strength", K, DOCTEST_TEST_KERNELS) {
    using Real = typename K::Real;
    for (const std::size_t n : {1, 2, 7, 257}) {
        Scene<K> scene(1, n, 5);
        const auto multipoles = p2m(scene, bodies<K>());
        for (std::size_t leaf = 0; leaf < 4; ++leaf) {
            const std::size_t box = scene.leaf_box(leaf);
            Exact sum = 0;
            for (std::size_t i = scene.offsets[leaf]; i < scene.offsets[leaf + 1]; ++i) {
                sum += scene.strength(i);
            }
            // harmonic sums have no logarithm: there a_1 = -sum q / R
            const Exact first =
                is_log<K> ? exact(multipoles[box * 6])
                          : -exact(multipoles[box * 6 + 1]) * Exact(scene.frame(box).radius);
            const double rounding =
                (static_cast<double>(n) + 3) * roundoff<Real> * scene.total_strength();
            CHECK(static_cast<double>(std::abs(first - sum)) <= rounding);
        }
    }
}

TEST_CASE_TEMPLATE("p2m: linear in strength", K, DOCTEST_TEST_KERNELS) {
    using Real = typename K::Real;
    Scene<K> a(2, 131, 12);
    Scene<K> b = a;
    Scene<K> sum = a;
    b.strengths = Random(7).numbers<Real>(a.strengths.size());
    for (std::size_t i = 0; i < a.strengths.size(); ++i) {
        sum.strengths[i] = 2 * a.strengths[i] + b.strengths[i];
    }
    const auto from_a = p2m(a, bodies<K>());
    const auto from_b = p2m(b, bodies<K>());
    const auto from_sum = p2m(sum, bodies<K>());
    // three sums of 9 terms; scaled coefficients are at most the total strength over the radius
    const double scale = 3 * a.total_strength() / static_cast<double>(a.frame(5).radius);
    const double rounding = 100 * roundoff<Real> * scale;
    for (std::size_t k = 0; k < from_sum.size(); ++k) {
        const Exact expected = Exact(2) * exact(from_a[k]) + exact(from_b[k]);
        CHECK(static_cast<double>(std::abs(exact(from_sum[k]) - expected)) <= rounding);
    }
}

TEST_CASE_TEMPLATE("p2m: error stays below the published bound", K, DOCTEST_TEST_KERNELS) {
    using Real = typename K::Real;
    for (const int p : {2, 5, 10, 20, 40}) {
        for (const double theta : {0.2, 0.5, 0.7}) {
            Scene<K> scene(0, 61, p);
            const auto multipoles = p2m(scene, bodies<K>());
            const auto root = scene.frame(0);
            const double distance = static_cast<double>(root.radius) / theta;
            // the tail of the geometric series; with 1 / k < 1 / p for the logarithm [GE12 Sec 2]
            const double tail = is_log<K> ? std::pow(theta, p + 1) / (p + 1) / (1 - theta)
                                          : std::pow(theta, p) / (1 - theta) / distance;
            const double rounding = 4 * (61 + 3.0 * p) * roundoff<Real> *
                                    (is_log<K> ? 1 + std::abs(std::log(distance)) : 1 / distance) /
                                    (1 - theta);
            for (int i = 0; i < 16; ++i) {
                const auto angle = static_cast<long double>(2 * std::numbers::pi * i / 16);
                const Exact z = exact(root.centre) + std::polar<long double>(distance, angle);
                const Exact value = multipole_value<K>(p, root, multipoles.data(), z);
                const auto error = static_cast<double>(std::abs(value - scene.potential(z, 0, 61)));
                CHECK(error <= scene.total_strength() * (tail + rounding));
            }
        }
    }
}

TEST_CASE_TEMPLATE("p2m: error falls like theta^p", K, DOCTEST_TEST_KERNELS) {
    using Real = typename K::Real;
    for (const double theta : {0.3, 0.5, 0.7}) {
        for (int p = 1; p <= 30; ++p) {
            Scene<K> scene = source_on_rim<K>(p);
            const auto multipoles = p2m(scene, bodies<K>());
            const auto root = scene.frame(0);
            const Exact z = exact(root.centre) + Exact(root.radius) / Exact(theta);
            const Exact expected = scene.potential(z, 0, 1);
            const auto error = static_cast<double>(
                std::abs(multipole_value<K>(p, root, multipoles.data(), z) - expected)
            );
            const auto value = static_cast<double>(std::abs(expected));
            // all terms have one sign: for the harmonic sum the tail is the value times theta^p
            const double low =
                is_log<K> ? std::pow(theta, p + 1) / (p + 1) : value * std::pow(theta, p);
            const double high = is_log<K> ? low / (1 - theta) : low;
            const double rounding = (8 + 3 * p) * roundoff<Real> * (1 + value) / (1 - theta);
            CHECK(error <= high + rounding);
            CHECK(error >= low - rounding);
        }
    }
}

TEST_CASE_TEMPLATE("p2m: coincident sources are one source", K, DOCTEST_TEST_KERNELS) {
    using Real = typename K::Real;
    Scene<K> one = source_on_rim<K>(9);
    Scene<K> many(0, 8, 9);
    const auto root = one.frame(0);
    std::fill_n(many.positions.begin(), 8, root.centre.re + root.radius);
    std::fill_n(many.positions.begin() + 8, 8, root.centre.im);
    many.strengths.assign(many.strengths.size(), 0);
    std::fill_n(many.strengths.begin(), 8, Real(0.125));
    const auto expected = p2m(one, bodies<K>());
    const auto multipoles = p2m(many, bodies<K>());
    for (std::size_t k = 0; k < expected.size(); ++k) {
        // powers of two: sums of equal terms are exact
        CHECK(multipoles[k].re == expected[k].re);
        CHECK(multipoles[k].im == expected[k].im);
    }
}

TEST_CASE_TEMPLATE("p2m: instruction sets agree", K, DOCTEST_TEST_KERNELS) {
    Scene<K> scene(2, 211, 17);
    check_variants<K>([&](const starfmm::KernelBodies& bodies) { return p2m(scene, bodies); });
}

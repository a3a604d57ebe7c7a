// SPDX-License-Identifier: BSD-3-Clause
#include "tests/support/scene.hpp"

namespace {

template <class K, class Coefficients>
auto l2p(Scene<K>& scene, Coefficients& locals, const starfmm::KernelBodies& bodies) {
    auto far = Random(9).numbers<typename K::Real>(scene.no_values().size()); // to be overwritten
    call(
        body<starfmm::L2PTask>(bodies),
        scene.args,
        far,
        locals,
        scene.boxes,
        scene.positions,
        scene.offsets
    );
    return far;
}

} // namespace

TEST_CASE_TEMPLATE("l2p: the value of the leaf's polynomial", K, DOCTEST_TEST_KERNELS) {
    using Real = typename K::Real;
    for (const int p : {0, 1, 2, 17, 40}) {
        for (const std::size_t n : {1, 2, 31, 200}) {
            Scene<K> scene(2, n, p);
            auto locals = Random(1).complex_numbers<Real>(scene.no_coefficients().size());
            const auto far = l2p(scene, locals, bodies<K>());
            for (std::size_t leaf = 0; leaf < 16; ++leaf) {
                const std::size_t box = scene.leaf_box(leaf);
                const auto* local = &locals[box * (p + 1)];
                // Horner's rule: 2 roundings a step of sums below the coefficients' total
                const double rounding = 8 * (p + 1) * roundoff<Real> * total(local, p + 1);
                for (std::size_t i = scene.offsets[leaf]; i < scene.offsets[leaf + 1]; ++i) {
                    const Exact expected =
                        local_value<K>(p, scene.frame(box), local, scene.point(i));
                    const auto error = static_cast<double>(std::abs(element(far, i, n) - expected));
                    CHECK(error <= rounding);
                }
            }
        }
    }
}

TEST_CASE_TEMPLATE("l2p: the centre sees the first coefficient", K, DOCTEST_TEST_KERNELS) {
    Scene<K> scene(0, 1, 12);
    scene.positions = {scene.frame(0).centre.re, scene.frame(0).centre.im};
    auto locals = Random(1).complex_numbers<typename K::Real>(13);
    CHECK(element(l2p(scene, locals, bodies<K>()), 0, 1) == meaningful<K>(exact(locals[0])));
}

TEST_CASE_TEMPLATE(
    "l2p: error against the direct sum falls like theta^p", K, DOCTEST_TEST_KERNELS
) {
    using Real = typename K::Real;
    for (const double theta : {0.3, 0.5, 0.7}) {
        for (int p = 1; p <= 30; ++p) {
            // one source of strength 1 at the origin, a target at the rim nearest to it
            const double d = 1 / theta;
            Scene<K> scene(0, 1, p);
            scene.set_frame(0, {{d, 0}, 1});
            scene.positions = {d - 1, 0};
            auto local = scene.no_coefficients();
            for (int l = 0; l <= p; ++l) {
                // q / (0 - z) and q log|z| about d, with t = (z - d) / -d
                const double term = std::pow(-1, l) * std::pow(d, -l);
                local[l].re =
                    static_cast<Real>(is_log<K> ? (l == 0 ? std::log(d) : -term / l) : -term / d);
            }
            const double value = is_log<K> ? std::log(d - 1) : -1 / (d - 1);
            const Exact far = element(l2p(scene, local, bodies<K>()), 0, 1);
            const double error = std::abs(static_cast<double>(far.real()) - value);
            // all terms have one sign: for the harmonic sum the tail is the value times theta^(p+1)
            const double low = is_log<K> ? std::pow(theta, p + 1) / (p + 1)
                                         : std::pow(theta, p + 1) * std::abs(value);
            const double high = is_log<K> ? low / (1 - theta) : low;
            const double rounding =
                8 * (p + 2) * roundoff<Real> * (std::abs(std::log(d)) + 1) / (1 - theta);
            CHECK(error <= high + rounding);
            CHECK(error >= low - rounding);
        }
    }
}

TEST_CASE_TEMPLATE("l2p: linear in strength", K, DOCTEST_TEST_KERNELS) {
    using Real = typename K::Real;
    Scene<K> scene(1, 101, 12);
    auto a = Random(1).complex_numbers<Real>(5 * 13);
    auto b = Random(2).complex_numbers<Real>(5 * 13);
    auto sum = a;
    for (std::size_t k = 0; k < sum.size(); ++k) {
        sum[k] = {2 * a[k].re + b[k].re, 2 * a[k].im + b[k].im};
    }
    const auto from_a = l2p(scene, a, bodies<K>());
    const auto from_b = l2p(scene, b, bodies<K>());
    const auto from_sum = l2p(scene, sum, bodies<K>());
    const double rounding = 13 * 5 * (8 * 13) * roundoff<Real>; // the bound of the test above
    for (std::size_t i = 0; i < from_sum.size(); ++i) {
        CHECK(std::abs(from_sum[i] - (2 * from_a[i] + from_b[i])) <= rounding);
    }
}

TEST_CASE_TEMPLATE("l2p: instruction sets agree", K, DOCTEST_TEST_KERNELS) {
    Scene<K> scene(2, 333, 17);
    auto locals = Random(1).complex_numbers<typename K::Real>(scene.no_coefficients().size());
    check_variants<K>([&](const starfmm::KernelBodies& bodies) {
        return l2p(scene, locals, bodies);
    });
}

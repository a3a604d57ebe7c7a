// SPDX-License-Identifier: BSD-3-Clause
#include "tests/support/scene.hpp"

namespace {

/// Adds the potentials of `sources` at the points of `targets` to `values`.
template <class K>
auto direct(
    Scene<K>& targets,
    Scene<K>& sources,
    const starfmm::KernelBodies& bodies,
    std::vector<typename K::Real> values
) {
    call(
        body<starfmm::DirectTask>(bodies),
        targets.args,
        values,
        targets.positions,
        sources.positions,
        sources.strengths
    );
    return values;
}

} // namespace

TEST_CASE_TEMPLATE("direct: every pair, once", K, DOCTEST_TEST_KERNELS) {
    using Real = typename K::Real;
    for (const std::size_t m : {1, 2, 3, 31, 64, 131}) {
        for (const std::size_t n : {1, 2, 31, 100}) {
            Scene<K> targets(0, m, 1);
            Scene<K> sources(0, n, 1, m == n ? 1 : 2); // the same points, or others
            const auto values = direct(targets, sources, bodies<K>(), targets.no_values());
            for (std::size_t i = 0; i < m; ++i) {
                long double magnitude = 0;
                const Exact expected = sources.potential(targets.point(i), 0, n, &magnitude);
                // 8 roundings a pair, 5 of them in the logarithm's argument; n roundings of the sum
                const double scale =
                    (8.0 + static_cast<double>(n)) * static_cast<double>(magnitude) +
                    (is_log<K> ? 5 * sources.total_strength() : 0);
                const auto error = static_cast<double>(std::abs(element(values, i, m) - expected));
                CHECK(error <= roundoff<Real> * scale);
            }
        }
    }
}

TEST_CASE_TEMPLATE("direct: blocks of sources add up", K, DOCTEST_TEST_KERNELS) {
    Scene<K> targets(0, 37, 1);
    Scene<K> sources(0, 20, 1, 2);
    Scene<K> others(0, 30, 1, 3);
    const auto before = Random(1).numbers<typename K::Real>(targets.no_values().size());
    const auto from_sources = direct(targets, sources, bodies<K>(), targets.no_values());
    const auto from_others = direct(targets, others, bodies<K>(), targets.no_values());
    const auto together =
        direct(targets, others, bodies<K>(), direct(targets, sources, bodies<K>(), before));
    for (std::size_t i = 0; i < before.size(); ++i) {
        const auto scale =
            std::abs(before[i]) + std::abs(from_sources[i]) + std::abs(from_others[i]);
        // two additions here, two there
        const double error = std::abs(together[i] - (before[i] + from_sources[i] + from_others[i]));
        CHECK(error <= 4 * roundoff<typename K::Real> * static_cast<double>(scale));
    }
}

TEST_CASE_TEMPLATE("direct: coincident points do not act on each other", K, DOCTEST_TEST_KERNELS) {
    Scene<K> scene(0, 40, 1);
    std::fill_n(scene.positions.begin(), 40, scene.positions[0]);
    std::fill_n(scene.positions.begin() + 40, 40, scene.positions[40]);
    for (const auto value : direct(scene, scene, bodies<K>(), scene.no_values())) {
        CHECK(value == 0);
    }
}

TEST_CASE_TEMPLATE("direct: linear in strength", K, DOCTEST_TEST_KERNELS) {
    using Real = typename K::Real;
    Scene<K> targets(0, 37, 1);
    Scene<K> sources(0, 50, 1, 2);
    Scene<K> scaled = sources;
    for (Real& q : scaled.strengths) {
        q *= -4; // a power of two: exact
    }
    const auto values = direct(targets, sources, bodies<K>(), targets.no_values());
    const auto multiples = direct(targets, scaled, bodies<K>(), targets.no_values());
    for (std::size_t i = 0; i < values.size(); ++i) {
        CHECK(multiples[i] == -4 * values[i]);
    }
}

TEST_CASE_TEMPLATE("direct: instruction sets agree", K, DOCTEST_TEST_KERNELS) {
    Scene<K> scene(0, 211, 1);
    check_variants<K>([&](const starfmm::KernelBodies& bodies) {
        return direct(scene, scene, bodies, scene.no_values());
    });
}

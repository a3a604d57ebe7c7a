// SPDX-License-Identifier: BSD-3-Clause
#include "tests/support/scene.hpp"

namespace {

/// Returns the near results of every leaf with the leaves that `rows` names.
template <class K>
auto p2p(Scene<K>& scene, const starfmm::KernelBodies& bodies, const Rows& rows) {
    std::size_t n_entries = 0;
    for (const auto& row : rows) {
        n_entries += row.size();
    }
    scene.args.lists = {scene.n_boxes(), rows.size(), 1, n_entries};
    Words lists(scene.args.lists.words());
    fill_list(scene.args.lists.near(lists.data()), rows);
    auto near = Random(9).numbers<typename K::Real>(scene.no_values().size()); // to be overwritten
    call(
        body<starfmm::P2PTask>(bodies),
        scene.args,
        near,
        lists,
        scene.positions,
        scene.offsets,
        scene.positions,
        scene.strengths
    );
    return near;
}

/// Returns rows in which every leaf meets every leaf.
Rows all_pairs(std::uint32_t n_leaves) {
    Rows rows(n_leaves);
    for (auto& row : rows) {
        for (std::uint32_t leaf = 0; leaf < n_leaves; ++leaf) {
            row.push_back(leaf);
        }
    }
    return rows;
}

/// Bound of rounding: a pair's value takes 8 roundings, of which 5 are absolute errors of the
/// logarithm's argument; a sum of n terms takes at most n more.
template <class K>
double rounding(std::size_t n, double magnitude, double total_strength) {
    return roundoff<typename K::Real> *
           ((8 + static_cast<double>(n)) * magnitude + (is_log<K> ? 5 * total_strength : 0));
}

template <class K>
void check_against_direct_sum(const Scene<K>& scene, const std::vector<typename K::Real>& near) {
    const std::size_t n = scene.n();
    for (std::size_t i = 0; i < n; ++i) {
        long double magnitude = 0;
        const Exact expected = scene.potential(scene.point(i), 0, n, &magnitude);
        const auto error = static_cast<double>(std::abs(element(near, i, n) - expected));
        CHECK(error <= rounding<K>(n, static_cast<double>(magnitude), scene.total_strength()));
    }
}

} // namespace

TEST_CASE_TEMPLATE("p2p: every pair of near leaves, once", K, DOCTEST_TEST_KERNELS) {
    for (const std::size_t n : {1, 2, 3, 31, 257}) {
        for (const int levels : {0, 1, 2}) {
            Scene<K> scene(levels, n, 1);
            const auto rows = all_pairs(1U << 2 * levels);
            check_against_direct_sum(scene, p2p(scene, bodies<K>(), rows));
        }
    }
}

TEST_CASE_TEMPLATE("p2p: only the leaves that the list names", K, DOCTEST_TEST_KERNELS) {
    Scene<K> scene(1, 90, 1);
    const auto near = p2p(scene, bodies<K>(), {{2}, {0, 3}, {}, {3}});
    for (std::size_t leaf = 0; leaf < 4; ++leaf) {
        const Rows sources{{2}, {0, 3}, {}, {3}};
        for (std::size_t i = scene.offsets[leaf]; i < scene.offsets[leaf + 1]; ++i) {
            Exact expected = 0;
            for (const std::uint32_t other : sources[leaf]) {
                expected +=
                    scene.potential(scene.point(i), scene.offsets[other], scene.offsets[other + 1]);
            }
            long double magnitude = 0;
            scene.potential(scene.point(i), 0, 90, &magnitude);
            CHECK(
                static_cast<double>(std::abs(element(near, i, 90) - expected)) <=
                rounding<K>(90, static_cast<double>(magnitude), scene.total_strength())
            );
        }
    }
}

TEST_CASE_TEMPLATE("p2p: sources of other groups", K, DOCTEST_TEST_KERNELS) {
    using Real = typename K::Real;
    Scene<K> scene(0, 20, 1);
    Scene<K> other(0, 20, 1, 2);
    Words lists = near_to_first_group(scene);
    std::vector<Real> near = scene.no_values();
    call(
        body<starfmm::P2PTask>(bodies<K>()),
        scene.args,
        near,
        lists,
        scene.positions,
        scene.offsets,
        scene.positions,
        scene.strengths,
        other.positions,
        other.strengths
    );
    for (std::size_t i = 0; i < 20; ++i) {
        long double magnitude = 0;
        const Exact expected = scene.potential(scene.point(i), 0, 20, &magnitude) +
                               other.potential(scene.point(i), 0, 20, &magnitude);
        const auto error = static_cast<double>(std::abs(element(near, i, 20) - expected));
        const double strength = scene.total_strength() + other.total_strength();
        CHECK(error <= rounding<K>(40, static_cast<double>(magnitude), strength));
    }
}

TEST_CASE_TEMPLATE("p2p: coincident points do not act on each other", K, DOCTEST_TEST_KERNELS) {
    Scene<K> scene(0, 40, 1);
    std::fill_n(scene.positions.begin(), 40, scene.positions[0]);
    std::fill_n(scene.positions.begin() + 40, 40, scene.positions[40]);
    for (const auto value : p2p(scene, bodies<K>(), {{0}})) {
        CHECK(value == 0);
    }
    scene.positions[39] = 0; // all targets have one source, and one target has all
    check_against_direct_sum(scene, p2p(scene, bodies<K>(), {{0}}));
}

TEST_CASE_TEMPLATE("p2p: points on a line and clusters", K, DOCTEST_TEST_KERNELS) {
    Scene<K> line(1, 64, 1);
    std::fill_n(line.positions.begin() + 64, 64, 0.25);
    check_against_direct_sum(line, p2p(line, bodies<K>(), all_pairs(4)));
    Scene<K> clusters(1, 64, 1);
    for (std::size_t i = 0; i < 64; ++i) {
        clusters.positions[i] = clusters.positions[i] * 1e-8 + static_cast<double>(i % 2);
        clusters.positions[64 + i] *= 1e-8;
    }
    check_against_direct_sum(clusters, p2p(clusters, bodies<K>(), all_pairs(4)));
}

TEST_CASE_TEMPLATE("p2p: linear in strength", K, DOCTEST_TEST_KERNELS) {
    using Real = typename K::Real;
    Scene<K> a(1, 77, 1);
    Scene<K> b = a;
    Scene<K> sum = a;
    b.strengths = Random(7).numbers<Real>(a.strengths.size());
    for (std::size_t i = 0; i < a.strengths.size(); ++i) {
        sum.strengths[i] = 2 * a.strengths[i] + b.strengths[i];
    }
    const auto from_a = p2p(a, bodies<K>(), all_pairs(4));
    const auto from_b = p2p(b, bodies<K>(), all_pairs(4));
    const auto from_sum = p2p(sum, bodies<K>(), all_pairs(4));
    for (std::size_t i = 0; i < 77; ++i) {
        long double scale = 0;
        a.potential(a.point(i), 0, 77, &scale);
        a.potential(a.point(i), 0, 77, &scale);
        b.potential(a.point(i), 0, 77, &scale);
        const Exact expected = Exact(2) * element(from_a, i, 77) + element(from_b, i, 77);
        const auto error = static_cast<double>(std::abs(element(from_sum, i, 77) - expected));
        CHECK(error <= 2 * rounding<K>(77, static_cast<double>(scale), 0));
    }
}

TEST_CASE_TEMPLATE("p2p: instruction sets agree", K, DOCTEST_TEST_KERNELS) {
    Scene<K> scene(2, 333, 1);
    check_variants<K>([&](const starfmm::KernelBodies& bodies) {
        return p2p(scene, bodies, all_pairs(16));
    });
}

TEST_CASE_TEMPLATE("p2p: a pair's law serves both its points", K, DOCTEST_TEST_KERNELS) {
    static_assert(starfmm::MutualKernel<K>);
    using Real = typename K::Real;
    using Point = starfmm::Complex<Real>;
    const Scene<K> scene(0, 40, 1);
    for (std::size_t i = 0; i + 1 < scene.n(); ++i) {
        const starfmm::Complex<double> target{scene.positions[i], scene.positions[scene.n() + i]};
        const starfmm::Complex<double> source{
            scene.positions[i + 1], scene.positions[scene.n() + i + 1]};
        const auto difference = starfmm::seen_from<Real>(target, source);
        const auto there = meaningful<K>(pair_value<K>(scene.point(i), scene.point(i + 1), 1));
        const auto value = exact(K::pair(difference));
        const auto magnitude = static_cast<double>(std::abs(there));
        CHECK(static_cast<double>(std::abs(value - there)) <= rounding<K>(0, magnitude, 1));
        CHECK(exact(K::pair(-difference)) == Exact(K::parity) * value);
    }
    CHECK(exact(K::pair(Point{0, 0})) == Exact(0));
}

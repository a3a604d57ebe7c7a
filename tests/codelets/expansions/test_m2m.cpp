// SPDX-License-Identifier: BSD-3-Clause
#include "codelets/task/task_views.hpp"
#include "tests/support/scene.hpp"

namespace {

template <class K>
auto m2m(
    Scene<K>& scene,
    const starfmm::KernelBodies& bodies,
    std::vector<starfmm::Complex<typename K::Real>> multipoles
) {
    scene.args.n_slots = 0;
    call(body<starfmm::M2MTask>(bodies), scene.args, multipoles, scene.boxes);
    return multipoles;
}

/// Makes the leaves' multipoles by the expansion's own p2m; all others are zero.
template <class K>
auto leaf_multipoles(const Scene<K>& scene) {
    using Real = typename K::Real;
    auto multipoles = scene.no_coefficients();
    starfmm::StrengthView<K> strengths;
    for (int c = 0; c < starfmm::n_strength_components<K>; ++c) {
        strengths.of_component[c] = const_cast<Real*>(scene.strengths.data()) + c * scene.n();
    }
    for (std::size_t leaf = 0; leaf < pyramid_of<2>(scene.args).leaves(); ++leaf) {
        const std::size_t box = scene.leaf_box(leaf);
        const auto frame = scene.frame(box);
        for (std::size_t i = scene.offsets[leaf]; i < scene.offsets[leaf + 1]; ++i) {
            const starfmm::Complex<double> z{scene.positions[i], scene.positions[scene.n() + i]};
            K::p2m(
                scene.args.order,
                starfmm::centred<Real>(frame),
                starfmm::seen_from<Real>(frame.centre, z),
                strengths[i],
                multipoles.data() + box * scene.n_coefficients()
            );
        }
    }
    return multipoles;
}

/// Returns coefficient k of the points [first, last) about `box`, by its definition.
template <class K>
Exact coefficient(
    const Scene<K>& scene, std::size_t box, int k, std::size_t first, std::size_t last
) {
    const auto frame = scene.frame(box);
    Exact sum = 0;
    for (std::size_t i = first; i < last; ++i) {
        const Exact t = (scene.point(i) - exact(frame.centre)) / Exact(frame.radius);
        if (is_log<K>) {
            sum += scene.strength(i) * (k == 0 ? Exact(1) : -std::pow(t, k) / Exact(k));
        } else if (k > 0) {
            sum -= scene.strength(i) / Exact(frame.radius) * std::pow(t, k - 1);
        }
    }
    return sum;
}

} // namespace

TEST_CASE_TEMPLATE("m2m: shifting equals expanding about the new centre", K, DOCTEST_TEST_KERNELS) {
    using Real = typename K::Real;
    for (const int p : {1, 3, 16, 40}) {
        for (const std::size_t n : {1, 2, 31, 400}) {
            Scene<K> scene(2, n, p);
            const auto multipoles = m2m(scene, bodies<K>(), leaf_multipoles(scene));
            // Shift and shrinkage add to 1, so all sums stay below the total strength (over the
            // leaf's radius): p roundings of each of two shifts, and P2M's.
            const double scale =
                scene.total_strength() / static_cast<double>(is_log<K> ? 1 : scene.frame(5).radius);
            const double rounding = (16.0 * p + static_cast<double>(n)) * roundoff<Real> * scale;
            for (int level = 0; level < 2; ++level) {
                for (std::size_t box = 0; box < pyramid_of<2>(scene.args).boxes(level); ++box) {
                    const std::size_t at = pyramid_of<2>(scene.args).offset(level) + box;
                    const std::size_t first = pyramid_of<2>(scene.args).begin(n, level, box);
                    const std::size_t last = pyramid_of<2>(scene.args).begin(n, level, box + 1);
                    for (int k = 0; k <= p; ++k) {
                        const Exact expected = coefficient(scene, at, k, first, last);
                        const Exact shifted = exact(multipoles[at * (p + 1) + k]);
                        CHECK(static_cast<double>(std::abs(shifted - expected)) <= rounding);
                    }
                }
            }
        }
    }
}

TEST_CASE_TEMPLATE("m2m: a shift by zero keeps the expansion", K, DOCTEST_TEST_KERNELS) {
    Scene<K> scene(1, 64, 10);
    for (std::size_t box = 1; box < 5; ++box) {
        scene.set_frame(box, {scene.frame(0).centre, 0.5}); // 0.5 / 0.5 is exact
    }
    scene.set_frame(0, scene.frame(1));
    auto leaves = scene.no_coefficients();
    const auto numbers = Random(3).complex_numbers<typename K::Real>(11);
    std::copy(numbers.begin(), numbers.end(), leaves.begin() + 2 * 11);
    const auto multipoles = m2m(scene, bodies<K>(), leaves);
    for (int k = is_log<K> ? 0 : 1; k <= 10; ++k) {
        CHECK(multipoles[k].re == numbers[k].re);
        CHECK(multipoles[k].im == numbers[k].im);
    }
}

TEST_CASE_TEMPLATE("m2m: linear in strength", K, DOCTEST_TEST_KERNELS) {
    using Real = typename K::Real;
    Scene<K> scene(2, 100, 12);
    const std::size_t n = scene.no_coefficients().size();
    auto a = Random(1).complex_numbers<Real>(n);
    auto b = Random(2).complex_numbers<Real>(n);
    auto sum = a;
    for (std::size_t k = 0; k < n; ++k) {
        if (!is_log<K> && k % 13 == 0) {
            a[k] = b[k] = {0, 0}; // no logarithm
        }
        sum[k] = {2 * a[k].re + b[k].re, 2 * a[k].im + b[k].im};
    }
    const auto from_a = m2m(scene, bodies<K>(), a);
    const auto from_b = m2m(scene, bodies<K>(), b);
    const auto from_sum = m2m(scene, bodies<K>(), sum);
    // a coefficient of the root gathers 16 leaves' 13 coefficients of at most 5
    const double rounding = 16 * 13 * 5 * (4 * 12) * roundoff<Real>;
    for (std::size_t k = 0; k < std::size_t(5 * 13); ++k) {
        const Exact expected = Exact(2) * exact(from_a[k]) + exact(from_b[k]);
        CHECK(static_cast<double>(std::abs(exact(from_sum[k]) - expected)) <= rounding);
    }
}

TEST_CASE_TEMPLATE("m2m: the top takes its finest level from the groups", K, DOCTEST_TEST_KERNELS) {
    using Real = typename K::Real;
    Scene<K> scene(1, 64, 8);
    auto expected = leaf_multipoles(scene);
    auto multipoles = Random(5).complex_numbers<Real>(expected.size()); // to be overwritten
    std::vector<std::vector<starfmm::Complex<Real>>> roots;
    for (std::uint32_t slot = 0; slot < 4; ++slot) {
        scene.args.slots[slot] = 3 - slot; // in any order
        const auto* begin = expected.data() + (1 + scene.args.slots[slot]) * 9;
        roots.emplace_back(begin, begin + 9);
    }
    scene.args.n_slots = 4;
    Buffers buffers;
    buffers.add(multipoles).add(scene.boxes);
    for (auto& root : roots) {
        buffers.add(root);
    }
    buffers.call(body<starfmm::M2MTopTask>(bodies<K>()), scene.args);
    expected = m2m(scene, bodies<K>(), expected);
    for (std::size_t k = 0; k < scene.total_coefficients(); ++k) {
        CHECK(multipoles[k].re == expected[k].re);
        CHECK(multipoles[k].im == expected[k].im);
    }
}

TEST_CASE_TEMPLATE("m2m: a group's root is there for the top", K, DOCTEST_TEST_KERNELS) {
    using Real = typename K::Real;
    Scene<K> scene(2, 100, 8);
    auto multipoles = leaf_multipoles(scene);
    const auto expected = m2m(scene, bodies<K>(), multipoles);
    auto root = Random(7).complex_numbers<Real>(9); // to be overwritten
    scene.args.n_slots = 1;
    call(body<starfmm::M2MTask>(bodies<K>()), scene.args, multipoles, scene.boxes, root);
    for (std::size_t k = 0; k < root.size(); ++k) {
        CHECK(root[k].re == expected[k].re);
        CHECK(root[k].im == expected[k].im);
    }
}

TEST_CASE_TEMPLATE("m2m: instruction sets agree", K, DOCTEST_TEST_KERNELS) {
    Scene<K> scene(3, 500, 17);
    const auto leaves = leaf_multipoles(scene);
    check_variants<K>([&](const starfmm::KernelBodies& bodies) {
        return m2m(scene, bodies, leaves);
    });
}
